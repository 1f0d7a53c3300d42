/**
 * A repository's commits in columns: what walks, statistics and "last commit of a path" need, without reading objects again. Commits never change,
 * so the index is only ever extended: asking for a commit loads those of its ancestors that are not there yet.
 */
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { LruMap } from "../cache/lru_map.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { type CommitHeader, parseCommitHeader, readPerson } from "./commit.ts";
import { CommitColumns, State } from "./commit_columns.ts";
import { type CommitGraph, HistoryWalk } from "./history_walk.ts";
import { readBatches } from "./objects.ts";

/** Commits that are asked of the storage at once. */
const BATCH = 256;
/** Loading lets other requests through after so many commits: some 15 ms. */
const COMMITS_PER_TURN = 1024;
/** Walks, sets of ancestors and counts that are remembered, by the commit they start from. */
const REMEMBERED_WALKS = 16;
const REMEMBERED_SETS = 128;
/** Times that are remembered, of all walks together. */
const REMEMBERED_TIMES = 2 ** 18;

/** Times after `from`, and also after any later second before `until`. */
interface LaterTimes {
  readonly from: number;
  readonly until: number;
  readonly times: readonly number[];
}

/** An index as it was at the end of an earlier process. */
export interface EarlierIndex {
  readonly commits: CommitColumns;
  /** Names and addresses of the authors, by their numbers. */
  readonly authors: readonly string[];
  readonly paths: ChangedPaths;
}

/** What an index may be given. */
export interface CommitIndexOptions {
  /** Finds what an earlier process has kept; asked once, when something is to be loaded. */
  readonly recall?: () => Promise<EarlierIndex | undefined>;
  /** Called when there are commits that were not in the index before, with the storage they come from. */
  readonly onGrowth?: (repository: Repository) => void;
}

/** The commits of one repository. A commit is known by its row, a small number that stays the same. */
export class CommitIndex implements CommitGraph {
  readonly #options: CommitIndexOptions;
  #commits = new CommitColumns();
  #paths = new ChangedPaths();
  /** Numbers by an author's name and address, and by the lines of commits that say so. */
  readonly #authorIds = new Map<string, number>();
  #authorCount = 0;
  /** Rows that are known by name only. */
  #unread: number[] = [];
  readonly #unreadable = new Set<number>();
  #loading: Promise<void> | undefined;
  readonly #walks = new LruMap<number, HistoryWalk>(REMEMBERED_WALKS);
  readonly #times = new LruMap<number, LaterTimes>(REMEMBERED_TIMES, ({ times }) => 1 + times.length);
  readonly #ancestors = new LruMap<number, Uint8Array>(REMEMBERED_SETS);
  readonly #counts = new LruMap<number, { commits: number; contributors: number }>(REMEMBERED_SETS);

  constructor(options: CommitIndexOptions = {}) {
    this.#options = options;
  }

  /** Number of commits known. */
  get size(): number {
    return this.#commits.size;
  }

  /** Which paths the commits change, as far as that has been found out. */
  get paths(): ChangedPaths {
    return this.#paths;
  }

  /** The row of a commit with all its ancestors loaded; `undefined` when there is no such commit or it cannot be read. */
  async load(repository: Repository, oid: Oid): Promise<number | undefined> {
    this.#loading ??= this.#recall(repository);
    const known = this.#commits.rowOf(oid);
    if (
      known === undefined || !this.isReadable(known) || this.#unread.length > 0 || this.#unreadable.size > 0
    ) {
      const loading = this.#loading.then(() => this.#extend(repository, oid));
      this.#loading = loading.catch(() => {});
      await loading;
    }
    const row = this.#commits.rowOf(oid);
    return row !== undefined && this.isReadable(row) && await this.#isStored(repository, row)
      ? row
      : undefined;
  }

  /** The row of a commit that is already loaded. */
  rowOf(oid: Oid): number | undefined {
    return this.#commits.rowOf(oid);
  }

  oidOf(row: number): Oid {
    return this.#commits.oidOf(row);
  }

  treeOf(row: number): Oid {
    return this.#commits.treeOf(row);
  }

  /** Whether two commits have the same tree. */
  haveSameTree(row: number, other: number): boolean {
    return this.#commits.haveSameTree(row, other);
  }

  /** Committer time, seconds. */
  timeOf(row: number): number {
    return this.#commits.timeOf(row);
  }

  /** Rows of the parents, in the commit's order; some may be unreadable. */
  parentsOf(row: number): readonly number[] {
    return Array.from({ length: this.parentCount(row) }, (_, i) => this.parentOf(row, i));
  }

  parentCount(row: number): number {
    return this.#commits.parentCount(row);
  }

  parentOf(row: number, number: number): number {
    return this.#commits.parentOf(row, number);
  }

  /** Whether the commit was there and well-formed. */
  isReadable(row: number): boolean {
    const state = this.#commits.stateOf(row);
    return state === State.read || state === State.saved;
  }

  /** The walk of history from a commit. */
  walk(row: number): HistoryWalk {
    return this.#walks.getOrMake(row, () => new HistoryWalk(this, row));
  }

  /**
   * Committer times after some second, of a commit and its ancestors in the order of history: the same list again for as long as it would hold the same.
   */
  timesAfter(row: number, seconds: number): readonly number[] {
    const known = this.#times.get(row);
    if (known !== undefined && known.from <= seconds && seconds < known.until) return known.times;
    const times: number[] = [];
    let until = Infinity;
    for (const found of this.walk(row)) {
      const time = this.timeOf(found);
      if (time <= seconds) continue;
      times.push(time);
      if (time < until) until = time;
    }
    this.#times.set(row, { from: seconds, until, times });
    return times;
  }

  /** Whether `row` is `tip` or an ancestor of it. */
  contains(tip: number, row: number): boolean {
    const set = this.#ancestors.getOrMake(tip, () => this.#commits.reach(tip).set);
    return ((set[row >> 3] ?? 0) >> (row & 7) & 1) === 1;
  }

  /** How many commits are reachable from a commit, and by how many different authors (2.5). */
  count(tip: number): { commits: number; contributors: number } {
    return this.#counts.getOrMake(tip, () => {
      const seen = new Uint8Array(this.#authorCount);
      const { rows } = this.#commits.reach(tip);
      let contributors = 0;
      for (let i = 0; i < rows.length; i++) {
        const author = this.#commits.authorOf(rows[i]!);
        contributors += 1 - seen[author]!;
        seen[author] = 1;
      }
      return { commits: rows.length, contributors };
    });
  }

  /** All that is known, to be kept for a later process. Changes with the index. */
  get known(): EarlierIndex {
    const authors: string[] = [];
    for (const [text, id] of this.#authorIds) authors[id] ??= text;
    return { commits: this.#commits, authors, paths: this.#paths };
  }

  async #recall(repository: Repository): Promise<void> {
    const earlier = await this.#options.recall?.();
    if (earlier === undefined) return;
    this.#commits = earlier.commits;
    this.#paths = earlier.paths;
    for (const author of earlier.authors) this.#authorIds.set(author, this.#authorCount++);
    for (let row = 0; row < this.size; row++) {
      if (this.#commits.stateOf(row) === State.unreadable) this.#unreadable.add(row);
    }
    this.#options.onGrowth?.(repository);
  }

  /** Whether the storage has a commit that an earlier process has read: with it come its ancestors, but it may have been removed. */
  async #isStored(repository: Repository, row: number): Promise<boolean> {
    if (this.#commits.stateOf(row) !== State.saved) return true;
    if ((await repository.header(this.oidOf(row)))?.kind !== "commit") return false;
    this.#commits.setState(row, State.read);
    return true;
  }

  async #extend(repository: Repository, oid: Oid): Promise<void> {
    this.#discover(oid);
    // A commit that was not there may have been fetched since.
    this.#unread.push(...this.#unreadable);
    let found = 0;
    for (let loaded = 0; this.#unread.length > 0;) {
      const rows = this.#unread.slice(-BATCH);
      const headers = await readHeaders(repository, rows.map((row) => this.oidOf(row)));
      this.#unread.length -= rows.length;
      rows.forEach((row, i) => found += this.#record(row, headers[i]) ? 1 : 0);
      loaded += rows.length;
      if (loaded >= COMMITS_PER_TURN) {
        loaded = 0;
        await new Promise((resume) => setTimeout(resume, 0));
      }
    }
    if (found > 0) this.#options.onGrowth?.(repository);
  }

  #discover(oid: Oid): number {
    const { size } = this;
    const row = this.#commits.add(oid);
    if (row === size) this.#unread.push(row);
    return row;
  }

  /** Takes what was read of a commit; tells whether it could be. */
  #record(row: number, header: CommitHeader | undefined): boolean {
    if (header === undefined) {
      this.#commits.setState(row, State.unreadable);
      this.#unreadable.add(row);
      return false;
    }
    const { tree, timeSeconds, authorLine } = header;
    const parents = header.parents.map((parent) => this.#discover(parent));
    this.#commits.set(row, { tree, timeSeconds, author: this.#authorId(authorLine), parents });
    if (this.#unreadable.delete(row)) {
      this.#walks.clear();
      this.#times.clear();
      this.#ancestors.clear();
      this.#counts.clear();
    }
    return true;
  }

  #authorId(line: string): number {
    let id = this.#authorIds.get(line);
    if (id === undefined) {
      const { name, email } = readPerson(line);
      const key = `${name} <${email}>`;
      id = this.#authorIds.get(key) ?? this.#authorCount++;
      this.#authorIds.set(key, id);
      this.#authorIds.set(line, id);
    }
    return id;
  }
}

/** What can be read of these commits; whatever is wrong with one does not spoil the others. */
async function readHeaders(
  repository: Repository,
  oids: readonly Oid[],
): Promise<(CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      headers.push(object?.kind === "commit" ? tryHeader(object.bytes) : undefined);
    }
  }
  return headers;
}

function tryHeader(bytes: Uint8Array): CommitHeader | undefined {
  try {
    return parseCommitHeader(bytes);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}
