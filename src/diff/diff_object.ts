/**
 * Parts of a diff in responses (specification, 2.4), with members in the same order as in `radicle-httpd`.
 */
import type { DiffList } from "../ports/workers.ts";

/** Kind of change of a file, which is also the name of the list that contains the file. */
export type FileKind = DiffList;

/** Totals of a diff. Lines of moved and copied files are not counted. */
export interface DiffStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * The changes of the content of a file, without its hunks. Clients expect the type `plain` even for binary
 * files. Binary files, empty files, and changes of only the mode have no hunks.
 */
export interface FileContent {
  readonly type: "plain";
  readonly hunks: readonly never[];
  readonly stats: FileStats;
  readonly eof: EndOfFile;
  /** Present when the hunks are left out, because the file or its hunks are too large. */
  readonly truncated?: true;
}

/**
 * Numbers of added and deleted lines. The marker "No newline at end of file" counts as an addition after a
 * deleted line, and as a deletion after an added line, as in `radicle-httpd`.
 */
export interface FileStats {
  readonly additions: number;
  readonly deletions: number;
}

/** The sides whose last line lacks a newline, if this line is in a hunk. */
export type EndOfFile = "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";
