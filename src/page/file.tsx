/** A file at a commit: its lines, or markdown, or a picture. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Blob, ClientError } from "../client/mod.ts";
import { useAnswer, useGet } from "./answers.ts";
import { rawAddress, replacePlace } from "./app.ts";
import { Folder, LastCommit, type PathProps, PathTitle, RevisionBar, usePath } from "./folder.tsx";
import type { Token } from "./highlight.ts";
import { endingOf } from "./languages.ts";
import type { ViewProps } from "./lazily.tsx";
import { Markdown } from "./markdown_view.tsx";
import { Empty, InParts, Loaded, Outside } from "./parts.tsx";
import { atPath, formatLines, type Lines, parseLines } from "./places.ts";
import { isMarkdown } from "./readme.tsx";
import { useRepository } from "./repository_context.ts";
import { Field, Form } from "./writing.tsx";

/** A file. */
export function FileView({ place }: ViewProps): JSX.Element {
  const { rid } = useRepository();
  const at = usePath(place);
  const { revision, path } = at;
  const answer = useGet("/api/v1/projects/:project/blob/:sha/*path", { project: rid, sha: revision, path });
  // Links in texts do not tell folders from files.
  if (answer.error instanceof ClientError && answer.error.code === "notFound") {
    return <Folder place={place} />;
  }
  const isDrawn = isMarkdown(path) && place.query["as"] !== "source" && place.query["lines"] === undefined;
  return (
    <>
      <div class="bar">
        <RevisionBar revision={revision} />
        <PathTitle {...at} />
      </div>
      <Loaded answer={answer}>
        {(blob) => (
          <div class="box">
            <LastCommit commit={blob.lastCommit} />
            <div class="tools">
              <span class="note">{sizeOf(blob)}</span>
              <span class="push" />
              {isMarkdown(path) && (
                <a href={atPath(rid, "blob", revision, path, { as: isDrawn ? "source" : undefined })}>
                  {isDrawn ? "Source" : "Rendered"}
                </a>
              )}
              <a href={atPath(rid, "commits", revision, path)}>History</a>
              <a href={atPath(rid, "blob", blob.lastCommit.id, path)}>Permanent link</a>
              <Outside href={rawAddress(rid, revision, path)}>Raw</Outside>
            </div>
            {blob.binary ? <BinaryFile {...at} /> : isDrawn
              ? (
                <div class="inside">
                  <Markdown text={blob.content} place={{ rid, revision, path }} firstLevel={2} />
                </div>
              )
              : (
                <Source
                  text={blob.content}
                  path={path}
                  lines={parseLines(place.query["lines"])}
                  hrefOf={(lines) =>
                    atPath(rid, "blob", revision, path, {
                      lines: lines && formatLines(lines),
                      as: place.query["as"],
                    })}
                />
              )}
          </div>
        )}
      </Loaded>
    </>
  );
}

function sizeOf({ binary, content }: Blob): string {
  if (binary) return `${Math.floor(content.length * 3 / 4).toLocaleString("en")} bytes`;
  const lines = content === "" ? 0 : content.split("\n").length - (content.endsWith("\n") ? 1 : 0);
  return `${lines.toLocaleString("en")} lines · ${
    new TextEncoder().encode(content).length.toLocaleString("en")
  } bytes`;
}

function BinaryFile({ revision, path }: PathProps): JSX.Element {
  const { rid } = useRepository();
  const answer = useAnswer(`picture ${rid} ${revision} ${path}`, async () => {
    const { pictureAddress } = await import("./pictures.ts");
    return { address: await pictureAddress(rid, { revision, path }) };
  });
  return (
    <Loaded answer={answer}>
      {({ address }) =>
        address === undefined
          ? (
            <Empty>
              This file is no text: <Outside href={rawAddress(rid, revision, path)}>open it raw</Outside>.
            </Empty>
          )
          : (
            <p class="picture">
              <img src={address} alt={path} />
            </p>
          )}
    </Loaded>
  );
}

/** Lines of a text, with numbers that link to them. */
function Source(
  { text, path, lines, hrefOf }: {
    readonly text: string;
    readonly path: string;
    readonly lines: Lines | undefined;
    readonly hrefOf: (lines: Lines | undefined) => string;
  },
): JSX.Element {
  const rows = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const [tokens, setTokens] = useState<readonly (readonly Token[])[]>();
  useEffect(() => {
    let isCurrent = true;
    void import("./highlight.ts").then(({ highlightLines }) => highlightLines(text, endingOf(path)))
      .then((found) => isCurrent && setTokens(found), () => {});
    return () => {
      isCurrent = false;
    };
  }, [text, path]);
  const draw = useMemo(() => (start: number, end: number) => (
    <>
      {rows.slice(start, end).map((row, i) => (
        <Line
          key={i}
          number={start + i + 1}
          href={hrefOf({ start: start + i + 1, end: start + i + 1 })}
          text={row}
          tokens={tokens?.[start + i]}
        />
      ))}
    </>
  ), [rows, tokens]);
  const choose = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest<HTMLAnchorElement>("a[data-line]");
    if (link === null || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const number = Number(link.dataset["line"]);
    const first = event.shiftKey && lines !== undefined ? lines.start : number;
    replacePlace(hrefOf({ start: Math.min(first, number), end: Math.max(first, number) }));
  };
  if (text === "") return <Empty>This file is empty.</Empty>;
  return (
    <>
      <Form
        kind="tools"
        action="Link to them"
        isQuiet
        onSend={({ lines = "" }) => replacePlace(hrefOf(parseLines(lines)))}
      >
        <Field
          label="Lines"
          name="lines"
          size={9}
          placeholder="12-20"
          key={lines && formatLines(lines)}
          defaultValue={lines && formatLines(lines)}
        />
      </Form>
      <Marked lines={lines} count={rows.length} />
      <div class="code" tabIndex={0} role="region" aria-label={`Lines of ${path}`} onClick={choose}>
        <InParts count={rows.length} draw={draw} />
      </div>
    </>
  );
}

/** Marks the lines to which the address leads, as soon as they are drawn, and goes to the first one. */
function Marked({ lines, count }: { readonly lines: Lines | undefined; readonly count: number }): null {
  useEffect(() => {
    if (lines === undefined) return;
    const marked = new Set<Element>();
    const mark = () => {
      for (let i = lines.start; i <= Math.min(lines.end, count); i++) {
        const row = document.getElementById(`L${i}`);
        if (row === null || marked.has(row)) continue;
        row.classList.add("marked");
        marked.add(row);
        if (i === lines.start) row.scrollIntoView({ block: "center" });
      }
    };
    mark();
    const observer = new MutationObserver(mark);
    const code = document.querySelector(".code");
    if (code !== null) observer.observe(code, { childList: true });
    return () => {
      observer.disconnect();
      for (const row of marked) row.classList.remove("marked");
    };
  }, [lines?.start, lines?.end, count]);
  return null;
}

function Line(
  { number, href, text, tokens }: {
    readonly number: number;
    readonly href: string;
    readonly text: string;
    readonly tokens: readonly Token[] | undefined;
  },
): JSX.Element {
  return (
    <div class="line" id={`L${number}`}>
      <a class="no" data-line={number} tabIndex={-1} href={href} aria-label={`Line ${number}`}>{number}</a>
      <code>
        {tokens === undefined
          ? text
          : tokens.map(({ text, kind }, i) =>
            kind === "" ? text : <span key={i} class={`t-${kind}`}>{text}</span>
          )}
        {"\n"}
      </code>
    </div>
  );
}
