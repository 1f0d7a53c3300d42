/** Saves the history of a commit as derived data. */
import type { Task } from "../scheduling/task.ts";
import { toFile, toRoot } from "../derived/derived_files.ts";
import type { RepoId } from "../ids/rid.ts";
import type { DerivedData, DerivedFile, DerivedRoot } from "../ports/derived_data.ts";
import type { CommitGraph } from "./commit_graph.ts";
import {
  blockSizes,
  encodeBlock,
  encodeSummary,
  HISTORY_NAME,
  type HistoryBlock,
  readSummary,
} from "./saved_history.ts";

/** Time before now whose commits are in the summary, in seconds: a year and some days. */
const RECENT_SECONDS = 53 * 7 * 86_400;
/** The beginning of that time moves so far at once, in seconds. Meanwhile the summary stays the same. */
const RECENT_STEP_SECONDS = 7 * 86_400;
/** Rows of a walk in one step. */
const ROWS_AT_ONCE = 1024;

/** Parts of saving. */
export interface SaveHistoryDependencies {
  readonly rid: RepoId;
  readonly graph: CommitGraph;
  /** Row of the commit. */
  readonly tip: number;
  readonly task: Task;
  readonly nowSeconds: number;
  /** Derived data that were saved before. Their blocks are not written again. */
  readonly earlier: DerivedData | undefined;
  /** Replaces the usual sizes of blocks, largest first. */
  readonly blockRows?: readonly number[];
  /** Is given every new file before the files that name it. */
  write(file: DerivedFile): Promise<void>;
}

/** Saves the history of a commit; `undefined` when it is incomplete or too large. */
export async function saveHistory(dependencies: SaveHistoryDependencies): Promise<DerivedRoot | undefined> {
  const { rid, graph, tip, task, nowSeconds, earlier, write } = dependencies;
  await graph.whole();
  const tables = graph.snapshot;
  if (tables === undefined || tables.missing.size > 0) return undefined;
  const { commits, contributors } = await graph.count(tip);
  const rows = new Uint32Array(commits);
  const ageOf = new Uint32Array(graph.commits.size);
  const walk = graph.walk(tip);
  for (let position = 0; position < commits; position++) {
    const row = walk.at(position)!;
    rows[position] = row;
    ageOf[row] = commits - 1 - position;
    if (position % ROWS_AT_ONCE === 0) await task.yield();
  }
  const saved = await readSummary({ rid, derived: earlier });
  const before = new Set(saved?.summary.blocks.map(({ digest }) => digest));
  const blocks: HistoryBlock[] = [];
  let start = 0;
  for (const size of blockSizes(commits, dependencies.blockRows)) {
    const bytes = await encodeBlock(rid, tables, rows.subarray(start, start + size), ageOf, task);
    if (bytes === undefined) return undefined;
    const file = await toFile(bytes);
    if (!before.has(file.digest)) await write(file);
    blocks.push({ digest: file.digest, bytes: bytes.length, rows: size });
    start += size;
  }
  const from = Math.floor((nowSeconds - RECENT_SECONDS) / RECENT_STEP_SECONDS) * RECENT_STEP_SECONDS;
  const times = await graph.timesAfter(tip, from, task);
  const summary = { tip: graph.commits.oidOf(tip), commits, contributors, recent: { from, times }, blocks };
  const file = await toFile(await encodeSummary(rid, summary));
  await write(file);
  return toRoot(HISTORY_NAME, file, blocks);
}
