/**
 * The commit index of a repository: commits in columns, for walks, statistics and the last commit of a path,
 * without reading objects again. Commits never change, so the index only grows: loading a commit adds its
 * missing ancestors. A commit that the storage does not have has no row.
 */
import { sha1 } from "@noble/hashes/legacy.js";
import { ApiError, DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { SMALL_TABLES } from "../cache/caches.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { type CommitHeader, parseCommitHeader, readPerson } from "./commit.ts";
import { ABSENT, CommitColumns } from "./commit_columns.ts";
import { type CommitGraph, HistoryWalk } from "./history_walk.ts";
import { MissingParents } from "./missing_parents.ts";
import { readBatches } from "./objects.ts";
import { OidTable } from "./oid_table.ts";

/** Maximum number of indexed commits of a repository, some 85 bytes each; longer histories are refused. */
export const MAX_INDEXED_COMMITS = 1_500_000;

/**
 * After a commit of this size the walk yields: most commits take a microsecond, one with a hundred thousand
 * parents some ten milliseconds.
 */
const LARGE_COMMIT_BYTES = 2 ** 18;
/** Commits read from the storage in one batch. */
const BATCH = 256;
/** Parents looked up in one step: below a millisecond. */
const PARENTS_AT_ONCE = 2048;
/** Rows of a walk taken in one step: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Missing parents that are looked up again when the storage's objects have changed. */
export const MISSING_ASKED_AGAIN = 4096;
/** Missing parents that are looked up again at each load, if the storage has no `objectsVersion`. */
export const MISSING_ASKED_EACH_TIME = 16;
/** Maximum size of formerly missing parents read at once, in bytes; the rest waits for the next change. */
const BYTES_ASKED_AGAIN = 16 * 2 ** 20;

/**
 * Approximate memory of a walk per row of the index, and of every other cached walk, set and list, in bytes.
 */
const WALK_BYTES_PER_ROW = 8;
const ENTRY_BYTES = 256;
/** Maximum length of an author line that is cached. */
const SHORT_LINE = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The times after `from`, valid also for any later second before `until`. */
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

/** An index restored from the cache folder. */
export interface EarlierIndex {
  readonly commits: CommitColumns;
  /** Hashes of the authors' names and addresses, by author number. */
  readonly authors: OidTable;
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}

/** Options of a {@link CommitIndex}. */
export interface CommitIndexOptions {
  /** Loads the saved index; called once, before the first commit is loaded. */
  readonly loadSaved?: () => Promise<EarlierIndex | undefined>;
  /** Called when commits have been added to the index, with the storage they come from. */
  readonly onGrowth?: (repository: Repository) => void;
  /** Histories with more commits are refused; {@link MAX_INDEXED_COMMITS} by default. */
  readonly maxCommits?: number;
  /** Sizes of the walks and sets that are cached; the usual ones by default. */
  readonly memory?: Memory;
}

/** The commits of one repository. A commit is addressed by its row, a small number that never changes. */
export class CommitIndex implements CommitGraph {
  readonly #options: CommitIndexOptions;
  readonly #maxCommits: number;
  #commits = new CommitColumns();
  #paths = new ChangedPaths();
  /** Hashes of authors' names and addresses, and author numbers by author line. */
  #authors = new OidTable();
  readonly #authorsByLine = new Map<string, number>();
  /** Commits to be read next, and for each the indexes of the parents that wait for it. */
  #unread: Oid[] = [];
  readonly #waiting = new Map<Oid, number[]>();
  #missing = new MissingParents();
  /** Requested commits that cannot be read. */
  #unreadable = new OidTable();
  /** The storage's objects version at the last lookup of missing commits. */
  #objectsVersion: number | undefined;
  #isFromSaved = false;
  /** The ancestors of all rows below this number are loaded, as far as they are present. */
  #wholeRows = 0;
  #isFull = false;
  #loading: Promise<void> | undefined;
  readonly #walks: LruMap<number, HistoryWalk>;
  readonly #ancestors: LruMap<number, Promise<Uint8Array>>;
  readonly #times: LruMap<number, LaterTimes>;
  readonly #counts = smallTable<number, Promise<HistoryCount>>("historyCounts");
  #order: { readonly size: number; readonly rows: Promise<Uint32Array> } | undefined;

  constructor(options: CommitIndexOptions = {}) {
    this.#options = options;
    this.#maxCommits = options.maxCommits ?? MAX_INDEXED_COMMITS;
    const { memory = new Memory() } = options;
    this.#walks = memory.mapOfLarge("historyWalks", () => ENTRY_BYTES + WALK_BYTES_PER_ROW * this.size);
    this.#ancestors = memory.mapOfLarge("ancestorSets", () => ENTRY_BYTES + (this.size >> 3));
    this.#times = memory.map("historyTimes", ({ times }) => ENTRY_BYTES + 8 * times.length);
  }

  /** Number of indexed commits. */
  get size(): number {
    return this.#commits.size;
  }

  /** Approximate memory of the index with its caches, in bytes. */
  get memoryBytes(): number {
    const tables = [this.#commits, this.#authors, this.#paths, this.#missing, this.#unreadable];
    const caches = this.#walks.weight + this.#ancestors.weight + this.#times.weight;
    const lines = SMALL_TABLES.authorLines.entryBytes * this.#authorsByLine.size;
    return tables.reduce(
      (sum, table) => sum + table.memoryBytes,
      caches + lines + 4 * (this.#order?.size ?? 0),
    );
  }

  /** The paths that commits change, as far as they are listed. */
  get paths(): ChangedPaths {
    return this.#paths;
  }

  /**
   * Loads a commit with all its ancestors and returns its row; `undefined` when it is absent or unreadable.
   *
   * @throws {ApiError} `payloadTooLarge` when its history has more than {@link MAX_INDEXED_COMMITS} commits.
   */
  async load(repository: Repository, oid: Oid): Promise<number | undefined> {
    this.#loading ??= this.#loadSaved(repository);
    if (await this.#hasToLook(repository, oid)) {
      const loading = this.#loading.then(() => this.#extend(repository, oid));
      this.#loading = loading.catch(() => {});
      await loading;
    }
    const row = this.#commits.rowOf(oid);
    if (row !== undefined && row >= this.#wholeRows) throw tooLong();
    return row !== undefined && await this.#isStored(repository, row) ? row : undefined;
  }

  /** The row of a loaded commit. */
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

  parentCount(row: number): number {
    return this.#commits.parentCount(row);
  }

  /** Row of a parent, in the commit's order; it may be {@link ABSENT}. */
  parentOf(row: number, number: number): number {
    return this.#commits.parentOf(row, number);
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
    return cachedIn(
      this.#ancestors,
      tip,
      async () => (await this.#commits.reach(tip, new TimeSlices())).set,
    );
  }

  /** Number of commits reachable from a commit, and number of different authors among them (2.5). */
  count(tip: number): Promise<HistoryCount> {
    return cachedIn(this.#counts, tip, async () => {
      const slices = new TimeSlices();
      const seen = new Uint8Array(this.#authors.size);
      const { rows } = await this.#commits.reach(tip, slices);
      let contributors = 0;
      for (let i = 0; i < rows.length; i++) {
        const author = this.#commits.authorOf(rows[i]!);
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
    if (this.#order?.size !== this.size) {
      this.#order = { size: this.size, rows: this.#commits.order(slices) };
    }
    const order = await this.#order.rows;
    const bits = new Uint32Array(this.size);
    wanted.forEach((row, i) => bits[row]! |= 1 << i);
    await this.#commits.inherit(bits, order, slices);
    return bits;
  }

  /** The index in the form to save; `undefined` while it is incomplete. It changes with the index. */
  get snapshot(): EarlierIndex | undefined {
    if (this.#isFull || this.#unread.length > 0 || this.#missing.isCutOff) return undefined;
    return { commits: this.#commits, authors: this.#authors, paths: this.#paths, missing: this.#missing };
  }

  async #loadSaved(repository: Repository): Promise<void> {
    const earlier = await this.#options.loadSaved?.();
    if (earlier === undefined) return;
    this.#commits = earlier.commits;
    this.#paths = earlier.paths;
    this.#authors = earlier.authors;
    this.#missing = earlier.missing;
    this.#isFromSaved = true;
    this.#wholeRows = this.size;
    this.#options.onGrowth?.(repository);
  }

  /**
   * Whether the storage still has a commit of a saved index. Its ancestors come with it, but it may have been
   * removed.
   */
  async #isStored(repository: Repository, row: number): Promise<boolean> {
    if (!this.#commits.isUnconfirmed(row)) return true;
    if ((await repository.header(this.oidOf(row)))?.kind !== "commit") return false;
    this.#commits.confirm(row);
    return true;
  }

  /** Whether the storage has to be read before a commit is known. */
  async #hasToLook(repository: Repository, oid: Oid): Promise<boolean> {
    const row = this.#commits.rowOf(oid);
    if (this.#isFull) {
      // Commits on top of present ones might still be complete; the case is too rare to check.
      if (row === undefined) throw tooLong();
      return false;
    }
    // An incomplete row belongs to commits that are being read.
    if (row === undefined || row >= this.#wholeRows || this.#unread.length > 0) return true;
    if (this.#missing.size === 0) return false;
    const version = await repository.objectsVersion?.();
    return version === undefined || version !== this.#objectsVersion;
  }

  async #extend(repository: Repository, oid: Oid): Promise<void> {
    const slices = new TimeSlices();
    await slices.run(async () => {
      const { size } = this;
      const hasCome = await this.#askAgain(repository, slices);
      if (this.#commits.rowOf(oid) === undefined && this.#unreadable.rowOf(oid) === undefined) {
        this.#want(oid);
      }
      while (this.#unread.length > 0) {
        await this.#readBatch(repository, slices);
        if (this.size <= this.#maxCommits) continue;
        this.#isFull = true;
        this.#unread = [];
        this.#waiting.clear();
        // A commit that was missing before may be part of any history.
        if (hasCome) this.#wholeRows = 0;
        throw tooLong();
      }
      this.#wholeRows = this.size;
      if (this.size > size) this.#options.onGrowth?.(repository);
    });
  }

  /** Reads the commits found last, and adds their parents to the commits to read. */
  async #readBatch(repository: Repository, slices: TimeSlices): Promise<void> {
    const oids = this.#unread.slice(-BATCH);
    const headers = await readHeaders(repository, oids, slices);
    this.#unread.length -= oids.length;
    for (const [i, oid] of oids.entries()) {
      const places = this.#waiting.get(oid) ?? [];
      const header = headers[i];
      if (header !== undefined) {
        const row = await this.#record(oid, header, slices);
        for (const place of places) this.#commits.setParent(place, row);
      } else {
        for (const place of places) this.#missing.add(oid, place);
        if (places.length === 0) await this.#refuse(repository, oid);
      }
      this.#waiting.delete(oid);
    }
    await slices.next();
  }

  /**
   * Looks up some of the missing parents again, if they may be present now. Returns whether one was found.
   */
  async #askAgain(repository: Repository, slices: TimeSlices): Promise<boolean> {
    const version = await repository.objectsVersion?.();
    const isSame = version !== undefined && version === this.#objectsVersion;
    this.#objectsVersion = version;
    if (isSame) return false;
    if (this.#unreadable.size > 0) this.#unreadable = new OidTable();
    // The earlier process may have ended in the midst of a history.
    const limit = this.#isFromSaved
      ? Infinity
      : version === undefined
      ? MISSING_ASKED_EACH_TIME
      : MISSING_ASKED_AGAIN;
    this.#isFromSaved = false;
    let hasCome = false;
    let bytes = 0;
    for (let left = Math.min(limit, this.#missing.size); left > 0 && bytes < BYTES_ASKED_AGAIN; left--) {
      const { oid, place } = this.#missing.look()!;
      const row = this.#commits.rowOf(oid);
      const header = row === undefined ? await readObjectHeader(repository, oid) : undefined;
      if (row === undefined && header === undefined) {
        await slices.next();
        continue;
      }
      this.#missing.drop();
      if (row !== undefined) this.#commits.setParent(place, row);
      else {
        this.#want(oid).push(place);
        bytes += header!.size;
      }
      hasCome = true;
      await slices.next();
    }
    if (hasCome) {
      this.#walks.clear();
      this.#times.clear();
      this.#ancestors.clear();
      this.#counts.clear();
      this.#order = undefined;
    }
    return hasCome;
  }

  /** Requests a commit. Returns the indexes of the parents that wait for it, for the caller to extend. */
  #want(oid: Oid): number[] {
    let places = this.#waiting.get(oid);
    if (places === undefined) {
      this.#waiting.set(oid, places = []);
      this.#unread.push(oid);
    }
    return places;
  }

  /**
   * Marks a damaged or too large object, or one that is not a commit, as unreadable. An absent object is
   * looked up each time, because it may come later.
   */
  async #refuse(repository: Repository, oid: Oid): Promise<void> {
    if (this.#objectsVersion === undefined || !await isThere(repository, oid)) return;
    if (this.#unreadable.size >= SMALL_TABLES.unreadableCommits.entries) this.#unreadable = new OidTable();
    this.#unreadable.add(oid);
  }

  async #record(oid: Oid, header: CommitHeader, slices: TimeSlices): Promise<number> {
    const { tree, timeSeconds, authorLine, parents } = header;
    const rows = new Uint32Array(parents.length);
    const start = this.#commits.parentsUsed;
    for (let i = 0; i < parents.length; i++) {
      const parent = parents[i]!;
      const row = this.#commits.rowOf(parent);
      rows[i] = row ?? ABSENT;
      if (row === undefined) this.#want(parent).push(start + i);
      if (i % PARENTS_AT_ONCE === PARENTS_AT_ONCE - 1) await slices.next();
    }
    return this.#commits.add(oid, { tree, timeSeconds, author: this.#authorId(authorLine), parents: rows });
  }

  /** Author number of a line: authors with the same displayed name and address are equal (2.5). */
  #authorId(line: string): number {
    const cached = line.length <= SHORT_LINE ? this.#authorsByLine.get(line) : undefined;
    if (cached !== undefined) return cached;
    const { name, email } = readPerson(line);
    const id = this.#authors.addBytes(sha1(encoder.encode(`${name} <${email}>`)));
    if (line.length <= SHORT_LINE) {
      if (this.#authorsByLine.size >= SMALL_TABLES.authorLines.entries) this.#authorsByLine.clear();
      this.#authorsByLine.set(ownText(line), id);
    }
    return id;
  }
}

/** Copies a text, so that it does not keep a longer one in memory. */
function ownText(text: string): string {
  return decoder.decode(encoder.encode(text));
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

function tooLong(): ApiError {
  return new ApiError("payloadTooLarge", `History is longer than ${MAX_INDEXED_COMMITS} commits`);
}

/** Kind and size of an object; `undefined` when it cannot be read. */
async function readObjectHeader(repository: Repository, oid: Oid): Promise<{ size: number } | undefined> {
  try {
    const header = await repository.header(oid);
    return header?.kind === "commit" ? header : undefined;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Whether an object is present, readable or not. */
async function isThere(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return true;
    throw error;
  }
}

/** Reads the headers of commits; an unreadable one does not affect the rest. */
async function readHeaders(
  repository: Repository,
  oids: readonly Oid[],
  slices: TimeSlices,
): Promise<readonly (CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      headers.push(object?.kind === "commit" ? tryHeader(object.bytes) : undefined);
      if (object !== undefined && object.bytes.length > LARGE_COMMIT_BYTES) await slices.next();
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
