/** Changes of files as rows: those of a diff in one column, and in two. */
import type { Diff, DiffBlobs, DiffLine, FileDiff, FileSide } from "../client/mod.ts";

/** A file that has changed. */
export interface FileChange {
  readonly kind: "added" | "deleted" | "modified" | "renamed" | "copied";
  /** Path after the change; of a deleted file the one before. */
  readonly path: string;
  /** Path before, where it is another one. */
  readonly oldPath?: string;
  /** Lines; absent where none have changed. */
  readonly diff?: FileDiff;
  readonly isBinary: boolean;
  /** Modes before and after, where they differ. */
  readonly modes?: readonly [string, string];
}

/** A row of a diff: a line, or the head of a hunk. */
export type UnifiedRow = DiffLine | { readonly type: "hunk"; readonly header: string };

/** A row of a diff in two columns; a side without a line is empty there. */
export type SplitRow =
  | { readonly old: DiffLine | undefined; readonly new: DiffLine | undefined }
  | { readonly type: "hunk"; readonly header: string };

/** All changed files in the order of their paths. */
export function fileChanges(diff: Diff, blobs: DiffBlobs): readonly FileChange[] {
  const isBinary = (...sides: readonly (FileSide | undefined)[]) =>
    sides.some((side) =>
      side !== undefined && blobs[side.oid]?.binary === true && !blobs[side.oid]?.truncated
    );
  const modes = (old: FileSide, now: FileSide) =>
    old.mode === now.mode ? {} : { modes: [old.mode, now.mode] as const };
  const moves = [
    ...diff.moved.map((file) => ["renamed", file] as const),
    ...diff.copied.map((file) => ["copied", file] as const),
  ];
  return [
    ...diff.added.map(({ path, diff, new: side }): FileChange => ({
      kind: "added",
      path,
      diff,
      isBinary: isBinary(side),
    })),
    ...diff.deleted.map(({ path, diff, old }): FileChange => ({
      kind: "deleted",
      path,
      diff,
      isBinary: isBinary(old),
    })),
    ...diff.modified.map(({ path, diff, old, new: side }): FileChange => ({
      kind: "modified",
      path,
      diff,
      isBinary: isBinary(old, side),
      ...modes(old, side),
    })),
    ...moves.map(([kind, file]): FileChange => ({
      kind,
      path: file.newPath,
      oldPath: file.oldPath,
      ...("diff" in file
        ? { diff: file.diff, isBinary: isBinary(file.old, file.new), ...modes(file.old, file.new) }
        : { isBinary: false }),
    })),
  ].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** Rows of a diff in one column. */
export function unifiedRows({ hunks }: FileDiff): readonly UnifiedRow[] {
  return hunks.flatMap(({ header, lines }) => [{ type: "hunk", header } as const, ...lines]);
}

/** Rows of a diff in two columns: of lines that were replaced, old and new stand side by side. */
export function splitRows({ hunks }: FileDiff): readonly SplitRow[] {
  const rows: SplitRow[] = [];
  for (const { header, lines } of hunks) {
    rows.push({ type: "hunk", header });
    let old: DiffLine[] = [], now: DiffLine[] = [];
    const flush = () => {
      for (let i = 0; i < Math.max(old.length, now.length); i++) rows.push({ old: old[i], new: now[i] });
      [old, now] = [[], []];
    };
    for (const line of lines) {
      if (line.type === "deletion") {
        if (now.length > 0) flush();
        old.push(line);
      } else if (line.type === "addition") now.push(line);
      else {
        flush();
        rows.push({ old: line, new: line });
      }
    }
    flush();
  }
  return rows;
}

/** Number of a line before a change; `undefined` for one that was added. */
export function oldNumber(line: DiffLine | undefined): number | undefined {
  return line === undefined || line.type === "addition"
    ? undefined
    : line.type === "deletion"
    ? line.lineNo
    : line.lineNoOld;
}

/** Number of a line after a change; `undefined` for one that was removed. */
export function newNumber(line: DiffLine | undefined): number | undefined {
  return line === undefined || line.type === "deletion"
    ? undefined
    : line.type === "addition"
    ? line.lineNo
    : line.lineNoNew;
}
