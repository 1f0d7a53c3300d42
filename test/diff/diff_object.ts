/** The wire form of a diff (2.4), with members in the order of the real service. */
import type { DiffStats, EndOfFile, FileStats } from "../../src/diff/diff_object.ts";
import type { FileSide } from "../../src/diff/tree_comparison.ts";

/** All files that differ between two trees. Each list is in bytewise order of the (new) paths. */
export interface Diff {
  readonly added: readonly AddedFile[];
  readonly deleted: readonly DeletedFile[];
  readonly moved: readonly MovedFile[];
  readonly copied: readonly CopiedFile[];
  readonly modified: readonly ModifiedFile[];
  readonly stats: DiffStats;
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

/** A moved file: with `current` if only its path changed, else with both sides. */
export type MovedFile = MovedUnchangedFile | CopiedFile;

/** A moved file whose content and mode are unchanged. */
export interface MovedUnchangedFile {
  readonly oldPath: string;
  readonly newPath: string;
  readonly current: FileSide;
}

/** A copy of a file that still exists. */
export interface CopiedFile {
  readonly oldPath: string;
  readonly newPath: string;
  readonly old: FileSide;
  readonly new: FileSide;
  readonly diff: FileContent;
}

/**
 * Changes of a file's content. The type is always `plain`, since existing clients read `hunks` and `eof`
 * whatever the type. Binary and empty files, and files with another mode only, have no hunks.
 */
export interface FileContent {
  readonly type: "plain";
  readonly hunks: readonly Hunk[];
  readonly stats: FileStats;
  readonly eof: EndOfFile;
  /** Present when the hunks are omitted because the file or its hunks are too large. */
  readonly truncated?: true;
}

/** A group of changed lines with the unchanged lines around it. */
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
