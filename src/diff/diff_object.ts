/** Parts of a diff as clients see it (2.4), with members in the order of the real service. */
import type { DiffList } from "../ports/workers.ts";

/** Kind of change of a file, which is the name of its list. */
export type FileKind = DiffList;

/** Sums over a diff. Lines of moved and copied files are not counted. */
export interface DiffStats {
  readonly filesChanged: number;
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Changes of a file's content without its hunks, which are written line by line. The type is
 * always `plain`, since existing clients read `hunks` and `eof` whatever the type. Binary and empty files,
 * and files with another mode only, have no hunks.
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
 * Lines added and deleted. As in the real service, the marker "No newline at end of file" counts, too, on the
 * opposite side: after a deleted line as an addition, after an added line as a deletion.
 */
export interface FileStats {
  readonly additions: number;
  readonly deletions: number;
}

/** Sides whose last line has no newline, if that line is in a hunk. */
export type EndOfFile = "noneMissing" | "oldMissing" | "newMissing" | "bothMissing";
