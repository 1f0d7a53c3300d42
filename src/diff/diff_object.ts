/** Parts of a diff as clients see it (2.4), with members in the order of the real service. */
import type { DiffList } from "../ports/workers.ts";

/** Kind of change of a file: the name of its list. */
export type FileKind = DiffList;

/** Sums over a diff. Lines of moved and copied files are not counted. */
export interface DiffStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Changes of a file's content without its hunks, which are written line by line. The type is always `plain`,
 * since existing clients read `hunks` and `eof` whatever the type. Binary files, empty files and files of
 * which only the mode changed have no hunks.
 */
export interface FileContent {
  readonly type: "plain";
  readonly hunks: readonly never[];
  readonly stats: FileStats;
  readonly eof: EndOfFile;
  /** Present when the hunks are omitted because the file or its hunks are too large. */
  readonly truncated?: true;
}

/**
 * Lines added and deleted. As in the real service, the marker "No newline at end of file" is counted on the
 * opposite side: as an addition after a deleted line, as a deletion after an added line.
 */
export interface FileStats {
  readonly additions: number;
  readonly deletions: number;
}

/** Sides whose last line has no newline, if that line is in a hunk. */
export type EndOfFile = "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";
