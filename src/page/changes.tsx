/** Changed files: a list of them, and the lines of each, in one column or two. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Diff, DiffBlobs, DiffLine } from "../client/mod.ts";
import {
  type FileChange,
  fileChanges,
  newNumber,
  oldNumber,
  type SplitRow,
  splitRows,
  type UnifiedRow,
  unifiedRows,
} from "./change_rows.ts";
import { Badge, counted, Empty, InParts } from "./parts.tsx";
import { atPath } from "./places.ts";

/** Rows above which a file is folded until somebody opens it. */
const FOLDED_ROWS = 600;
/** Rows of all files together above which further files are folded. */
const OPEN_ROWS = 3000;
/** Key under which the visitor's choice of columns is stored. */
const CHOICE = "xylem columns";

/** Notes at lines of a file, by `new 12` and `old 12`. */
export type LineNotes = ReadonlyMap<string, readonly ComponentChildren[]>;

/** Adds to the lines of a file. */
export interface LineWriting {
  /** Draws a form at a line, or nothing. */
  readonly form: (path: string, side: "old" | "new", line: number, close: () => void) => ComponentChildren;
}

/** All changed files of a commit or a comparison. */
export function Changes(
  { rid, diff, blobs, oldRevision, newRevision, notes, writing }: {
    readonly rid: string;
    readonly diff: Diff;
    readonly blobs: DiffBlobs;
    /** Commits before and after, for links to the files. */
    readonly oldRevision: string | undefined;
    readonly newRevision: string;
    /** Notes by the paths of files. */
    readonly notes?: ReadonlyMap<string, LineNotes>;
    readonly writing?: LineWriting | undefined;
  },
): JSX.Element {
  const files = useMemo(() => fileChanges(diff, blobs), [diff]);
  const [isSplit, setSplit] = useState(() => sessionStorage.getItem(CHOICE) === "split");
  const open = useMemo(() => openFiles(files), [files]);
  const { filesChanged, insertions, deletions } = diff.stats;
  const choose = (split: boolean) => {
    sessionStorage.setItem(CHOICE, split ? "split" : "unified");
    setSplit(split);
  };
  const draw = useMemo(() => (start: number, end: number) => (
    <>
      {files.slice(start, end).map((file, i) => (
        <File
          key={file.path}
          index={start + i}
          file={file}
          isOpen={open[start + i]!}
          isSplit={isSplit}
          href={atPath(
            rid,
            "blob",
            file.kind === "deleted" ? oldRevision ?? newRevision : newRevision,
            file.path,
          )}
          notes={notes?.get(file.path)}
          writing={writing}
        />
      ))}
    </>
  ), [files, isSplit, notes, writing]);
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
      <InParts count={files.length} size={2} draw={draw} />
    </section>
  );
}

/** Which files are open: the first ones, as long as they are short. */
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
  const draw = useMemo(() => (start: number, end: number) => (
    <ul class="plain">
      {files.slice(start, end).map(({ kind, path, oldPath, diff }, i) => (
        <li key={path}>
          <button type="button" class="link" onClick={() => showFile(start + i)}>
            {oldPath !== undefined && `${oldPath} → `}
            {path}
          </button>{" "}
          {kind !== "modified" && <Badge kind={kind}>{kind}</Badge>}
          {diff && <Stats additions={diff.stats.additions} deletions={diff.stats.deletions} />}
        </li>
      ))}
    </ul>
  ), [files]);
  return (
    <details class="list" open={files.length <= 20}>
      <summary>Files</summary>
      <InParts count={files.length} draw={draw} />
    </details>
  );
}

/** Opens a file and goes to it. */
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

function File(
  { index, file, isOpen, isSplit, href, notes, writing }: {
    readonly index: number;
    readonly file: FileChange;
    readonly isOpen: boolean;
    readonly isSplit: boolean;
    readonly href: string;
    readonly notes: LineNotes | undefined;
    readonly writing: LineWriting | undefined;
  },
): JSX.Element {
  const { kind, path, oldPath, diff, isBinary, modes } = file;
  const [isDrawn, setDrawn] = useState(isOpen);
  return (
    <details
      class="box file"
      id={`file-${index}`}
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setDrawn(true)}
    >
      <summary>
        <span class="path">{oldPath !== undefined && `${oldPath} → `}{path}</span>
        {kind !== "modified" && <Badge kind={kind}>{kind}</Badge>}
        {modes && <Badge>{modes.join(" → ")}</Badge>}
        {diff && !isBinary && <Stats additions={diff.stats.additions} deletions={diff.stats.deletions} />}
      </summary>
      <p class="tools">
        <a href={href}>Whole file</a>
      </p>
      {isDrawn && <Rows file={file} isSplit={isSplit} notes={notes} writing={writing} />}
      {isBinary && <Empty>The file is no text.</Empty>}
      {!isBinary && diff?.hunks.length === 0 && !diff.truncated && <Empty>No line has changed.</Empty>}
      {diff === undefined && <Empty>Its content is the same.</Empty>}
      {diff?.truncated && <Empty>The change is too large: only a part of it is shown.</Empty>}
    </details>
  );
}

function Rows(
  { file: { path, diff }, isSplit, notes, writing }: {
    readonly file: FileChange;
    readonly isSplit: boolean;
    readonly notes: LineNotes | undefined;
    readonly writing: LineWriting | undefined;
  },
): JSX.Element | null {
  const [writes, setWrites] = useState<{ readonly side: "old" | "new"; readonly line: number }>();
  const rows = useMemo(() => diff === undefined ? [] : isSplit ? splitRows(diff) : unifiedRows(diff), [
    diff,
    isSplit,
  ]);
  const draw = useMemo(() => {
    const below = (old: number | undefined, now: number | undefined) => {
      const found = [
        ...(old === undefined ? [] : notes?.get(`old ${old}`) ?? []),
        ...(now === undefined ? [] : notes?.get(`new ${now}`) ?? []),
      ];
      const isHere = writes !== undefined && (writes.side === "old" ? old : now) === writes.line;
      if (found.length === 0 && !isHere) return null;
      return (
        <div class="notes">
          {found}
          {isHere && writing?.form(path, writes.side, writes.line, () => setWrites(undefined))}
        </div>
      );
    };
    const number = (side: "old" | "new", line: number | undefined) =>
      line === undefined || writing === undefined ? <span class="no">{line}</span> : (
        <button
          type="button"
          class="no"
          tabIndex={-1}
          aria-label={`Comment on ${side} line ${line}`}
          onClick={() => setWrites({ side, line })}
        >
          {line}
        </button>
      );
    const hunk = (header: string, key: number) => (
      <div class="row hunk" key={key}>
        <code>{header}</code>
      </div>
    );
    return (start: number, end: number) => (
      <>
        {rows.slice(start, end).map((row, i) => {
          if ("header" in row) return hunk(row.header, i);
          if ("type" in row) {
            const line = row as Exclude<UnifiedRow, { type: "hunk" }>;
            const [old, now] = [oldNumber(line), newNumber(line)];
            return (
              <div key={i}>
                <div class={`row ${line.type}`}>
                  {number("old", old)}
                  {number("new", now)}
                  <span class="mark">{MARKS[line.type]}</span>
                  <code>{lineText(line)}</code>
                </div>
                {below(
                  line.type === "deletion" ? old : undefined,
                  line.type === "deletion" ? undefined : now,
                )}
              </div>
            );
          }
          const { old, new: now } = row as Exclude<SplitRow, { type: "hunk" }>;
          return (
            <div key={i}>
              <div class="row split">
                {number("old", oldNumber(old))}
                <code class={old?.type ?? "none"}>{old && lineText(old)}</code>
                {number("new", newNumber(now))}
                <code class={now?.type ?? "none"}>{now && lineText(now)}</code>
              </div>
              {below(old?.type === "deletion" ? oldNumber(old) : undefined, newNumber(now))}
            </div>
          );
        })}
      </>
    );
  }, [rows, notes, writing, writes]);
  const shown = useMemo(() => notes === undefined && !writing ? new Set<string>() : linesIn(rows), [
    rows,
    notes,
  ]);
  const unplaced = [...notes ?? []].filter(([place]) => !shown.has(place)).flatMap(([, found]) => [...found]);
  if (writes !== undefined && !shown.has(`${writes.side} ${writes.line}`)) {
    unplaced.push(writing?.form(path, writes.side, writes.line, () => setWrites(undefined)));
  }
  if (rows.length === 0) return null;
  return (
    <>
      {unplaced.length > 0 && <div class="notes">{unplaced}</div>}
      {writing && <LineChoice onChoose={(side, line) => setWrites({ side, line })} />}
      <div class="code" tabIndex={0} role="region" aria-label={`Changes of ${path}`}>
        <div class="grid">
          <InParts count={rows.length} draw={draw} />
        </div>
      </div>
    </>
  );
}

/** Chooses the line of a comment by keys. */
function LineChoice(
  { onChoose }: { readonly onChoose: (side: "old" | "new", line: number) => void },
): JSX.Element {
  return (
    <form
      class="tools"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const line = Number(form.get("line"));
        if (line > 0) onChoose(form.get("side") === "old" ? "old" : "new", line);
      }}
    >
      <select name="side" aria-label="Side">
        <option value="new">new</option>
        <option value="old">old</option>
      </select>
      <input name="line" type="number" min={1} size={6} aria-label="Line" placeholder="Line" required />
      <button type="submit" class="quiet">Comment on the line</button>
    </form>
  );
}

/** Lines that a diff shows, as keys of notes: removed ones by their old number, all others by the new one. */
function linesIn(rows: readonly (UnifiedRow | SplitRow)[]): ReadonlySet<string> {
  const lines = new Set<string>();
  for (const row of rows) {
    if ("header" in row) continue;
    const [old, now] = "type" in row ? [row as DiffLine, row as DiffLine] : [row.old, row.new];
    if (old?.type === "deletion") lines.add(`old ${oldNumber(old)}`);
    if (now !== undefined) lines.add(`new ${newNumber(now)}`);
  }
  return lines;
}

const MARKS = { addition: "+", deletion: "−", context: " " };

function lineText({ line }: DiffLine): string {
  return line.replace(/\r?\n$/, "") + "\n";
}
