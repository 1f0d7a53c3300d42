/**
 * Writes git's commit-graph file (gitformat-commit-graph). The file has the ids, trees, parents, times and
 * levels of commits. The optional parts of the format are left out: corrected commit dates, and filters for
 * paths.
 */
import { viewOf } from "../bytes/bytes.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Task } from "../scheduling/task.ts";
import { CommitColumns } from "./commit_columns.ts";
import {
  Chunk,
  CHUNK_ENTRY_BYTES,
  COMMIT_BYTES,
  EDGE_BYTES,
  FANOUT_BYTES,
  HEADER_BYTES,
  HEADER_START,
  MARK,
  NO_PARENT,
  TIME_LIMIT_SECONDS,
} from "./commit_graph_file.ts";

/** Number of rows that are written in one step, which takes less than a millisecond. */
const ROWS_AT_ONCE = 2048;

/** A commit-graph file. */
export interface WrittenGraph {
  /** The checksum at the end of the file, by which git names the file. */
  readonly name: Oid;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Encodes a commit graph. Returns `undefined` when a commit has a time that git cannot store.
 *
 * @param columns Commits with all their ancestors, in ascending order of their ids.
 */
export async function encodeCommitGraph(
  columns: HistoryColumns,
  task: Task,
): Promise<WrittenGraph | undefined> {
  const { times, parentEnds } = columns;
  const commits = times.length;
  if (times.some((time) => !(time > 0 && time < TIME_LIMIT_SECONDS))) return undefined;
  let edges = 0;
  for (let row = 0; row < commits; row++) {
    const parents = parentEnds[row]! - startOf(parentEnds, row);
    if (parents > 2) edges += parents - 1;
  }
  const chunks: readonly (readonly [id: number, length: number])[] = [
    [Chunk.fanout, FANOUT_BYTES],
    [Chunk.oids, commits * OID_BYTES],
    [Chunk.commits, commits * COMMIT_BYTES],
    ...edges > 0 ? [[Chunk.edges, edges * EDGE_BYTES] as const] : [],
  ];
  const tableEnd = HEADER_BYTES + (chunks.length + 1) * CHUNK_ENTRY_BYTES;
  const end = chunks.reduce((sum, [, length]) => sum + length, tableEnd);
  const bytes = new Uint8Array(end + OID_BYTES);
  const view = viewOf(bytes);
  bytes.set([...HEADER_START, chunks.length, 0]);
  const places = new Map<number, number>();
  let at = tableEnd;
  for (const [i, [id, length]] of [...chunks, [0, 0] as const].entries()) {
    view.setUint32(HEADER_BYTES + i * CHUNK_ENTRY_BYTES, id);
    view.setUint32(HEADER_BYTES + i * CHUNK_ENTRY_BYTES + 8, at);
    places.set(id, at);
    at += length;
  }
  writeFanout(view, places.get(Chunk.fanout)!, columns.oids);
  bytes.set(columns.oids, places.get(Chunk.oids)!);
  await writeCommits(view, places.get(Chunk.commits)!, places.get(Chunk.edges) ?? end, columns, task);
  const checksum = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes.subarray(0, end)));
  bytes.set(checksum, end);
  return { name: oidFromBytes(checksum), bytes };
}

/** Writes for each first byte of an id how many ids there are up to this byte. */
function writeFanout(view: DataView, at: number, oids: Uint8Array): void {
  const sums = new Uint32Array(256);
  for (let i = 0; i < oids.length; i += OID_BYTES) sums[oids[i]!]!++;
  for (let byte = 0; byte < 256; byte++) {
    sums[byte]! += byte === 0 ? 0 : sums[byte - 1]!;
    view.setUint32(at + 4 * byte, sums[byte]!);
  }
}

async function writeCommits(
  view: DataView,
  commitsAt: number,
  edgesAt: number,
  columns: HistoryColumns,
  task: Task,
): Promise<void> {
  const { times, trees, parents, parentEnds } = columns;
  const levels = await levelsOf(columns, task);
  let edge = 0;
  for (let row = 0; row < times.length; row++) {
    if (row % ROWS_AT_ONCE === 0) await task.yield();
    const at = commitsAt + row * COMMIT_BYTES;
    for (let byte = 0; byte < OID_BYTES; byte++) view.setUint8(at + byte, trees[row * OID_BYTES + byte]!);
    const own = parents.subarray(startOf(parentEnds, row), parentEnds[row]!);
    view.setUint32(at + OID_BYTES, own[0] ?? NO_PARENT);
    view.setUint32(at + OID_BYTES + 4, own.length > 2 ? MARK + edge : own[1] ?? NO_PARENT);
    for (let i = 1; own.length > 2 && i < own.length; i++) {
      const mark = i === own.length - 1 ? MARK : 0;
      view.setUint32(edgesAt + EDGE_BYTES * edge++, own[i]! + mark);
    }
    const time = times[row]!;
    view.setUint32(at + OID_BYTES + 8, levels[row]! * 4 + Math.floor(time / 2 ** 32));
    view.setUint32(at + OID_BYTES + 12, time % 2 ** 32);
  }
}

/**
 * Returns the level of each commit: the number of commits on the longest path to a commit without parents.
 */
async function levelsOf(columns: HistoryColumns, task: Task): Promise<Uint32Array> {
  const commits = new CommitColumns();
  await commits.append(columns, task);
  const levels = new Uint32Array(commits.size);
  for (const [i, row] of (await commits.order(task)).entries()) {
    let highest = 0;
    for (const parent of commits.readableParentsOf(row)) highest = Math.max(highest, levels[parent]!);
    levels[row] = highest + 1;
    if (i % ROWS_AT_ONCE === 0) await task.yield();
  }
  return levels;
}

function startOf(ends: Uint32Array, row: number): number {
  return row === 0 ? 0 : ends[row - 1]!;
}
