/** A folder as clients of today's service see it: entries have object ids, and there are no statistics. */
import type { Commit as CommitView } from "../../contract/commits.ts";
import { folderPieces } from "../tree.ts";

/**
 * The JSON of a folder in pieces.
 *
 * @throws {DamagedError} when the bytes are not a valid tree.
 */
export function todayTreePieces(
  tree: Uint8Array,
  path: string,
  lastCommit: CommitView,
): AsyncGenerator<string> {
  return folderPieces(tree, path, lastCommit, { withOids: true, end: "}" });
}
