/**
 * A repository's commits in columns: what walks, statistics and "last commit of a path" need, without reading objects again. Commits never change,
 * so the index is only ever extended: asking for a commit loads those of its ancestors that are not there yet. What the storage does not have has no row.
 */
import { sha1 } from "@noble/hashes/legacy.js";
import { ApiError, DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { SMALL_TABLES } from "../cache/caches.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import { Turns } from "../time/turns.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { type CommitHeader, parseCommitHeader, readPerson } from "./commit.ts";
import { ABSENT, CommitColumns } from "./commit_columns.ts";
import { type CommitGraph, HistoryWalk } from "./history_walk.ts";
import { MissingParents } from "./missing_parents.ts";
import { readBatches } from "./objects.ts";
import { OidTable } from "./oid_table.ts";

/** Commits of a repository that can be indexed, some 85 bytes each; longer histories are refused. */
export const MAX_INDEXED_COMMITS = 1_500_000;

/** After a commit of so many bytes others are let through: most take a microsecond, one of a hundred thousand parents some ten milliseconds. */
const LARGE_COMMIT_BYTES = 2 ** 18;
/** Commits that are asked of the storage at once. */
const BATCH = 256;
/** Parents that are looked up in one go: below a millisecond. */
const PARENTS_AT_ONCE = 2048;
/** Rows of a walk that are taken in one go: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Missing parents that are asked for again when the storage's objects have changed, ... */
export const MISSING_ASKED_AGAIN = 4096;
/** ... or, where the storage does not tell that, whenever a commit is asked for. */
export const MISSING_ASKED_EACH_TIME = 16;
/** Bytes of such parents that turned up: once these are read, the others have to wait for the next change. */
const BYTES_ASKED_AGAIN = 16 * 2 ** 20;

/** Memory of a walk for each row of the index, and of every cached walk, set and list besides, in bytes, about. */
const WALK_BYTES_PER_ROW = 8;
const ENTRY_BYTES = 256;
/** Longest line that names an author and is cached. */
const SHORT_LINE = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Times after `from`, and also after any later second before `until`. */
interface LaterTimes {
  readonly from: number;
  readonly until: number;
  readonly times: readonly number[];
}

/** How large a history is. */
interface HistoryCount {
  readonly commits: number;
  readonly contributors: number;
}

/** An index as it was at the end of an earlier process. */
export interface EarlierIndex {
  readonly commits: CommitColumns;
  /** Hashes of the authors' names and addresses, by their numbers. */
  readonly authors: OidTable;
  readonly paths: ChangedPaths;
  readonly missing: MissingParents;
}

/** What an index may be given. */
export interface CommitIndexOptions {
  /** Reads the index that an earlier process has saved; called once, before the first commit is loaded. */
  readonly loadSaved?: () => Promise<EarlierIndex | undefined>;
  /** Called when there are commits that were not in the index before, with the storage they come from. */
  readonly onGrowth?: (repository: Repository) => void;
  /** Commits beyond which a history is refused; {@link MAX_INDEXED_COMMITS} by default. */
  readonly maxCommits?: number;
  /** Sizes of the walks and sets that are cached; the usual ones by default. */
  readonly memory?: Memory;
}

/** The commits of one repository. A commit is named by its row, a small number that stays the same. */
export class CommitIndex implements CommitGraph {
  readonly #options: CommitIndexOptions;
  readonly #maxCommits: number;
  #commits = new CommitColumns();
  #paths = new ChangedPaths();
  /** Hashes of authors' names and addresses; and numbers of authors by the lines of commits that name them. */
  #authors = new OidTable();
  readonly #authorsByLine = new Map<string, number>();
  /** Commits that are to be read next, and the places among all parents that wait for each. */
  #unread: Oid[] = [];
  readonly #waiting = new Map<Oid, number[]>();
  #missing = new MissingParents();
  /** Commits that were asked for and cannot be read. */
  #unreadable = new OidTable();
  /** State of the storage's objects when what is missing was last asked for. */
  #objectsVersion: number | undefined;
  #isFromSaved = false;
  /** Rows before this one have all their ancestors, as far as these are there. */
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

  /** Memory that the index takes with all that is cached of it, in bytes, about. */
  get memoryBytes(): number {
    const tables = [this.#commits, this.#authors, this.#paths, this.#missing, this.#unreadable];
    const caches = this.#walks.weight + this.#ancestors.weight + this.#times.weight;
    const lines = SMALL_TABLES.authorLines.entryBytes * this.#authorsByLine.size;
    return tables.reduce(
      (sum, table) => sum + table.memoryBytes,
      caches + lines + 4 * (this.#order?.size ?? 0),
    );
  }

  /** Which paths the commits change, as far as that has been found out. */
  get paths(): ChangedPaths {
    return this.#paths;
  }

  /**
   * The row of a commit with all its ancestors loaded; `undefined` when there is no such commit or it cannot be read.
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

  parentCount(row: number): number {
    return this.#commits.parentCount(row);
  }

  /** The row of a parent, in the commit's order; perhaps one that is not readable. */
  parentOf(row: number, number: number): number {
    return this.#commits.parentOf(row, number);
  }

  /** Whether there is such a row: of a parent that is missing or damaged there is none. */
  isReadable(row: number): boolean {
    return row < this.size;
  }

  /** The walk of history from a commit. */
  walk(row: number): HistoryWalk {
    return this.#walks.getOrMake(row, () => new HistoryWalk(this, row));
  }

  /**
   * Committer times after some second, of a commit and its ancestors in the order of history. Returns the same array while the result is unchanged.
   */
  async timesAfter(row: number, seconds: number, turns: Turns = new Turns()): Promise<readonly number[]> {
    const cached = this.#times.get(row);
    if (cached !== undefined && cached.from <= seconds && seconds < cached.until) return cached.times;
    const times: number[] = [];
    let until = Infinity;
    const walk = this.walk(row);
    for (let position = 0;; position++) {
      const found = walk.at(position);
      if (found === undefined) break;
      if (position % ROWS_AT_ONCE === 0) await turns.next();
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

  /** A commit and its ancestors: one bit for each row. */
  ancestors(tip: number): Promise<Uint8Array> {
    return cachedIn(
      this.#ancestors,
      tip,
      async () => (await this.#commits.reach(tip, new Turns())).set,
    );
  }

  /** How many commits are reachable from a commit, and by how many different authors (2.5). */
  count(tip: number): Promise<HistoryCount> {
    return cachedIn(this.#counts, tip, async () => {
      const turns = new Turns();
      const seen = new Uint8Array(this.#authors.size);
      const { rows } = await this.#commits.reach(tip, turns);
      let contributors = 0;
      for (let i = 0; i < rows.length; i++) {
        const author = this.#commits.authorOf(rows[i]!);
        contributors += 1 - seen[author]!;
        seen[author] = 1;
        if (i % (8 * ROWS_AT_ONCE) === 0) await turns.next();
      }
      return { commits: rows.length, contributors };
    });
  }

  /**
   * Which of several commits each row contains: the bits of those that are the row itself or its ancestors.
   *
   * @param wanted Rows, 32 at most; the first has the lowest bit.
   */
  async bitsOf(wanted: readonly number[], turns: Turns): Promise<Uint32Array> {
    if (this.#order?.size !== this.size) {
      this.#order = { size: this.size, rows: this.#commits.order(turns) };
    }
    const order = await this.#order.rows;
    const bits = new Uint32Array(this.size);
    wanted.forEach((row, i) => bits[row]! |= 1 << i);
    await this.#commits.inherit(bits, order, turns);
    return bits;
  }

  /** The index as it can be saved for a later process; `undefined` while it is incomplete. It changes with the index. */
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

  /** Whether the storage has a commit that an earlier process has read: with it come its ancestors, but it may have been removed. */
  async #isStored(repository: Repository, row: number): Promise<boolean> {
    if (!this.#commits.isUnconfirmed(row)) return true;
    if ((await repository.header(this.oidOf(row)))?.kind !== "commit") return false;
    this.#commits.confirm(row);
    return true;
  }

  /** Whether the storage has to be asked before a commit can be told. */
  async #hasToLook(repository: Repository, oid: Oid): Promise<boolean> {
    const row = this.#commits.rowOf(oid);
    if (this.#isFull) {
      // Commits on top of what is there could be whole; that is not worth telling.
      if (row === undefined) throw tooLong();
      return false;
    }
    // A row that is not whole yet belongs to commits that are being read.
    if (row === undefined || row >= this.#wholeRows || this.#unread.length > 0) return true;
    if (this.#missing.size === 0) return false;
    const version = await repository.objectsVersion?.();
    return version === undefined || version !== this.#objectsVersion;
  }

  async #extend(repository: Repository, oid: Oid): Promise<void> {
    const turns = new Turns();
    await turns.run(async () => {
      const { size } = this;
      const hasCome = await this.#askAgain(repository, turns);
      if (this.#commits.rowOf(oid) === undefined && this.#unreadable.rowOf(oid) === undefined) {
        this.#want(oid);
      }
      while (this.#unread.length > 0) {
        await this.#readBatch(repository, turns);
        if (this.size <= this.#maxCommits) continue;
        this.#isFull = true;
        this.#unread = [];
        this.#waiting.clear();
        // What has come may be part of any history.
        if (hasCome) this.#wholeRows = 0;
        throw tooLong();
      }
      this.#wholeRows = this.size;
      if (this.size > size) this.#options.onGrowth?.(repository);
    });
  }

  /** Reads the commits that were found last, and takes note of their parents. */
  async #readBatch(repository: Repository, turns: Turns): Promise<void> {
    const oids = this.#unread.slice(-BATCH);
    const headers = await readHeaders(repository, oids, turns);
    this.#unread.length -= oids.length;
    for (const [i, oid] of oids.entries()) {
      const places = this.#waiting.get(oid) ?? [];
      const header = headers[i];
      if (header !== undefined) {
        const row = await this.#record(oid, header, turns);
        for (const place of places) this.#commits.setParent(place, row);
      } else {
        for (const place of places) this.#missing.add(oid, place);
        if (places.length === 0) await this.#refuse(repository, oid);
      }
      this.#waiting.delete(oid);
    }
    await turns.next();
  }

  /** Asks again for parents that were missing, some of them, when they may have come. Tells whether there are any that have. */
  async #askAgain(repository: Repository, turns: Turns): Promise<boolean> {
    const version = await repository.objectsVersion?.();
    const isSame = version !== undefined && version === this.#objectsVersion;
    this.#objectsVersion = version;
    if (isSame) return false;
    if (this.#unreadable.size > 0) this.#unreadable = new OidTable();
    // An earlier process may have ended in the midst of a history.
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
        await turns.next();
        continue;
      }
      this.#missing.drop();
      if (row !== undefined) this.#commits.setParent(place, row);
      else {
        this.#want(oid).push(place);
        bytes += header!.size;
      }
      hasCome = true;
      await turns.next();
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

  /** Has a commit read, and returns the places that wait for it, to be extended. */
  #want(oid: Oid): number[] {
    let places = this.#waiting.get(oid);
    if (places === undefined) {
      this.#waiting.set(oid, places = []);
      this.#unread.push(oid);
    }
    return places;
  }

  /** Caches that an object is no commit, damaged or too large. An absent one is looked for each time: it may be there then. */
  async #refuse(repository: Repository, oid: Oid): Promise<void> {
    if (this.#objectsVersion === undefined || !await isThere(repository, oid)) return;
    if (this.#unreadable.size >= SMALL_TABLES.unreadableCommits.entries) this.#unreadable = new OidTable();
    this.#unreadable.add(oid);
  }

  async #record(oid: Oid, header: CommitHeader, turns: Turns): Promise<number> {
    const { tree, timeSeconds, authorLine, parents } = header;
    const rows = new Uint32Array(parents.length);
    const start = this.#commits.parentsUsed;
    for (let i = 0; i < parents.length; i++) {
      const parent = parents[i]!;
      const row = this.#commits.rowOf(parent);
      rows[i] = row ?? ABSENT;
      if (row === undefined) this.#want(parent).push(start + i);
      if (i % PARENTS_AT_ONCE === PARENTS_AT_ONCE - 1) await turns.next();
    }
    return this.#commits.add(oid, { tree, timeSeconds, author: this.#authorId(authorLine), parents: rows });
  }

  /** Authors are told apart by what is shown of them (2.5). */
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

/** A text that holds on to no longer one that it was cut from. */
function ownText(text: string): string {
  return decoder.decode(encoder.encode(text));
}

/** Whether a set of rows, one bit for each, has a row. */
export function isIn(set: Uint8Array, row: number): boolean {
  return ((set[row >> 3] ?? 0) >> (row & 7) & 1) === 1;
}

/** A value that is made once for each key; not cached when making it failed. */
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

/** Kind and size of an object; `undefined` for what cannot be read. */
async function readObjectHeader(repository: Repository, oid: Oid): Promise<{ size: number } | undefined> {
  try {
    const header = await repository.header(oid);
    return header?.kind === "commit" ? header : undefined;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Whether there is an object, readable or not. */
async function isThere(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return true;
    throw error;
  }
}

/** What can be read of these commits; whatever is wrong with one does not spoil the others. */
async function readHeaders(
  repository: Repository,
  oids: readonly Oid[],
  turns: Turns,
): Promise<(CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      headers.push(object?.kind === "commit" ? tryHeader(object.bytes) : undefined);
      if (object !== undefined && object.bytes.length > LARGE_COMMIT_BYTES) await turns.next();
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
