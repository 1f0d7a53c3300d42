/** Small components for all views. */
import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Author, ClientError, type NodeId, type Project } from "../../../src/client/mod.ts";
import { type Answer, explain } from "./answers.ts";
import type { Token } from "./blocks.ts";
import { atPath, hashOf, inRepository, shortOid } from "./places.ts";

/**
 * Maximum length of a path whose folders are drawn as links, in characters. Linux has the same maximum length
 * of a path.
 */
const MAX_LINKED_PATH = 4096;

interface ShownRepository {
  readonly rid: string;
  readonly project: Project;
  /** Node in whose name the visitor makes changes; `undefined` without a session. */
  readonly me: NodeId | undefined;
  /** Loads the repository again after a change. */
  readonly reload: () => void;
}

export const RepositoryContext = createContext<ShownRepository | undefined>(undefined);

export function useRepository(): ShownRepository {
  return useContext(RepositoryContext)!;
}

/** Whether the next title gets the focus, so that a screen reader announces the new view. */
let focusesTitle = false;

export function focusNextTitle(): void {
  focusesTitle = true;
}

/** Draws the heading of a view, and sets the title of the window. */
export function Title(
  { text, children }: { readonly text: string; readonly children?: ComponentChildren },
): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = useContext(RepositoryContext)?.project.name ?? text;
  useEffect(() => {
    document.title = `${text}${name === text ? "" : ` · ${name}`} · Xylem`;
  }, [text, name]);
  useLayoutEffect(() => {
    if (!focusesTitle) return;
    focusesTitle = false;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return <h1 ref={heading} tabIndex={-1}>{children ?? text}</h1>;
}

export function Section(
  { title, children }: { readonly title: string; readonly children: ComponentChildren },
): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Draws a response. Draws a note while the response is loading, and the error if the request has failed. */
export function Loaded<Value>(
  { answer: { value, error, reload }, isView = false, children }: {
    readonly answer: Answer<Value>;
    /** Whether the response fills the whole view, which then always has a heading. */
    readonly isView?: boolean;
    readonly children: (value: Value) => ComponentChildren;
  },
): JSX.Element {
  // While the service cannot be reached, the view is not removed, because it may contain a text that the
  // visitor is writing.
  const isAway = !(error instanceof ClientError) || error.status >= 500;
  const isShown = value !== undefined && (error === undefined || isAway);
  // The style shows the note after a delay, so that fast responses show no note.
  if (error === undefined && !isShown) return <p class="waiting" role="status" aria-busy="true">Loading…</p>;
  return (
    <>
      {isView && !isShown && <Title text="Not shown" />}
      <Failure error={error} retry={reload} />
      {isShown && children(value)}
    </>
  );
}

/** Draws an error with a button to try again; nothing if there is no error. */
export function Failure(
  { error, retry }: { readonly error: unknown; readonly retry?: () => void },
): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <div class="failure" role="alert">
      <p>{explain(error)}</p>
      {retry && <button type="button" class="quiet" onClick={retry}>Try again</button>}
    </div>
  );
}

/** Draws the view for an unknown address. */
export function Nowhere(): JSX.Element {
  return (
    <>
      <Title text="Not found" />
      <p>
        There is no such place in this page. <a href={hashOf([])}>To the repositories</a>
      </p>
    </>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

export function Block(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
): JSX.Element {
  return <pre tabIndex={0} role="region" aria-label={name}>{children}</pre>;
}

/**
 * Returns the value of `aria-current` for a link.
 *
 * @param isCurrent Whether the link leads to the current page.
 */
export function currentIf(isCurrent: boolean): "page" | undefined {
  return isCurrent ? "page" : undefined;
}

export function Badge(
  { kind = "", children }: { readonly kind?: string; readonly children: ComponentChildren },
): JSX.Element {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** @param at Time in seconds since the Unix epoch. */
export function Time({ at }: { readonly at: number }): JSX.Element {
  const date = new Date(at * 1000);
  const day = dayOf(at, "medium");
  if (Number.isNaN(date.getTime())) return <span>{day}</span>;
  return <time dateTime={date.toISOString()} title={date.toLocaleString("en")}>{day}</time>;
}

/** @param at Time in seconds since the Unix epoch. */
export function dayOf(at: number, dateStyle: "medium" | "long"): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "unknown time" : date.toLocaleDateString("en", { dateStyle });
}

/** Draws the alias of the author of an issue or a patch, or the shortened id if the author has no alias. */
export function Person({ author: { id, alias } }: { readonly author: Author }): JSX.Element {
  return <b class="person" title={id}>{alias ?? shownNode(id)}</b>;
}

/** Shortens a node id or a DID. */
export function shownNode(id: string): string {
  const nid = id.replace("did:key:", "");
  return nid.length > 16 ? `${nid.slice(0, 8)}…${nid.slice(-4)}` : nid;
}

/** Draws a disc with a letter. The id determines the colour of the disc. */
export function Avatar({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  let hue = 0;
  for (const character of id) hue = (hue * 31 + character.charCodeAt(0)) % 360;
  return (
    <span class="avatar" aria-hidden="true" style={{ "--hue": `${hue}` }}>
      {[...name.trim()][0]?.toUpperCase() ?? id.at(-1)}
    </span>
  );
}

export function CommitLink({ oid }: { readonly oid: string }): JSX.Element {
  const { rid } = useRepository();
  return <a class="oid" href={inRepository(rid, ["commit", oid])} title={oid}>{shortOid(oid)}</a>;
}

/** Draws a button that copies a text; nothing if the browser does not allow the page to use the clipboard. */
export function Copy({ text, name }: { readonly text: string; readonly name: string }): JSX.Element | null {
  const [isDone, setDone] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = () => void navigator.clipboard.writeText(text).then(() => setDone(true), () => {});
  return (
    <button type="button" class="quiet" aria-label={`Copy ${name}`} onClick={copy}>
      {isDone ? "Copied" : "Copy"}
    </button>
  );
}

/** Draws links from the root of a repository to a folder or file. */
export function Trail(
  { revision, path }: { readonly revision: string; readonly path: string },
): JSX.Element {
  const { rid, project } = useRepository();
  const parts = path === "" ? [] : path.split("/");
  // Each link contains the whole path of its folder, so the links of a long path would be very large.
  const isShort = path.length <= MAX_LINKED_PATH;
  return (
    <span class="trail">
      <a href={atPath(rid, "tree", revision)}>{project.name}</a>
      {isShort
        ? parts.map((part, i) => (
          <span key={i}>
            <span class="slash">/</span>
            {i === parts.length - 1
              ? <b>{part}</b>
              : <a href={atPath(rid, "tree", revision, parts.slice(0, i + 1).join("/"))}>{part}</a>}
          </span>
        ))
        : <b>/{path}</b>}
    </span>
  );
}

export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): JSX.Element {
  return (
    <>
      {tokens.map(({ text, kind }, i) =>
        kind === "" ? text : <span key={i} class={`t-${kind}`}>{text}</span>
      )}
    </>
  );
}

/** Formats a number with a noun in the singular or plural. */
export function counted(count: number, name: string, plural: string = `${name}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? name : plural}`;
}

/** Draws a link that opens in a new tab. */
export function Outside(
  { href, children }: { readonly href: string; readonly children: ComponentChildren },
): JSX.Element {
  return <a href={href} target="_blank" rel="noopener noreferrer">{children}</a>;
}
