/** Makes the rows of a diff in one column or in two columns. */
import type {
  CopiedFile,
  Diff,
  DiffBlobs,
  DiffLine,
  FileDiff,
  FileSide,
  ModifiedFile,
} from "../../../src/client/mod.ts";

export interface FileChange {
  readonly kind: "added" | "deleted" | "modified" | "renamed" | "copied";
  /** Path after the change, or before the deletion of a file. */
  readonly path: string;
  /** Path before the change, if it differs from `path`. */
  readonly oldPath?: string;
  /** Changed lines of the file; `undefined` when no line has changed. */
  readonly diff?: FileDiff;
  readonly isBinary: boolean;
  /** File modes before and after the change, if they differ. */
  readonly modes?: readonly [string, string];
}

/** A row: a line before the change, a line after the change, both lines, or the heading of a hunk. */
export type Row =
  | { readonly old?: DiffLine | undefined; readonly new?: DiffLine | undefined }
  | { readonly header: string };

/** A changed file of a diff, whatever the kind of change. */
type ChangedFile = Partial<ModifiedFile & CopiedFile>;

/** Returns all changed files, sorted by path. */
export function fileChanges(
  { added, deleted, modified, moved, copied }: Diff,
  blobs: DiffBlobs,
): readonly FileChange[] {
  const isBinary = (side: FileSide | undefined) => {
    const blob = side && blobs[side.oid];
    return blob?.binary === true && !blob.truncated;
  };
  const changes = (kind: FileChange["kind"], files: readonly ChangedFile[]) =>
    files.map(({ path, newPath, oldPath, diff, old, new: now }): FileChange => ({
      kind,
      path: newPath ?? path ?? "",
      isBinary: diff !== undefined && (isBinary(old) || isBinary(now)),
      ...(oldPath !== undefined && { oldPath }),
      ...(diff && { diff }),
      ...(old && now && old.mode !== now.mode && { modes: [old.mode, now.mode] }),
    }));
  return [
    ...changes("added", added),
    ...changes("deleted", deleted),
    ...changes("modified", modified),
    ...changes("renamed", moved),
    ...changes("copied", copied),
  ].sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/** Returns the rows of a diff in one column. An unchanged line belongs to both sides. */
export function unifiedRows({ hunks }: FileDiff): readonly Row[] {
  return hunks.flatMap(({ header, lines }): readonly Row[] => [
    { header },
    ...lines.map((line) => ({
      ...(line.type !== "addition" && { old: line }),
      ...(line.type !== "deletion" && { new: line }),
    })),
  ]);
}

/** Returns the rows of a diff in two columns. A replaced line and its new line are in one row. */
export function splitRows({ hunks }: FileDiff): readonly Row[] {
  const rows: Row[] = [];
  for (const { header, lines } of hunks) {
    rows.push({ header });
    let old: DiffLine[] = [], now: DiffLine[] = [];
    const flush = () => {
      for (let i = 0; i < Math.max(old.length, now.length); i++) rows.push({ old: old[i], new: now[i] });
      old = [];
      now = [];
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

/**
 * Returns the number of a line before (`old`) or after (`new`) a change; `undefined` when the line is not on
 * that side.
 */
export function numberOf(line: DiffLine | undefined, side: "old" | "new"): number | undefined {
  if (line?.type === "context") return side === "old" ? line.lineNoOld : line.lineNoNew;
  return line?.type === (side === "old" ? "deletion" : "addition") ? line.lineNo : undefined;
}

/**
 * Returns the keys of the lines in a row. Comments on a line have the key of the line. A key consists of a
 * side (`old` for a removed line, otherwise `new`) and the number of the line.
 */
export function placesOf(row: Row): readonly string[] {
  if ("header" in row) return [];
  return [
    ...(row.old?.type === "deletion" ? [`old ${row.old.lineNo}`] : []),
    ...(row.new ? [`new ${numberOf(row.new, "new")}`] : []),
  ];
}
