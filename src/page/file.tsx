/** A file at a commit: its lines, or markdown, or a picture. */
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Blob, ClientError } from "../client/mod.ts";
import { useAnswer } from "./answers.ts";
import { rawAddress, replacePlace, visitor } from "./app.ts";
import type { Token } from "./highlight.ts";
import { endingOf } from "./languages.ts";
import { Markdown } from "./markdown_view.tsx";
import { CommitLink, Empty, InParts, Loaded, Outside, Time } from "./parts.tsx";
import { atPath, formatLines, type Lines, parseLines } from "./places.ts";
import { Folder, PathTitle } from "./folder.tsx";
import { isMarkdown } from "./readme.tsx";
import type { InRepositoryProps } from "./lazily.tsx";
import { RevisionBar } from "./revision_bar.tsx";

/** A file. */
export function FileView({ project, place, reload }: InRepositoryProps): JSX.Element {
  const [, revision = project.defaultBranch, ...parts] = place.parts;
  const path = parts.join("/");
  const { id } = project;
  const answer = useAnswer<Blob>(
    `blob ${id} ${revision} ${path}`,
    (options) =>
      visitor.client.get(
        "/api/v1/projects/:project/blob/:sha/*path",
        { project: id, sha: revision, path },
        options,
      ),
  );
  // Links in texts do not tell folders from files.
  if (answer.error instanceof ClientError && answer.error.code === "notFound") {
    return <Folder project={project} place={place} reload={reload} />;
  }
  const isDrawn = isMarkdown(path) && place.query["as"] !== "source" && place.query["lines"] === undefined;
  return (
    <>
      <div class="bar">
        <RevisionBar project={project} revision={revision} />
        <PathTitle project={project} revision={revision} path={path} />
      </div>
      <Loaded answer={answer}>
        {(blob) => (
          <div class="box">
            <p class="last">
              <b>{blob.lastCommit.author.name}</b> <span class="summary">{blob.lastCommit.summary}</span>
              <span class="push">
                <CommitLink rid={id} oid={blob.lastCommit.id} /> <Time at={blob.lastCommit.committer.time} />
              </span>
            </p>
            <div class="tools">
              <span class="note">{sizeOf(blob)}</span>
              <span class="push" />
              {isMarkdown(path) && (
                <a href={atPath(id, "blob", revision, path, { as: isDrawn ? "source" : undefined })}>
                  {isDrawn ? "Source" : "Rendered"}
                </a>
              )}
              <a href={atPath(id, "commits", revision, path)}>History</a>
              <a href={atPath(id, "blob", blob.lastCommit.id, path)}>Permanent link</a>
              <Outside href={rawAddress(id, revision, path)}>Raw</Outside>
            </div>
            {blob.binary
              ? <BinaryFile rid={id} revision={revision} path={path} />
              : isDrawn
              ? (
                <div class="inside">
                  <Markdown text={blob.content} place={{ rid: id, revision, path }} firstLevel={2} />
                </div>
              )
              : (
                <Source
                  text={blob.content}
                  path={path}
                  lines={parseLines(place.query["lines"])}
                  hrefOf={(lines) =>
                    atPath(id, "blob", revision, path, {
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

function BinaryFile(
  { rid, revision, path }: { readonly rid: string; readonly revision: string; readonly path: string },
): JSX.Element {
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
  useEffect(() => {
    if (lines !== undefined) showLine(lines.start);
  }, [lines?.start, rows]);
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
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = String(new FormData(event.currentTarget).get("lines"));
          replacePlace(hrefOf(parseLines(wanted)));
        }}
      >
        <label>
          Lines{" "}
          <input
            name="lines"
            size={9}
            placeholder="12-20"
            autocomplete="off"
            key={lines && formatLines(lines)}
            defaultValue={lines && formatLines(lines)}
          />
        </label>
        <button type="submit" class="quiet">Link to them</button>
      </form>
      <Marked lines={lines} count={rows.length} />
      <div class="code" tabIndex={0} role="region" aria-label={`Lines of ${path}`} onClick={choose}>
        <InParts count={rows.length} draw={draw} />
      </div>
    </>
  );
}

/** Marks the lines to which the address leads, by their places: no line is drawn anew. */
function Marked({ lines, count }: { readonly lines: Lines | undefined; readonly count: number }): null {
  useEffect(() => {
    const marked: Element[] = [];
    if (lines === undefined) return;
    const mark = () => {
      for (let i = lines.start; i <= Math.min(lines.end, count); i++) {
        const row = document.getElementById(`L${i}`);
        if (row === null) continue;
        row.classList.add("marked");
        marked.push(row);
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

/** Scrolls to a line as soon as it is drawn. */
function showLine(number: number): void {
  const tryIt = () => {
    const row = document.getElementById(`L${number}`);
    row?.scrollIntoView({ block: "center" });
    return row !== null;
  };
  if (tryIt()) return;
  const code = document.querySelector(".code");
  if (code === null) return;
  const observer = new MutationObserver(() => tryIt() && observer.disconnect());
  observer.observe(code, { childList: true });
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
