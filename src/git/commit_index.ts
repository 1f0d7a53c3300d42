/**
 * The commit index of a repository: commits in columns, for walks, statistics and the last commit of a path,
 * without reading objects again. Commits never change, so the index only grows: loading a commit adds its
 * missing ancestors. A commit that the storage does not have has no row.
 */
import { TimeSlices } from "../async/time_slices.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { ChangedPaths } from "./changed_paths.ts";
import { CommitLoader, type IndexTables } from "./commit_loader.ts";
import type { CommitGraph } from "./commit_queue.ts";
import { HistoryWalk } from "./history_walk.ts";

/** Rows of a walk between checks of the time slice: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Approximate memory of a cached walk, per row of the index, in bytes. */
const WALK_BYTES_PER_ROW = 8;
/** Approximate memory of each cached walk, set or list, in addition to its rows, in bytes. */
const ENTRY_BYTES = 256;

/** The times after `from`, which are also the times after any later second before `until`. */
interface LaterTimes {
  readonly from: number;
  readonly until: number;
  readonly times: readonly number[];
}

/** Size of a history. */
interface HistoryCount {
  readonly commits: number;
  readonly contributors: number;
}

/** Options of a {@link CommitIndex}. */
export interface CommitIndexOptions {
  /** Loads the saved tables; called once, before the first commit is loaded. */
  readonly loadSaved?: () => Promise<IndexTables | undefined>;
  /** Called when commits have been added to the index, with the storage they come from. */
  readonly onGrowth?: (repository: Repository) => void;
  /**
   * Called while commits are read, after some hundred each time, with the number of commits in the index;
   * with `undefined` at the end.
   */
  readonly onProgress?: (commits: number | undefined) => void;
  /** Most commits in the index; `MAX_INDEXED_COMMITS` by default. */
  readonly maxCommits?: number;
  /** Sizes of the walks and sets that are cached; the usual ones by default. */
  readonly memory?: Memory;
}

/** The commits of one repository. A commit is addressed by its row, a small number that never changes. */
export class CommitIndex implements CommitGraph {
  readonly #loader: CommitLoader;
  readonly #walks: LruMap<number, HistoryWalk>;
  readonly #ancestors: LruMap<number, Promise<Uint8Array>>;
  readonly #times: LruMap<number, LaterTimes>;
  readonly #counts = smallTable<number, Promise<HistoryCount>>("historyCounts");
  #order: { readonly size: number; readonly rows: Promise<Uint32Array> } | undefined;

  constructor(options: CommitIndexOptions = {}) {
    const { loadSaved, onGrowth, onProgress, maxCommits, memory = new Memory() } = options;
    const onParentsFound = () => this.#forgetHistories();
    this.#loader = new CommitLoader({ loadSaved, onGrowth, onProgress, onParentsFound, maxCommits });
    this.#walks = memory.mapOfLarge("historyWalks", () => ENTRY_BYTES + WALK_BYTES_PER_ROW * this.size);
    this.#ancestors = memory.mapOfLarge("ancestorSets", () => ENTRY_BYTES + (this.size >> 3));
    this.#times = memory.map("historyTimes", ({ times }) => ENTRY_BYTES + 8 * times.length);
  }

  /** Number of indexed commits. */
  get size(): number {
    return this.#loader.commits.size;
  }

  /** Approximate memory of the index with its caches, in bytes. */
  get memoryBytes(): number {
    const caches = this.#walks.weight + this.#ancestors.weight + this.#times.weight;
    return this.#loader.memoryBytes + caches + 4 * (this.#order?.size ?? 0);
  }

  /** The paths that commits change, as far as they are listed. */
  get paths(): ChangedPaths {
    return this.#loader.paths;
  }

  /** The tables to be saved; `undefined` while they are incomplete. They change with the index. */
  get snapshot(): IndexTables | undefined {
    return this.#loader.tables;
  }

  /**
   * Loads a commit with all its ancestors and returns its row; `undefined` when it is absent or unreadable.
   *
   * @throws {ApiError} `payloadTooLarge` when the index would have too many commits.
   */
  load(repository: Repository, oid: Oid): Promise<number | undefined> {
    return this.#loader.load(repository, oid);
  }

  /** The row of a loaded commit. */
  rowOf(oid: Oid): number | undefined {
    return this.#loader.commits.rowOf(oid);
  }

  oidOf(row: number): Oid {
    return this.#loader.commits.oidOf(row);
  }

  treeOf(row: number): Oid {
    return this.#loader.commits.treeOf(row);
  }

  /** Whether two commits have the same tree. */
  haveSameTree(row: number, other: number): boolean {
    return this.#loader.commits.haveSameTree(row, other);
  }

  /** Committer time, seconds. */
  timeOf(row: number): number {
    return this.#loader.commits.timeOf(row);
  }

  parentCount(row: number): number {
    return this.#loader.commits.parentCount(row);
  }

  /** Row of a parent, in the commit's order; not readable if the parent is absent. */
  parentOf(row: number, number: number): number {
    return this.#loader.commits.parentOf(row, number);
  }

  /** Whether the row exists: missing and damaged parents have none. */
  isReadable(row: number): boolean {
    return row < this.size;
  }

  /** The walk of history from a commit. */
  walk(row: number): HistoryWalk {
    return this.#walks.getOrMake(row, () => new HistoryWalk(this, row));
  }

  /**
   * Committer times after a second, for a commit and its ancestors in the order of history. Returns the same
   * array while the result is unchanged.
   */
  async timesAfter(
    row: number,
    seconds: number,
    slices: TimeSlices = new TimeSlices(),
  ): Promise<readonly number[]> {
    const cached = this.#times.get(row);
    if (cached !== undefined && cached.from <= seconds && seconds < cached.until) return cached.times;
    const times: number[] = [];
    let until = Infinity;
    const walk = this.walk(row);
    for (let position = 0;; position++) {
      const found = walk.at(position);
      if (found === undefined) break;
      if (position % ROWS_AT_ONCE === 0) await slices.next();
      const time = this.timeOf(found);
      if (time <= seconds) continue;
      times.push(time);
      if (time < until) until = time;
    }
    this.#times.set(row, { from: seconds, until, times });
    return times;
  }

  /** Whether `row` is `tip` or an ancestor of it. */
  async contains(tip: number, row: number): Promise<boolean> {
    return isIn(await this.ancestors(tip), row);
  }

  /** A commit and its ancestors, one bit per row. */
  ancestors(tip: number): Promise<Uint8Array> {
    const { commits } = this.#loader;
    return cachedIn(this.#ancestors, tip, async () => (await commits.reach(tip, new TimeSlices())).set);
  }

  /** Number of commits reachable from a commit, and number of different authors among them (2.5). */
  count(tip: number): Promise<HistoryCount> {
    return cachedIn(this.#counts, tip, async () => {
      const slices = new TimeSlices();
      const { commits, authorCount } = this.#loader;
      const seen = new Uint8Array(authorCount);
      const { rows } = await commits.reach(tip, slices);
      let contributors = 0;
      for (let i = 0; i < rows.length; i++) {
        const author = commits.authorOf(rows[i]!);
        contributors += 1 - seen[author]!;
        seen[author] = 1;
        if (i % (8 * ROWS_AT_ONCE) === 0) await slices.next();
      }
      return { commits: rows.length, contributors };
    });
  }

  /**
   * For each row a bit set: which of the wanted commits are the row itself or one of its ancestors.
   *
   * @param wanted At most 32 rows; the first has the lowest bit.
   */
  async bitsOf(wanted: readonly number[], slices: TimeSlices): Promise<Uint32Array> {
    const { commits } = this.#loader;
    if (this.#order?.size !== this.size) this.#order = { size: this.size, rows: commits.order(slices) };
    const order = await this.#order.rows;
    const bits = new Uint32Array(this.size);
    wanted.forEach((row, i) => bits[row]! |= 1 << i);
    await commits.inherit(bits, order, slices);
    return bits;
  }

  /** Drops cached results: histories of loaded commits have changed. */
  #forgetHistories(): void {
    this.#walks.clear();
    this.#times.clear();
    this.#ancestors.clear();
    this.#counts.clear();
    this.#order = undefined;
  }
}

/** Whether a set with one bit per row has the row. */
export function isIn(set: Uint8Array, row: number): boolean {
  return ((set[row >> 3] ?? 0) >> (row & 7) & 1) === 1;
}

/** Computes the value of a key once; a failure is not cached. */
function cachedIn<V>(cache: LruMap<number, Promise<V>>, key: number, make: () => Promise<V>): Promise<V> {
  return cache.getOrMake(key, () => {
    const made = make();
    made.catch(() => cache.delete(key));
    return made;
  });
}
