/**
 * The history of a commit as derived data: a summary with the number of commits and their times, and blocks
 * of rows of the commit graph. The rows are in the order of history. Blocks are counted from the oldest
 * commit, and a parent is stored as its age (the number of older commits), so that new commits leave most
 * blocks unchanged.
 */
import * as v from "valibot";
import { compressed, decompressedJson } from "../bytes/compressed.ts";
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Task } from "../scheduling/task.ts";
import { addColumns, type CommitTables, selectColumns } from "./commit_tables.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import { decodeColumns, encodeColumns } from "./saved_index.ts";
import { readFile } from "../derived/derived_files.ts";
import { DamagedError } from "../errors.ts";
import type { DerivedData } from "../ports/derived_data.ts";
import type { Repository } from "../ports/storage.ts";

/** Version of the format. Increase it when the meaning of any byte changes. */
const HISTORY_VERSION = 1;
/** Name of the file with the summary. */
export const HISTORY_NAME = `history-${HISTORY_VERSION}`;

/**
 * Block sizes, in rows. From the oldest commit on, a history has as many blocks of the first size as
 * possible, then one block whose size is a multiple of the second size, then one block with the rest. The
 * last block is small, so that new commits change only few bytes of the derived data.
 */
export const BLOCK_ROWS: readonly number[] = [131_072, 4096];
/** Maximum number of commit times in a summary. If there are more, the summary contains no times. */
const MAX_TIMES = 65_536;
/** Maximum size of a summary, in bytes of uncompressed JSON. */
export const MAX_SUMMARY_BYTES = 2 ** 21;
/** Maximum size of a block, in bytes. */
export const MAX_BLOCK_BYTES = 2 ** 25;
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const Summary = v.strictObject({
  version: v.literal(HISTORY_VERSION),
  rid: v.string(),
  tip: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/), v.transform((text) => text as Oid)),
  commits: Count,
  contributors: Count,
  /** `times` contains the commit times after this second. */
  from: v.pipe(v.number(), v.integer()),
  /** Commit times as differences to the previous time. Absent when there are too many times. */
  times: v.optional(v.array(v.pipe(v.number(), v.integer()))),
  blocks: v.array(
    v.strictObject({ digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)), bytes: Count, rows: Count }),
  ),
});

export interface HistoryBlock {
  readonly digest: string;
  readonly bytes: number;
  readonly rows: number;
}

/** The summary of the history of a commit. */
export interface HistorySummary {
  readonly tip: Oid;
  readonly commits: number;
  /** Number of different authors. */
  readonly contributors: number;
  /**
   * Commit times after the second `from`, in the order of history; `undefined` when there are too many times.
   */
  readonly recent: { readonly from: number; readonly times: readonly number[] } | undefined;
  /** The blocks, the newest block first. */
  readonly blocks: readonly HistoryBlock[];
}

export async function encodeSummary(
  rid: RepoId,
  { recent, ...summary }: HistorySummary,
): Promise<Uint8Array<ArrayBuffer>> {
  const times = recent !== undefined && recent.times.length <= MAX_TIMES ? recent.times : undefined;
  const steps = times?.map((time, i) => time - (times[i - 1] ?? 0));
  const value = { version: HISTORY_VERSION, rid, ...summary, from: recent?.from ?? 0, times: steps };
  return await compressed(new TextEncoder().encode(JSON.stringify(value)));
}

/** Decodes a summary. Returns `undefined` when the bytes are not a summary of this repository and version. */
export async function decodeSummary(rid: RepoId, packed: Uint8Array): Promise<HistorySummary | undefined> {
  const value = await decompressedJson(packed, MAX_SUMMARY_BYTES);
  const result = v.safeParse(Summary, value, { abortEarly: true });
  if (!result.success) return undefined;
  const { version: _, rid: ofRid, from, times: steps, ...summary } = result.output;
  const rows = summary.blocks.reduce((sum, block) => sum + block.rows, 0);
  if (ofRid !== rid || rows !== summary.commits || rows === 0) return undefined;
  let time = 0;
  const times = steps?.map((step) => time += step);
  return { ...summary, recent: times && { from, times } };
}

/**
 * Returns the sizes of the blocks of a history in rows, the newest block first.
 *
 * @param blockRows Sizes that replace {@link BLOCK_ROWS}.
 */
export function blockSizes(commits: number, blockRows = BLOCK_ROWS): readonly number[] {
  const sizes: number[] = [];
  const [most = Infinity, ...smaller] = blockRows;
  let left = commits;
  for (; left >= most; left -= most) sizes.unshift(most);
  for (const rows of [...smaller, 1]) {
    const size = left - left % rows;
    if (size > 0) sizes.unshift(size);
    left -= size;
  }
  return sizes;
}

/**
 * Encodes a block. Returns `undefined` when the block is too large.
 *
 * @param rows Rows of the commit graph in the order of history.
 * @param ageOf Age of each row of the graph: the number of commits that follow it in the order of history.
 */
export async function encodeBlock(
  rid: RepoId,
  tables: CommitTables,
  rows: Uint32Array,
  ageOf: Uint32Array,
  task: Task,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = await encodeColumns(rid, await selectColumns(tables, rows, ageOf, task));
  return bytes && bytes.length <= MAX_BLOCK_BYTES ? bytes : undefined;
}

/**
 * Decodes a block. Returns `undefined` when the bytes are not a block of this repository and version, or when
 * the block does not have the number of rows that the summary states. In the result, each parent is given by
 * its age, as in {@link encodeBlock}.
 *
 * @param commits Number of commits in the history.
 */
export async function decodeBlock(
  rid: RepoId,
  bytes: Uint8Array,
  { rows }: HistoryBlock,
  commits: number,
  task: Task,
): Promise<HistoryColumns | undefined> {
  const columns = await decodeColumns(rid, bytes, task, commits);
  return columns?.times.length === rows ? columns : undefined;
}

const BLOCKS_AT_ONCE = 8;

type Source = Pick<Repository, "rid"> & { readonly derived?: DerivedData | undefined };

/**
 * Reads the summary of a saved history; `undefined` when there is no saved history.
 *
 * @param isWanted Returns whether the summary with a digest may be used.
 */
export async function readSummary(
  { rid, derived }: Source,
  isWanted: (digest: string) => boolean = () => true,
): Promise<{ readonly summary: HistorySummary; readonly digest: string } | undefined> {
  try {
    const digest = await derived?.named(HISTORY_NAME);
    if (derived === undefined || digest === undefined || !isWanted(digest)) return undefined;
    const bytes = await readFile(derived, digest, MAX_SUMMARY_BYTES);
    const summary = bytes && await decodeSummary(rid, bytes);
    return summary && { summary, digest };
  } catch {
    return undefined;
  }
}

/**
 * Loads the blocks of a saved history in order, newest commits first, into the tables of a commit graph. The
 * row of a commit is its position in the history.
 */
export class HistoryReader {
  readonly summary: HistorySummary;
  /** Digest of the summary. */
  readonly digest: string;
  #blocks = 0;
  /** All rows below this number are loaded, with their parents. */
  #readyRows = 0;

  constructor({ summary, digest }: { readonly summary: HistorySummary; readonly digest: string }) {
    this.summary = summary;
    this.digest = digest;
  }

  /** Returns whether the derived data has a newer saved history. */
  async isReplaced({ derived }: Source): Promise<boolean> {
    const digest = await derived?.named(HISTORY_NAME);
    return digest !== undefined && digest !== this.digest;
  }

  /** Whether all blocks are loaded. */
  get isWhole(): boolean {
    return this.#blocks === this.summary.blocks.length;
  }

  /** Returns whether the first `rows` rows are loaded, with their parents. */
  has(rows: number): boolean {
    return this.isWhole || rows <= this.#readyRows;
  }

  /**
   * Loads blocks until {@link has} returns `true`. Calls must not overlap.
   *
   * @throws {DamagedError} when a block is missing or malformed.
   */
  async load(source: Source, tables: CommitTables, rows: number, task: Task): Promise<void> {
    while (!this.has(rows)) {
      // The number of blocks in a read doubles the number of loaded blocks, because a caller that has needed
      // many blocks will probably need more.
      const wanted = rows >= this.summary.commits
        ? BLOCKS_AT_ONCE
        : Math.min(Math.max(this.#blocks, 1), BLOCKS_AT_ONCE);
      const blocks = this.summary.blocks.slice(this.#blocks, this.#blocks + wanted);
      const columns = await Promise.all(blocks.map((block) => this.#read(source, block, task)));
      for (const one of columns) await this.#append(tables, one, task);
    }
  }

  async #read({ rid, derived }: Source, block: HistoryBlock, task: Task): Promise<HistoryColumns> {
    const bytes = derived && await readFile(derived, block.digest, MAX_BLOCK_BYTES);
    const columns = bytes && await decodeBlock(rid, bytes, block, this.summary.commits, task);
    if (columns === undefined) throw new DamagedError("A block of a saved history cannot be read");
    return columns;
  }

  async #append(tables: CommitTables, columns: HistoryColumns, task: Task): Promise<void> {
    const last = this.summary.commits - 1;
    const parents = columns.parents.map((age) => last - age);
    await addColumns(tables, { ...columns, parents }, task);
    const { commits } = tables;
    const isReady = (row: number) => commits.readableParentsOf(row).length === commits.parentCount(row);
    while (this.#readyRows < commits.size && isReady(this.#readyRows)) this.#readyRows++;
    this.#blocks++;
  }
}
