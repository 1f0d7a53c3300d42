/** Reads a saved history block by block into the tables of a commit graph, newest commits first. */
import type { Task } from "../scheduling/task.ts";
import { readFile } from "../derived/derived_files.ts";
import { DamagedError } from "../errors.ts";
import { OID_BYTES } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { ABSENT } from "./commit_columns.ts";
import type { IndexTables } from "./commit_tables.ts";
import { Listing } from "./changed_paths.ts";
import type { IndexColumns } from "./saved_index.ts";
import {
  decodeBlock,
  decodeSummary,
  HISTORY_NAME,
  type HistoryBlock,
  type HistorySummary,
  MAX_BLOCK_BYTES,
  MAX_SUMMARY_BYTES,
} from "./saved_history.ts";

/** Blocks that are read at the same time. */
const BLOCKS_AT_ONCE = 8;
/** Rows copied in one step. */
const ROWS_AT_ONCE = 1024;

/** The parts of a repository that this module uses. */
type Source = Pick<Repository, "rid" | "derived">;

/**
 * Reads the summary of a saved history; `undefined` when there is none.
 *
 * @param isWanted Whether the summary with a digest may be used.
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

/** A saved history whose blocks are loaded in order. Row numbers are positions in the history. */
export class HistoryReader {
  readonly summary: HistorySummary;
  /** Digest of the summary. */
  readonly digest: string;
  #blocks = 0;
  #rows = 0;
  /** For each loaded row the greatest row of a parent, its own ones and those of the rows before. */
  readonly #needed: Uint32Array;

  constructor({ summary, digest }: { readonly summary: HistorySummary; readonly digest: string }) {
    this.summary = summary;
    this.digest = digest;
    this.#needed = new Uint32Array(summary.commits);
  }

  /** Whether the derived data have another saved history now. */
  async isReplaced({ derived }: Source): Promise<boolean> {
    const digest = await derived?.named(HISTORY_NAME);
    return digest !== undefined && digest !== this.digest;
  }

  /** Whether all blocks are loaded. */
  get isWhole(): boolean {
    return this.#blocks === this.summary.blocks.length;
  }

  /** Whether so many rows are loaded, with their parents. */
  has(rows: number): boolean {
    return this.isWhole || rows <= this.#rows && (rows === 0 || this.#needed[rows - 1]! < this.#rows);
  }

  /**
   * Loads blocks until {@link has}. Not to be called concurrently.
   *
   * @throws {DamagedError} when a block is absent, or is none.
   */
  async load(source: Source, tables: IndexTables, rows: number, task: Task): Promise<void> {
    while (!this.has(rows)) {
      // Whoever has needed many blocks needs more of them.
      const wanted = rows >= this.summary.commits
        ? BLOCKS_AT_ONCE
        : Math.min(Math.max(this.#blocks, 1), BLOCKS_AT_ONCE);
      const blocks = this.summary.blocks.slice(this.#blocks, this.#blocks + wanted);
      const columns = await Promise.all(blocks.map((block) => this.#read(source, block, task)));
      for (const one of columns) await this.#append(tables, one, task);
    }
  }

  async #read({ rid, derived }: Source, block: HistoryBlock, task: Task): Promise<IndexColumns> {
    const bytes = derived && await readFile(derived, block.digest, MAX_BLOCK_BYTES);
    const columns = bytes && await decodeBlock(rid, bytes, block, this.summary.commits, task);
    if (columns === undefined) throw new DamagedError("A block of a saved history cannot be read");
    return columns;
  }

  async #append(
    { commits, authors, paths }: IndexTables,
    columns: IndexColumns,
    task: Task,
  ): Promise<void> {
    const start = this.#rows;
    const rows = columns.times.length;
    const people: number[] = [];
    for (let at = 0; at < columns.authorHashes.length; at += OID_BYTES) {
      people.push(authors.addBytes(columns.authorHashes.subarray(at, at + OID_BYTES)));
    }
    const last = this.summary.commits - 1;
    const parents = columns.parents.map((age) => age === ABSENT ? ABSENT : last - age);
    let needed = start === 0 ? 0 : this.#needed[start - 1]!;
    for (let i = 0, at = 0; i < rows; i++) {
      for (; at < columns.parentEnds[i]!; at++) {
        if (parents[at] !== ABSENT) needed = Math.max(needed, parents[at]!);
      }
      this.#needed[start + i] = needed;
    }
    await commits.append(
      { ...columns, parents, authors: columns.authors.map((author) => people[author]!) },
      task,
    );
    for (let i = 0; i < rows; i++) {
      if (i % ROWS_AT_ONCE === 0) await task.yield();
      if (columns.listings[i] === Listing.pending) continue;
      const list = columns.hashes.subarray(columns.pathEnds[i - 1] ?? 0, columns.pathEnds[i]);
      paths.set(start + i, columns.listings[i] === Listing.listed ? list : undefined);
    }
    this.#rows = start + rows;
    this.#blocks++;
  }
}
