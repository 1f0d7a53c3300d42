/** The diff object as clients see it (2.4), members in the order in which the real service writes them. */
import type { DiffList } from "../ports/workers.ts";
import type { FileSide } from "./tree_comparison.ts";

/** All files that differ between two trees. Each list is in the order of the bytes of its (new) paths. */
export interface Diff {
  readonly added: readonly AddedFile[];
  readonly deleted: readonly DeletedFile[];
  readonly moved: readonly MovedFile[];
  readonly copied: readonly CopiedFile[];
  readonly modified: readonly ModifiedFile[];
  readonly stats: DiffStats;
}

/** Kind of change of a file: the name of its list. */
export type FileKind = DiffList;

/** A file in any of the lists. */
export type DiffFile = AddedFile | DeletedFile | ModifiedFile | MovedFile | CopiedFile;

/** Sums over a diff: all files count, but of the lines only those in added, deleted and modified ones. */
export interface DiffStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/** A file that only the new tree has. */
export interface AddedFile {
  readonly path: string;
  readonly diff: FileContent;
  readonly new: FileSide;
}

/** A file that only the old tree has. */
export interface DeletedFile {
  readonly path: string;
  readonly diff: FileContent;
  readonly old: FileSide;
}

/** A file whose content or mode changed. */
export interface ModifiedFile {
  readonly path: string;
  readonly diff: FileContent;
  readonly old: FileSide;
  readonly new: FileSide;
}

/** A file under a new path: with `current` when nothing else changed, else with both sides. */
export type MovedFile = MovedUnchangedFile | CopiedFile;

/** A file of which only the path changed. */
export interface MovedUnchangedFile {
  readonly oldPath: string;
  readonly newPath: string;
  readonly current: FileSide;
}

/** A file made from another one that is still there. */
export interface CopiedFile {
  readonly oldPath: string;
  readonly newPath: string;
  readonly old: FileSide;
  readonly new: FileSide;
  readonly diff: FileContent;
}

/**
 * How a file's content changed. Always `plain`: binary files, empty ones and those of which only the mode
 * changed have no hunks. Clients of the time read `hunks` and `eof` whatever the type.
 */
export interface FileContent {
  readonly type: "plain";
  readonly hunks: readonly Hunk[];
  readonly stats: FileStats;
  readonly eof: EndOfFile;
  /** Present when hunks are left out because the file, or what would be shown of it, is too large. */
  readonly truncated?: true;
}

/**
 * Lines added and deleted. As in the real service, the marker "No newline at end of file" counts, too, on the
 * opposite side: after a deleted line as an addition, after an added line as a deletion.
 */
export interface FileStats {
  readonly additions: number;
  readonly deletions: number;
}

/** Which sides lack the newline after the last line, as far as that line is in a hunk. */
export type EndOfFile = "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";

/** A run of changed lines with those around it. */
export interface Hunk {
  /** `@@ -1,2 +1,3 @@ function\n`. */
  readonly header: string;
  readonly lines: readonly DiffLine[];
  readonly old: LineRange;
  readonly new: LineRange;
}

/** Lines from `start` (the first is 1) to before `end`. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A line with its newline, unless the file ends without one. */
export type DiffLine =
  | { readonly line: string; readonly lineNo: number; readonly type: "addition" | "deletion" }
  | {
    readonly line: string;
    readonly lineNoOld: number;
    readonly lineNoNew: number;
    readonly type: "context";
  };
