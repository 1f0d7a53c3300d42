/** Schemas of diffs (specification, 2.4). */
import * as v from "valibot";
import { Count, list, Mark, Oid, table } from "./values.ts";

/** A file on one side of a diff. */
export const FileSide = v.object({
  oid: Oid,
  mode: v.picklist(["blob", "blobExecutable", "link", "commit"]),
});

/** A range of lines. Line numbers start at 1. `start` is inclusive, and `end` is exclusive. */
export const LineRange = v.object({ start: Count, end: Count });

/** A line, including its line feed, unless the file ends without a line feed. */
export const DiffLine = v.variant("type", [
  v.object({ line: v.string(), lineNo: Count, type: v.literal("addition") }),
  v.object({ line: v.string(), lineNo: Count, type: v.literal("deletion") }),
  v.object({ line: v.string(), lineNoOld: Count, lineNoNew: Count, type: v.literal("context") }),
]);

/** Changed lines and the lines around them. */
export const Hunk = v.object({
  header: v.string(),
  lines: list(DiffLine),
  old: LineRange,
  new: LineRange,
});

export const FileDiff = v.object({
  type: v.literal("plain"),
  hunks: list(Hunk),
  stats: v.object({ additions: Count, deletions: Count }),
  eof: v.pipe(
    v.picklist(["noneMissing", "oldMissing", "newMissing", "bothMissing"]),
    v.description("Which side lacks the last line feed."),
  ),
  truncated: Mark,
});

/** A file that only the new tree has. */
export const AddedFile = v.object({ path: v.string(), diff: FileDiff, new: FileSide });
/** A file that only the old tree has. */
export const DeletedFile = v.object({ path: v.string(), diff: FileDiff, old: FileSide });
/** A file with changed content or mode. */
export const ModifiedFile = v.object({ path: v.string(), diff: FileDiff, old: FileSide, new: FileSide });
/** A copied file. The file at the old path still exists. */
export const CopiedFile = v.object({
  oldPath: v.string(),
  newPath: v.string(),
  old: FileSide,
  new: FileSide,
  diff: FileDiff,
});
/** A file that was moved without a change. */
export const RenamedFile = v.object({ oldPath: v.string(), newPath: v.string(), current: FileSide });

export const DiffStats = v.object({ filesChanged: Count, insertions: Count, deletions: Count });

export const Diff = v.object({
  added: list(AddedFile),
  deleted: list(DeletedFile),
  moved: list(v.union([RenamedFile, CopiedFile])),
  copied: list(CopiedFile),
  modified: list(ModifiedFile),
  stats: DiffStats,
});

/** A blob that occurs in a diff. */
export const DiffBlob = v.object({
  id: Oid,
  binary: v.boolean(),
  content: v.pipe(v.string(), v.description("Text when all bytes are UTF-8, else base64.")),
  truncated: Mark,
});

export const DiffBlobs = v.pipe(table(DiffBlob), v.description("Blobs by their object ids."));

export type DiffBlob = v.InferOutput<typeof DiffBlob>;
