/** A file at a commit: its lines, or markdown, or a picture. */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Blob, ClientError } from "../client/mod.ts";
import { useAnswer, useGet } from "./answers.ts";
import { rawAddress, replacePlace } from "./app.ts";
import {
  Folder,
  isMarkdown,
  LastCommit,
  type PathProps,
  PathTitle,
  RevisionBar,
  usePath,
} from "./folder.tsx";
import type { Token } from "./highlight.ts";
import { endingOf } from "./languages.ts";
import type { ViewProps } from "./lazily.tsx";
import { Markdown } from "./markdown_view.tsx";
import { InParts } from "./lists.tsx";
import { Empty, Loaded, Outside, Tokens } from "./parts.tsx";
import { atPath, formatLines, type Lines, parseLines } from "./places.ts";
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
  const draw = useCallback((text: string, i: number) => {
    const number = i + 1;
    return (
      <Line
        key={number}
        number={number}
        href={hrefOf({ start: number, end: number })}
        isMarked={lines !== undefined && lines.start <= number && number <= lines.end}
        isFirst={lines?.start === number}
      >
        {tokens?.[i] ? <Tokens tokens={tokens[i]} /> : text}
      </Line>
    );
  }, [rows, tokens, lines?.start, lines?.end]);
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
      <div class="code" tabIndex={0} role="region" aria-label={`Lines of ${path}`} onClick={choose}>
        <InParts items={rows} draw={draw} />
      </div>
    </>
  );
}

/** A line. The first one that is marked comes into view. */
function Line(
  { number, href, isMarked, isFirst, children }: {
    readonly number: number;
    readonly href: string;
    readonly isMarked: boolean;
    readonly isFirst: boolean;
    readonly children: ComponentChildren;
  },
): JSX.Element {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isFirst) row.current?.scrollIntoView({ block: "center" });
  }, [isFirst]);
  return (
    <div ref={row} class={`line ${isMarked ? "marked" : ""}`} id={`L${number}`}>
      <a class="no" data-line={number} tabIndex={-1} href={href} aria-label={`Line ${number}`}>{number}</a>
      <code>
        {children}
        {"\n"}
      </code>
    </div>
  );
}
