/** JSON of a folder (specification, 2.6). */
import type { Commit as CommitView } from "../contract/commits.ts";
import type { HistoryStats } from "../git/branches.ts";
import { compareNames, entryKind, TreeCursor } from "../git/tree.ts";
import { jsonSlices } from "../text/json_slices.ts";
import { sortInSteps } from "../scheduling/sort_in_steps.ts";
import type { Task } from "../scheduling/task.ts";

/** Kind of a tree entry. Symbolic links are blobs. */
export type TreeEntryKind = "tree" | "blob" | "submodule";

/** Minimum length of a piece of JSON text, in UTF-16 units. Entries are joined up to this length. */
const PIECE_LENGTH = 2 ** 15;
/** Number of entries that are processed between two checks of the clock. */
const ENTRIES_PER_STEP = 1024;

/**
 * Yields the JSON text of a folder in pieces. For each entry, only the position in the bytes of the tree is
 * in memory.
 *
 * @param path Path of the folder as the client has requested it; empty for the root.
 * @param parts The statistics, if the response shows statistics, and whether entries have object ids. The id
 * of a submodule is the commit to which it points.
 * @throws {DamagedError} when the bytes are not a valid tree.
 */
export async function* treePieces(
  tree: Uint8Array,
  path: string,
  lastCommit: CommitView,
  { stats, withOids }: { readonly stats: HistoryStats | undefined; readonly withOids: boolean },
  task: Task,
): AsyncGenerator<string> {
  const places: Record<"folders" | "files", number[]> = { folders: [], files: [] };
  let seen = 0;
  const cursor = new TreeCursor(tree);
  for (; !cursor.isDone; cursor.next()) {
    places[toKind(cursor.mode) === "blob" ? "files" : "folders"].push(cursor.start);
    if (++seen % ENTRIES_PER_STEP === 0) await task.yield();
  }
  const byName = (a: number, b: number) => compareNames(tree, a, b);
  const folder = JSON.stringify(path === "" || path.endsWith("/") ? path : `${path}/`).slice(0, -1);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = `{"entries":[`;
  let separator = "";
  for (const group of [places.folders, places.files]) {
    for (const place of await task.run(sortInSteps(group, byName))) {
      cursor.moveTo(place);
      const nameText = JSON.stringify(decoder.decode(tree.subarray(cursor.nameStart, cursor.nameEnd)));
      const oid = withOids ? `"oid":"${cursor.oid}",` : "";
      text += `${separator}{"path":${folder}${nameText.slice(1)},${oid}"name":${nameText},"kind":"${
        toKind(cursor.mode)
      }"}`;
      separator = ",";
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = "";
    }
  }
  const name = path.slice(path.lastIndexOf("/") + 1);
  const end = stats === undefined ? "}" : `,"stats":${JSON.stringify(stats)}}`;
  const rest = `,"name":${JSON.stringify(name)},"path":${JSON.stringify(path)}${end}`;
  yield* jsonSlices(lastCommit, `${text}],"lastCommit":`, rest);
}

function toKind(mode: number): TreeEntryKind {
  const kind = entryKind(mode);
  return kind === "tree" ? "tree" : kind === "commit" ? "submodule" : "blob";
}
