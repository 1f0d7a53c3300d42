/** The view of a file at a commit, as lines, as Markdown, or as a picture. */
import type { JSX } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import { type Blob, ClientError } from "../../../src/client/mod.ts";
import { useAnswer, useGet } from "./answers.ts";
import { rawAddress, replacePlace } from "./app.ts";
import { Folder, isMarkdown, LastCommit, PathTitle, RevisionBar, usePath } from "./folder.tsx";
import { Markdown } from "./markdown_view.tsx";
import { InParts, MAX_ROWS } from "./lists.tsx";
import { Empty, Loaded, Outside, Tokens, useRepository } from "./parts.tsx";
import { atPath, formatLines, type Lines, parseLines, type PathProps, type ViewProps } from "./places.ts";
import { countLines, shownLine } from "./plain_text.ts";
import { Field, Form } from "./writing.tsx";

export function FileView({ place }: ViewProps): JSX.Element {
  const { rid } = useRepository();
  const at = usePath(place);
  const { revision, path } = at;
  const answer = useGet("/api/v1/projects/:project/blob/:sha/*path", { project: rid, sha: revision, path });
  // A link in a text may lead to a folder, whose place looks like the place of a file.
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
                  <Markdown text={blob.content} place={{ rid, ...at }} firstLevel={2} />
                </div>
              )
              : (
                <Source
                  blob={blob}
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
  return `${countLines(content).toLocaleString("en")} lines · ${
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

/** Draws the lines of a text. The number of a line is a link to the line. */
function Source(
  { blob: { content: text, path, lastCommit }, lines, hrefOf }: {
    readonly blob: Blob;
    readonly lines: Lines | undefined;
    readonly hrefOf: (lines: Lines | undefined) => string;
  },
): JSX.Element {
  const rows = useMemo(() => text.replace(/\n$/, "").split("\n", MAX_ROWS + 1), [text]);
  const { value: tokens } = useAnswer(`tokens ${lastCommit.id} ${path}`, async () => {
    const { highlightLines } = await import("./blocks.ts");
    return await highlightLines(text, endingOf(path));
  });
  const draw = useCallback((text: string, i: number) => {
    const number = i + 1;
    const isMarked = lines !== undefined && lines.start <= number && number <= lines.end;
    return (
      <div
        key={number}
        ref={lines?.start === number ? comeIntoView : null}
        class={`line ${isMarked ? "marked" : ""}`}
        id={`L${number}`}
      >
        <a
          class="no"
          data-line={number}
          tabIndex={-1}
          href={hrefOf({ start: number, end: number })}
          aria-label={`Line ${number}`}
        >
          {number}
        </a>
        <code>
          {tokens?.[i] ? <Tokens tokens={tokens[i]} /> : shownLine(text)}
          {"\n"}
        </code>
      </div>
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

/**
 * Returns the extension of a file, or its whole name if it has no extension. The result determines the
 * language.
 */
function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return (dot < 0 ? name : name.slice(dot + 1)).toLowerCase();
}

/** Scrolls to the first marked line as soon as the line is drawn. */
function comeIntoView(line: HTMLElement | null): void {
  line?.scrollIntoView({ block: "center" });
}
