/** Draws changed files: a list of the files, and the lines of each file in one column or two columns. */
import type { ComponentChildren, JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { Diff, DiffBlobs, DiffLine } from "../../../src/client/mod.ts";
import {
  type FileChange,
  fileChanges,
  numberOf,
  placesOf,
  type Row,
  splitRows,
  unifiedRows,
} from "./change_rows.ts";
import { Fold, InParts } from "./lists.tsx";
import { Badge, counted, Empty, useRepository } from "./parts.tsx";
import { atPath } from "./places.ts";
import { shownLine } from "./plain_text.ts";
import { Form } from "./writing.tsx";

/** Minimum number of rows of a file that is folded until the visitor opens it. */
const FOLDED_ROWS = 600;
/** Maximum total number of rows of the files that are open at first. Further files are folded. */
const OPEN_ROWS = 3000;
/** Key in the tab's storage for the visitor's choice of columns. */
const CHOICE = "xylem columns";

/** A comment at a line of a file. `place` is a side and a line number (see `placesOf`). */
export interface LineNote {
  readonly place: string;
  readonly shown: JSX.Element;
}

/** Draws the form for a new comment at a line of a file. */
export type LineWriting = (path: string, place: string, close: () => void) => ComponentChildren;

export function Changes(
  { diff, blobs, oldRevision, newRevision, notes, writing }: {
    readonly diff: Diff;
    readonly blobs: DiffBlobs;
    /** Commit before the change, for links to deleted files. */
    readonly oldRevision: string | undefined;
    readonly newRevision: string;
    /** Comments on the lines of each file, by path. */
    readonly notes?: ReadonlyMap<string, readonly LineNote[]>;
    readonly writing?: LineWriting | undefined;
  },
): JSX.Element {
  const { rid } = useRepository();
  const files = useMemo(() => fileChanges(diff, blobs), [diff]);
  const [isSplit, setSplit] = useState(() => sessionStorage.getItem(CHOICE) === "split");
  const open = useMemo(() => openFiles(files), [files]);
  const { filesChanged, insertions, deletions } = diff.stats;
  const choose = (split: boolean) => {
    sessionStorage.setItem(CHOICE, split ? "split" : "unified");
    setSplit(split);
  };
  const draw = useCallback((file: FileChange, i: number) => {
    const revision = file.kind === "deleted" ? oldRevision ?? newRevision : newRevision;
    return (
      <File
        key={file.path}
        index={i}
        file={file}
        isOpen={open[i]!}
        isSplit={isSplit}
        href={atPath(rid, "blob", revision, file.path)}
        notes={notes?.get(file.path)}
        writing={writing}
      />
    );
  }, [files, isSplit, notes, writing]);
  return (
    <section aria-labelledby="changes">
      <div class="bar">
        <h2 id="changes">{counted(filesChanged, "changed file")}</h2>
        <Stats additions={insertions} deletions={deletions} />
        <div class="push choice" role="group" aria-label="Columns">
          <button type="button" aria-pressed={!isSplit} onClick={() => choose(false)}>Unified</button>
          <button type="button" aria-pressed={isSplit} onClick={() => choose(true)}>Side by side</button>
        </div>
      </div>
      {files.length === 0 && <Empty>No file has changed.</Empty>}
      {files.length > 1 && <FileList files={files} />}
      <InParts items={files} size={2} draw={draw} />
    </section>
  );
}

/**
 * Returns for each file whether it is open at first. A file is folded if it is long, or if the files before
 * it have many rows.
 */
function openFiles(files: readonly FileChange[]): readonly boolean[] {
  let total = 0;
  return files.map(({ diff }) => {
    const rows = diff?.hunks.reduce((sum, { lines }) => sum + lines.length, 0) ?? 0;
    if (rows > FOLDED_ROWS || total + rows > OPEN_ROWS) return false;
    total += rows;
    return true;
  });
}

function FileList({ files }: { readonly files: readonly FileChange[] }): JSX.Element {
  const draw = useCallback(
    ({ kind, path, oldPath, diff, isBinary }: FileChange, i: number) => (
      <p key={path} role="listitem">
        <button
          type="button"
          class="link"
          onClick={() => showFile(i)}
        >
          {oldPath !== undefined && `${oldPath} → `}
          {path}
        </button>{" "}
        {kind !== "modified" && <Badge kind={kind}>{kind}</Badge>}
        {diff && !isBinary && <Stats {...diff.stats} />}
      </p>
    ),
    [files],
  );
  return (
    <details class="list" open={files.length <= 20}>
      <summary>Files</summary>
      <div role="list">
        <InParts items={files} draw={draw} />
      </div>
    </details>
  );
}

function showFile(index: number): void {
  const file = document.getElementById(`file-${index}`) as HTMLDetailsElement | null;
  if (file === null) return;
  file.open = true;
  file.scrollIntoView();
  file.querySelector("summary")?.focus({ preventScroll: true });
}

function Stats(
  { additions, deletions }: { readonly additions: number; readonly deletions: number },
): JSX.Element {
  return (
    <span class="stats">
      <span class="added">+{additions}</span> <span class="removed">−{deletions}</span>
    </span>
  );
}

interface FileProps {
  readonly file: FileChange;
  readonly isSplit: boolean;
  readonly notes: readonly LineNote[] | undefined;
  readonly writing: LineWriting | undefined;
}

function File(
  { index, isOpen, href, ...props }: FileProps & {
    readonly index: number;
    readonly isOpen: boolean;
    readonly href: string;
  },
): JSX.Element {
  const { kind, path, oldPath, diff, isBinary, modes } = props.file;
  return (
    <Fold
      class="box file"
      id={`file-${index}`}
      isOpen={isOpen}
      summary={
        <>
          <span class="path">{oldPath !== undefined && `${oldPath} → `}{path}</span>
          {kind !== "modified" && <Badge kind={kind}>{kind}</Badge>}
          {modes && <Badge>{modes.join(" → ")}</Badge>}
          {diff && !isBinary && <Stats {...diff.stats} />}
        </>
      }
    >
      {() => (
        <>
          <p class="tools">
            <a href={href}>Whole file</a>
          </p>
          <Rows {...props} />
          {isBinary && <Empty>The file is no text.</Empty>}
          {!isBinary && diff?.hunks.length === 0 && !diff.truncated && <Empty>No line has changed.</Empty>}
          {diff === undefined && <Empty>Its content is the same.</Empty>}
          {diff?.truncated && <Empty>The change is too large: only a part of it is shown.</Empty>}
        </>
      )}
    </Fold>
  );
}

function Rows({ file: { path, diff }, isSplit, notes, writing }: FileProps): JSX.Element | null {
  /** Side and number of the line with the form for a new comment. */
  const [written, write] = useState<string>();
  const rows = useMemo(
    () => diff === undefined ? [] : isSplit ? splitRows(diff) : unifiedRows(diff),
    [diff, isSplit],
  );
  const shown = useMemo(() => new Set(rows.flatMap(placesOf)), [rows]);
  const byPlace = useMemo(() => Map.groupBy(notes ?? [], ({ place }) => place), [notes]);
  const at = (places: readonly string[]) => {
    const found = places.flatMap((place) => byPlace.get(place) ?? []);
    const isWritten = written !== undefined && places.includes(written);
    if (found.length === 0 && !isWritten) return null;
    return (
      <div class="notes">
        {found.map(({ shown }) => shown)}
        {isWritten && writing?.(path, written, () => write(undefined))}
      </div>
    );
  };
  const draw = useMemo(() => {
    const number = (line: DiffLine | undefined, side: "old" | "new") => {
      const shown = numberOf(line, side);
      if (shown === undefined || writing === undefined) return <span class="no">{shown}</span>;
      const [place] = placesOf({ [line!.type === "deletion" ? "old" : "new"]: line });
      return (
        <button
          type="button"
          class="no"
          tabIndex={-1}
          aria-label={`Comment on ${side} line ${shown}`}
          onClick={() => write(place)}
        >
          {shown}
        </button>
      );
    };
    const half = (line: DiffLine | undefined) => <code class={line?.type ?? "none"}>{lineText(line)}</code>;
    const drawRow = (row: Row) => {
      if ("header" in row) {
        return (
          <div class="row hunk">
            <code>{row.header}</code>
          </div>
        );
      }
      const { old, new: now } = row;
      if (isSplit) {
        return <div class="row split">{number(old, "old")}{half(old)}{number(now, "new")}{half(now)}</div>;
      }
      const { type } = (now ?? old)!;
      return (
        <div class={`row ${type}`}>
          {number(old, "old")}
          {number(now, "new")}
          <span class="mark">{MARKS[type]}</span>
          <code>{lineText(now ?? old)}</code>
        </div>
      );
    };
    return (row: Row, i: number) => <div key={i}>{drawRow(row)}{at(placesOf(row))}</div>;
  }, [rows, notes, writing, written]);
  if (rows.length === 0) return null;
  const others = [...new Set([...byPlace.keys(), written ?? ""])].filter((place) => !shown.has(place));
  return (
    <>
      {at(others)}
      {writing && (
        <Form
          kind="tools"
          action="Comment on the line"
          isQuiet
          onSend={({ side, line }) => write(`${side} ${line}`)}
        >
          <select name="side" aria-label="Side">
            <option value="new">new</option>
            <option value="old">old</option>
          </select>
          <input name="line" type="number" min={1} size={6} aria-label="Line" placeholder="Line" required />
        </Form>
      )}
      <div class="code" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
        <div class="grid">
          <InParts items={rows} draw={draw} />
        </div>
      </div>
    </>
  );
}

const MARKS = { addition: "+", deletion: "−", context: " " };

function lineText(line: DiffLine | undefined): string {
  return line === undefined ? "" : shownLine(line.line.replace(/\r?\n$/, "")) + "\n";
}
