/** Parts of a diff in responses (2.4), with members in the same order as in `radicle-httpd`. */
import type { DiffList } from "../ports/workers.ts";

/** Kind of the change of a file. It is the name of the list that contains the file. */
export type FileKind = DiffList;

/** Totals of a diff. Lines of moved and copied files are not counted. */
export interface DiffStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * The changes of the content of a file, without its hunks, which are written line by line. The type is always
 * `plain`, because existing clients read `hunks` and `eof` whatever the type is. There are no hunks for
 * binary files, empty files, and changes of the mode alone.
 */
export interface FileContent {
  readonly type: "plain";
  readonly hunks: readonly never[];
  readonly stats: FileStats;
  readonly eof: EndOfFile;
  /** Present when the hunks are omitted, because the file or its hunks are too large. */
  readonly truncated?: true;
}

/**
 * Numbers of added and deleted lines. As in `radicle-httpd`, the marker "No newline at end of file" is
 * counted on the opposite side: as an addition after a deleted line, and as a deletion after an added line.
 */
export interface FileStats {
  readonly additions: number;
  readonly deletions: number;
}

/** The sides whose last line lacks a newline, if this line is in a hunk. */
export type EndOfFile = "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";
