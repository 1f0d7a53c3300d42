/** What changed in one file. */
import { type BlobContents, isBinary } from "./blob_contents.ts";
import type { FileContent } from "./diff_object.ts";
import { NO_CONTENT, toFileContent } from "./hunks.ts";
import { compareLines } from "./line_diff.ts";
import { splitLines } from "./lines.ts";
import type { FileSide } from "./tree_comparison.ts";

const NO_BYTES = new Uint8Array();

const encoder = new TextEncoder();

/** What changed between two sides, of which one may be absent; `undefined` when only libgit2 can tell. Binary files have no content. */
export function compareSides(
  old: FileSide | undefined,
  now: FileSide | undefined,
  contents: BlobContents,
): FileContent | undefined {
  if (old?.oid === now?.oid) return NO_CONTENT;
  const [oldBytes, newBytes] = [bytesOf(old, contents), bytesOf(now, contents)];
  if (oldBytes === undefined || newBytes === undefined || isBinary(oldBytes) || isBinary(newBytes)) {
    return NO_CONTENT;
  }
  const texts = splitLines(oldBytes, newBytes);
  const marks = compareLines(texts);
  return marks && toFileContent(texts, marks);
}

/** The text of a side; of a submodule, a line that names its commit. `undefined` when it is not looked into. */
function bytesOf(side: FileSide | undefined, contents: BlobContents): Uint8Array | undefined {
  if (side === undefined) return NO_BYTES;
  return side.mode === "commit" ? encoder.encode(`Subproject commit ${side.oid}\n`) : contents.get(side.oid);
}
