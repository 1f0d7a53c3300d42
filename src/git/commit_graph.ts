/**
 * The commit graph of a repository. The graph stores commits in columns, so that walks, statistics and the
 * search for the last commit of a path need not read objects again. Commits never change, so the graph only
 * grows: when a commit is loaded, its missing ancestors are added. A commit that the storage lacks has no
 * row.
 */
import { Task } from "../scheduling/task.ts";
import type { LruMap, LruRoom } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { DamagedError, ifReadable } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { CommitColumns } from "./commit_columns.ts";
import type { ChangedPaths } from "./changed_paths.ts";
import type { Integer } from "../text/integers.ts";
import { CommitLoader, type CommitLoaderOptions } from "./commit_loader.ts";
import type { CommitTables } from "./commit_tables.ts";
import { HistoryWalk } from "./history_walk.ts";

/** Number of rows of a walk between two pauses, which takes less than a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Approximate memory of a cached walk for each row of the graph, in bytes. */
const WALK_BYTES_PER_ROW = 8;
/** Approximate memory of an empty graph, in bytes. */
const GRAPH_BYTES = 6144;
/** Approximate memory of a cached walk, set or array in addition to its rows, in bytes. */
const ENTRY_BYTES = 256;

/** A cached result of {@link CommitGraph.timesAfter}, for all seconds from `from` to before `until`. */
interface LaterTimes {
  readonly from: number;
  readonly until: number;
  readonly times: readonly Integer[];
}

/** A walk of history, which yields rows in the order of history. */
export type Walk = Pick<HistoryWalk, "at" | typeof Symbol.iterator>;

interface HistoryLength {
  readonly commits: number;
  readonly isWhole: boolean;
}

export interface CommitGraphOptions extends Omit<CommitLoaderOptions, "onParentsFound"> {
  /**
   * Called for each requested commit, because the cached walks and sets may have grown since the last call.
   */
  readonly onLoad?: () => void;
  /** Sizes of the cached walks and sets. The default is a new {@link Memory} with default sizes. */
  readonly memory?: Memory;
}

/** The commits of one repository. Each commit has a row, a number that never changes. */
export class CommitGraph {
  readonly #loader: CommitLoader;
  readonly #onLoad: (() => void) | undefined;
  readonly #histories: LruRoom;
  readonly #walks: LruMap<number, HistoryWalk>;
  readonly #ancestors: LruMap<number, Promise<Uint8Array>>;
  readonly #times: LruMap<number, LaterTimes>;
  readonly #lengths: LruMap<number, Promise<HistoryLength>>;
  readonly #contributors: LruMap<number, Promise<number>>;
  #order: { readonly size: number; readonly rows: Promise<Uint32Array> } | undefined;

  constructor(options: CommitGraphOptions = {}) {
    const { memory = new Memory(), onLoad, ...ofLoader } = options;
    this.#onLoad = onLoad;
    this.#loader = new CommitLoader({ ...ofLoader, onParentsFound: () => this.#forgetHistories() });
    this.#histories = memory.roomWithin("histories");
    this.#walks = this.#histories.mapOfLarge(() => ENTRY_BYTES + WALK_BYTES_PER_ROW * this.commits.size);
    this.#ancestors = this.#histories.mapOfLarge(() => ENTRY_BYTES + (this.commits.size >> 3));
    this.#times = this.#histories.map(({ times }) => ENTRY_BYTES + 8 * times.length);
    this.#lengths = this.#histories.map(() => ENTRY_BYTES);
    this.#contributors = this.#histories.map(() => ENTRY_BYTES);
  }

  get commits(): CommitColumns {
    return this.#loader.reader.tables.commits;
  }

  /** Approximate memory of the graph and its caches, in bytes. */
  get memoryBytes(): number {
    return GRAPH_BYTES + this.#loader.reader.memoryBytes + this.#histories.weight +
      4 * (this.#order?.size ?? 0);
  }

  /** The changed paths that are listed for each commit. */
  get paths(): ChangedPaths {
    return this.#loader.reader.tables.paths;
  }

  /** The tables for saving; `undefined` while a commit is missing. The tables change with the graph. */
  get snapshot(): CommitTables | undefined {
    return this.#loader.isComplete ? this.#loader.reader.tables : undefined;
  }

  /**
   * Loads a commit with all its ancestors and returns its row; `undefined` when the commit is missing or
   * cannot be read.
   *
   * @throws {HistoryTooLongError} when the graph would have too many commits.
   */
  load(repository: Repository, oid: Oid, task: Task): Promise<number | undefined> {
    this.#onLoad?.();
    return this.#loader.load(repository, oid, task);
  }

  /** Returns the walk of history from a commit. */
  walk(row: number): Walk {
    return this.#walks.getOrMake(row, () => new HistoryWalk(this.commits, row));
  }

  /**
   * Returns the committer times after a second, for a commit and its ancestors, in the order of history.
   * Returns the same array while the result is unchanged.
   */
  async timesAfter(
    row: number,
    seconds: number,
    task: Task,
  ): Promise<readonly Integer[]> {
    const cached = this.#times.get(row);
    if (cached !== undefined && cached.from <= seconds && seconds < cached.until) return cached.times;
    const times: Integer[] = [];
    let until = Infinity;
    const walk = this.walk(row);
    // The walk ends when it has found as many times as the whole graph contains after this second.
    const most = this.commits.countAfter(seconds);
    for (let position = 0; times.length < most; position++) {
      const found = walk.at(position);
      if (found === undefined) break;
      if (position % ROWS_AT_ONCE === 0) await task.yield();
      const time = this.commits.timeOf(found);
      if (time <= seconds) continue;
      times.push(this.commits.exactTimeOf(found));
      if (time < until) until = time;
    }
    this.#times.set(row, { from: seconds, until, times });
    return times;
  }

  /** Checks whether `row` is `tip` or an ancestor of `tip`. */
  async contains(tip: number, row: number): Promise<boolean> {
    return isIn(await this.ancestors(tip), row);
  }

  /** Returns the set of a commit and its ancestors, with one bit per row. */
  ancestors(tip: number): Promise<Uint8Array> {
    return this.#once(this.#ancestors, tip, this.#findAncestors);
  }

  async #findAncestors(tip: number, task: Task): Promise<Uint8Array> {
    return (await this.commits.reach([tip], task)).set;
  }

  /**
   * Returns the number of commits that are reachable from a commit (specification, 2.5).
   *
   * @throws {DamagedError} when a commit of the history is missing or damaged.
   */
  async countCommits(tip: number): Promise<number> {
    const { commits, isWhole } = await this.#once(this.#lengths, tip, this.#countCommitsNow);
    if (isWhole) return commits;
    throw new DamagedError(`Commits before ${this.commits.oidOf(tip)} are missing or damaged`);
  }

  async #countCommitsNow(tip: number, task: Task): Promise<HistoryLength> {
    const { rows, isWhole } = await this.commits.reach([tip], task);
    return { commits: rows.length, isWhole };
  }

  /**
   * Returns the number of commits that are reachable from a commit, and the number of their different authors
   * (specification, 2.5).
   *
   * @param repository The storage from which unknown authors are read.
   * @throws {DamagedError} when a commit of the history is missing or damaged.
   */
  async count(
    tip: number,
    repository?: Repository,
  ): Promise<{ readonly commits: number; readonly contributors: number }> {
    const commits = await this.countCommits(tip);
    const count = (tip: number, task: Task) => this.#countContributors(tip, repository, task);
    return { commits, contributors: await this.#once(this.#contributors, tip, count) };
  }

  async #countContributors(tip: number, repository: Repository | undefined, task: Task): Promise<number> {
    const { commits, authors } = this.#loader.reader.tables;
    const { rows } = await commits.reach([tip], task);
    await this.#loader.loadAuthors(repository, tip, rows, task);
    const seen = new Uint8Array(authors.hashes.size);
    let contributors = 0;
    for (let i = 0; i < rows.length; i++) {
      const author = commits.authorOf(rows[i]!);
      contributors += 1 - seen[author]!;
      seen[author] = 1;
      if (i % (8 * ROWS_AT_ONCE) === 0) await task.yield();
    }
    return contributors;
  }

  /**
   * Reads the unknown authors of the rows from `first` to before `end`. The authors of missing and damaged
   * commits stay unknown.
   */
  async loadAuthors(repository: Repository, first: number, end: number, task: Task): Promise<void> {
    const rows = Uint32Array.from({ length: end - first }, (_, i) => first + i);
    await ifReadable(async () => await this.#loader.loadAuthors(repository, undefined, rows, task));
  }

  /**
   * Returns for each row a number with one bit for each wanted commit. A bit is set if the wanted commit is
   * the commit of the row, or an ancestor of this commit.
   *
   * @param wanted At most 32 rows. The first row has the lowest bit.
   */
  async bitsOf(wanted: readonly number[], task: Task): Promise<Uint32Array> {
    const { commits } = this;
    const { size } = commits;
    if (this.#order?.size !== size) this.#order = { size, rows: commits.order(task) };
    const order = await this.#order.rows;
    const bits = new Uint32Array(commits.size);
    wanted.forEach((row, i) => bits[row]! |= 1 << i);
    await commits.inherit(bits, order, task);
    return bits;
  }

  /** Computes a value of a history once for all callers. A failure is not cached. */
  #once<V>(
    cache: LruMap<number, Promise<V>>,
    tip: number,
    find: (this: CommitGraph, tip: number, task: Task) => Promise<V>,
  ): Promise<V> {
    const cached = cache.get(tip);
    if (cached !== undefined) return cached;
    const found = find.call(this, tip, new Task());
    cache.set(tip, found);
    found.catch(() => void cache.delete(tip));
    return found;
  }

  /** Drops cached results, because parents that were missing have been found. */
  #forgetHistories(): void {
    this.#walks.clear();
    this.#times.clear();
    this.#ancestors.clear();
    this.#lengths.clear();
    this.#contributors.clear();
    this.#order = undefined;
  }
}

/** Checks whether a set with one bit per row contains the row. */
export function isIn(set: Uint8Array, row: number): boolean {
  return ((set[row >> 3] ?? 0) >> (row & 7) & 1) === 1;
}

/** A repository with its commit graph, and the task that reads them. */
export interface OpenedRepository {
  readonly objects: Repository;
  readonly graph: CommitGraph;
  /** The task for the whole computation of one response, or of one step of background work. */
  readonly task: Task;
}
