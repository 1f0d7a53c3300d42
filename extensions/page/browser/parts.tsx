/** Small parts of all views, and the repository in which they stand. */
import { type ComponentChildren, createContext, type JSX } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Author, ClientError, type NodeId, type Project } from "../../../src/client/mod.ts";
import { type Answer, explain } from "./answers.ts";
import type { Token } from "./blocks.ts";
import { atPath, hashOf, inRepository, shortOid } from "./places.ts";

/** Longest path whose folders are links, in characters: as long as Linux takes them. */
const MAX_LINKED_PATH = 4096;

/** A repository, as its views know it. */
interface ShownRepository {
  readonly rid: string;
  readonly project: Project;
  /** The node in whose name the visitor writes; `undefined` without a session. */
  readonly me: NodeId | undefined;
  /** Asks for the repository again, after a change. */
  readonly reload: () => void;
}

/** Set by the view of a repository. */
export const RepositoryContext = createContext<ShownRepository | undefined>(undefined);

/** The repository around a view. */
export function useRepository(): ShownRepository {
  return useContext(RepositoryContext)!;
}

/** Whether the next title takes the focus: a reader of the screen learns that the view has changed. */
let focusesTitle = false;

/** Lets the title of the next view take the focus. */
export function focusNextTitle(): void {
  focusesTitle = true;
}

/** The heading of a view, which also names the window. */
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

/** A part with a heading of its own. */
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

/** Draws what is answered; says that it waits, or what has failed. */
export function Loaded<Value>(
  { answer: { value, error, reload }, isView = false, children }: {
    readonly answer: Answer<Value>;
    /** Whether it is the whole view, which has a heading in any case. */
    readonly isView?: boolean;
    readonly children: (value: Value) => ComponentChildren;
  },
): JSX.Element {
  // What is shown, and a text that is being written, stays while the service is away.
  const isAway = !(error instanceof ClientError) || error.status >= 500;
  const isShown = value !== undefined && (error === undefined || isAway);
  // It appears only when that takes time.
  if (error === undefined && !isShown) return <p class="waiting" role="status" aria-busy="true">Loading…</p>;
  return (
    <>
      {isView && !isShown && <Title text="Not shown" />}
      <Failure error={error} retry={reload} />
      {isShown && children(value)}
    </>
  );
}

/** The words for a failure, if there is one, and the way to try again. */
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

/** The view of a place that is none. */
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

/** A note in place of a list that is empty. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <p class="empty">{children}</p>;
}

/** A block of text, which can be scrolled by keys. */
export function Block(
  { name, children }: { readonly name: string; readonly children: ComponentChildren },
): JSX.Element {
  return <pre tabIndex={0} role="region" aria-label={name}>{children}</pre>;
}

/** Value of `aria-current` for a link, by whether it leads to what is shown. */
export function currentIf(isCurrent: boolean): "page" | undefined {
  return isCurrent ? "page" : undefined;
}

/** A word that stands out, such as a state. */
export function Badge(
  { kind = "", children }: { readonly kind?: string; readonly children: ComponentChildren },
): JSX.Element {
  return <span class={`badge ${kind}`}>{children}</span>;
}

/** A point in time, given in seconds since the Unix epoch. */
export function Time({ at }: { readonly at: number }): JSX.Element {
  const date = new Date(at * 1000);
  const day = dayOf(at, "medium");
  if (Number.isNaN(date.getTime())) return <span>{day}</span>;
  return <time dateTime={date.toISOString()} title={date.toLocaleString("en")}>{day}</time>;
}

/** The day of a point in time, likewise. */
export function dayOf(at: number, dateStyle: "medium" | "long"): string {
  const date = new Date(at * 1000);
  return Number.isNaN(date.getTime()) ? "unknown time" : date.toLocaleDateString("en", { dateStyle });
}

/** A person of an issue or a patch, by alias or the start of the id. */
export function Person({ author: { id, alias } }: { readonly author: Author }): JSX.Element {
  return <b class="person" title={id}>{alias ?? shownNode(id)}</b>;
}

/** A node id or DID, short. */
export function shownNode(id: string): string {
  const nid = id.replace("did:key:", "");
  return nid.length > 16 ? `${nid.slice(0, 8)}…${nid.slice(-4)}` : nid;
}

/** A disc with a letter, in a colour of its own. */
export function Avatar({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  let hue = 0;
  for (const character of id) hue = (hue * 31 + character.charCodeAt(0)) % 360;
  return (
    <span class="avatar" aria-hidden="true" style={{ "--hue": `${hue}` }}>
      {[...name.trim()][0]?.toUpperCase() ?? id.at(-1)}
    </span>
  );
}

/** A link to a commit. */
export function CommitLink({ oid }: { readonly oid: string }): JSX.Element {
  const { rid } = useRepository();
  return <a class="oid" href={inRepository(rid, ["commit", oid])} title={oid}>{shortOid(oid)}</a>;
}

/** A button that copies a text; nothing where the browser has no clipboard for this page. */
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

/** The way from the root of a repository to a folder or file. */
export function Trail(
  { revision, path }: { readonly revision: string; readonly path: string },
): JSX.Element {
  const { rid, project } = useRepository();
  const parts = path === "" ? [] : path.split("/");
  // Each link has the whole way to its folder.
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

/** Tokens of highlighted code. */
export function Tokens({ tokens }: { readonly tokens: readonly Token[] }): JSX.Element {
  return (
    <>
      {tokens.map(({ text, kind }, i) =>
        kind === "" ? text : <span key={i} class={`t-${kind}`}>{text}</span>
      )}
    </>
  );
}

/** A number with its name. */
export function counted(count: number, name: string, plural: string = `${name}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? name : plural}`;
}

/** A link to another host or to a file, in a tab of its own. */
export function Outside(
  { href, children }: { readonly href: string; readonly children: ComponentChildren },
): JSX.Element {
  return <a href={href} target="_blank" rel="noopener noreferrer">{children}</a>;
}
