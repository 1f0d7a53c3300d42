/**
 * Loads commits from the storage into the tables of a commit graph: a requested commit, and all its ancestors
 * that are not loaded yet. Missing parents are looked up again when the storage has changed.
 */
import { Task } from "../scheduling/task.ts";
import { SMALL_TABLES } from "../cache/caches.ts";
import { ApiError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { HistoryOutcome, MadeHistory } from "../ports/made_history.ts";
import type { Repository } from "../ports/storage.ts";
import { AuthorTable } from "./author_table.ts";
import { ChangedPaths } from "./changed_paths.ts";
import type { CommitHeader } from "./commit.ts";
import { ABSENT, CommitColumns } from "./commit_columns.ts";
import { commitSize, isPresent, readCommitHeader, readCommitHeaders } from "./commit_headers.ts";
import { HistoryReader, readSummary } from "./history_reader.ts";
import type { HistorySummary } from "./saved_history.ts";
import type { IndexTables } from "./index_tables.ts";
import { MissingParents } from "./missing_parents.ts";
import { OidTable } from "./oid_table.ts";

/** Maximum number of indexed commits of a repository, some 85 bytes each. */
export const MAX_INDEXED_COMMITS = 1_500_000;

/** Commits read from the storage in one batch. */
const BATCH = 256;
/** Parents looked up between two pauses: below a millisecond. */
const PARENTS_AT_ONCE = 2048;

/**
 * Commits that are read before a worker is asked for a long history: reading them takes less time than the
 * start of a worker.
 */
export const COMMITS_BEFORE_WORKER = 1024;

/** Most missing parents that are looked up again when the storage's objects have changed. */
export const MISSING_ASKED_AGAIN = 4096;
/** Most missing parents that are looked up again at each load, if the storage has no `objectsVersion`. */
export const MISSING_ASKED_EACH_TIME = 16;
/** Bytes of formerly missing parents after which no more are looked up, until the next change. */
const BYTES_ASKED_AGAIN = 16 * 2 ** 20;

/** `Retry-After` of a request that needs a lost part of a saved history, in seconds. */
const LOST_RETRY_SECONDS = 1;

/** Options of a {@link CommitLoader}. */
export interface CommitLoaderOptions {
  /** Loads the saved tables; called once, before the first commit is loaded. */
  readonly loadSaved?: (() => Promise<IndexTables | undefined>) | undefined;
  /** Called when commits have been added, with the storage they come from. */
  readonly onGrowth?: ((repository: Repository) => void) | undefined;
  /**
   * Called while commits are read, after some hundred each time, with the number of commits in the graph;
   * with `undefined` at the end.
   */
  readonly onProgress?: ((commits: number | undefined) => void) | undefined;
  /** Called when missing parents have been found, which changes the histories of loaded commits. */
  readonly onParentsFound: () => void;
  /** Whether the saved history with a digest may be read from derived data; by default it may. */
  readonly readsHistory?: ((digest: string) => boolean) | undefined;
  /**
   * Called when a part of the saved history with a digest cannot be read. The graph cannot be used any more.
   */
  readonly onLostHistory?: ((digest: string, cause: unknown) => void) | undefined;
  /** Most commits in the graph; {@link MAX_INDEXED_COMMITS} by default. */
  readonly maxCommits?: number | undefined;
  /** Reads a whole history in a worker; `undefined` where it has to be read here. */
  readonly readElsewhere?: ((repository: Repository, oid: Oid) => Promise<HistoryOutcome>) | undefined;
  /** Called with a history that a worker has read, when its commits are loaded. */
  readonly onAdopted?: ((made: MadeHistory) => void) | undefined;
  /** Whether nothing else is done in this thread meanwhile. */
  readonly isAlone?: boolean | undefined;
}

/** The tables of one repository's commits, which only grow. Concurrent loads run one after the other. */
export class CommitLoader {
  readonly #options: CommitLoaderOptions;
  readonly #maxCommits: number;
  #commits = new CommitColumns();
  #paths = new ChangedPaths();
  #authors = new AuthorTable();
  #missing = new MissingParents();
  /** Commits to be read. */
  #unread: Oid[] = [];
  /** For each commit to be read, the places of parents that refer to it. */
  readonly #waiting = new Map<Oid, number[]>();
  /** Requested objects that are present and unreadable. */
  #unreadable = new OidTable();
  /** The storage's objects version at the last look-up of missing parents. */
  #objectsVersion: number | undefined;
  /** Whether the missing parents of the saved tables have not been looked up yet. */
  #isFromSaved = false;
  /** The ancestors of all rows below this number are loaded, as far as they are present. */
  #wholeRows = 0;
  #isFull = false;
  #loading: Promise<void> | undefined;
  /** Whether saved tables have been looked for. */
  #isBegun = false;
  /** A saved history of which not all rows are loaded; then the tables have no other rows. */
  #history: HistoryReader | undefined;
  /** The repository of that history. */
  #source: Repository | undefined;

  constructor(options: CommitLoaderOptions) {
    this.#options = options;
    this.#maxCommits = options.maxCommits ?? MAX_INDEXED_COMMITS;
  }

  /** The summary of the saved history of row 0, as long as the graph has only a part of that history. */
  get partial(): HistorySummary | undefined {
    return this.#history?.summary;
  }

  /** Whether only a part of a saved history is loaded, and another one has been saved since. */
  isOutdated(repository: Repository): Promise<boolean> | false {
    return this.#history !== undefined && this.#history.isReplaced(repository);
  }

  /** The loaded commits. */
  get commits(): CommitColumns {
    return this.#commits;
  }

  /** The paths that commits change, as far as they are listed. */
  get paths(): ChangedPaths {
    return this.#paths;
  }

  /** Number of different authors. */
  get authorCount(): number {
    return this.#authors.hashes.size;
  }

  /** Approximate memory of the tables, in bytes. */
  get memoryBytes(): number {
    return [this.#commits, this.#authors, this.#paths, this.#missing, this.#unreadable]
      .reduce((sum, table) => sum + table.memoryBytes, 0);
  }

  /** The tables to be saved; `undefined` while they are incomplete. They change with the graph. */
  get tables(): IndexTables | undefined {
    const isPartial = this.#history !== undefined || this.#isFull || this.#unread.length > 0;
    return isPartial || this.#missing.isCutOff ? undefined : this.#tables;
  }

  get #tables(): IndexTables {
    return {
      commits: this.#commits,
      authors: this.#authors.hashes,
      paths: this.#paths,
      missing: this.#missing,
    };
  }

  /**
   * Loads a commit with all its ancestors and returns its row; `undefined` when it is absent or unreadable.
   *
   * @throws {ApiError} `payloadTooLarge` when the graph would have more than {@link MAX_INDEXED_COMMITS}
   *   commits.
   */
  async load(repository: Repository, oid: Oid): Promise<number | undefined> {
    this.#loading ??= this.#loadSaved(repository);
    if (!this.#isBegun) await this.#loading;
    if (this.#history !== undefined) {
      const row = this.#commits.rowOf(oid);
      await this.loadRows(row === undefined ? Infinity : row + 1);
      if (row !== undefined) return await this.#isStored(repository, row) ? row : undefined;
    }
    if (await this.#hasToRead(repository, oid)) {
      const loading = this.#loading.then(() => this.#extend(repository, oid))
        .finally(() => this.#options.onProgress?.(undefined));
      this.#loading = loading.catch(() => {});
      await loading;
    }
    const row = this.#commits.rowOf(oid);
    if (row !== undefined && row >= this.#wholeRows) throw tooLong();
    return row !== undefined && await this.#isStored(repository, row) ? row : undefined;
  }

  /**
   * Loads the first rows of a saved history, with their parents; `undefined` when they are loaded.
   *
   * @throws {ApiError} `unavailable` when they cannot be read any more.
   */
  loadRows(rows: number): Promise<void> | undefined {
    return this.#history === undefined || this.#history.has(rows) ? undefined : this.#loadRows(rows);
  }

  async #loadRows(rows: number): Promise<void> {
    const loading = this.#loading!.then(async () => {
      const history = this.#history;
      if (history === undefined) return;
      await history.load(this.#source!, this.#tables, rows, new Task());
      if (history.isWhole) this.#endHistory();
    });
    this.#loading = loading.catch(() => {});
    try {
      await loading;
    } catch (cause) {
      if (this.#history !== undefined) this.#options.onLostHistory?.(this.#history.digest, cause);
      throw new ApiError("unavailable", "A part of the history cannot be read now", {
        retryAfterSeconds: LOST_RETRY_SECONDS,
      });
    }
  }

  /** All rows of the saved history are loaded: from here on the tables are like any saved ones. */
  #endHistory(): void {
    this.#history = undefined;
    this.#isFromSaved = true;
    this.#wholeRows = this.#commits.size;
    this.#options.onGrowth?.(this.#source!);
    this.#source = undefined;
  }

  async #loadSaved(repository: Repository): Promise<void> {
    try {
      if (await this.#loadTables(repository)) return;
      const found = await readSummary(repository, this.#options.readsHistory);
      if (found === undefined) return;
      const history = new HistoryReader(found);
      try {
        await history.load(repository, this.#tables, 1, new Task());
      } catch {
        this.#commits = new CommitColumns();
        this.#paths = new ChangedPaths();
        this.#authors = new AuthorTable();
        return;
      }
      this.#source = repository;
      this.#history = history;
      if (history.isWhole) this.#endHistory();
    } finally {
      this.#isBegun = true;
    }
  }

  /** Loads saved tables; returns whether there are any. */
  async #loadTables(repository: Repository): Promise<boolean> {
    const saved = await this.#options.loadSaved?.();
    if (saved === undefined) return false;
    this.#commits = saved.commits;
    this.#paths = saved.paths;
    this.#authors = new AuthorTable(saved.authors);
    this.#missing = saved.missing;
    this.#isFromSaved = true;
    this.#wholeRows = this.#commits.size;
    this.#options.onGrowth?.(repository);
    return true;
  }

  /**
   * Whether the storage still has a commit of the saved tables, which may have been removed since. Checked
   * once for each requested commit; its ancestors are taken to be present with it.
   */
  async #isStored(repository: Repository, row: number): Promise<boolean> {
    if (!this.#commits.isUnconfirmed(row)) return true;
    if ((await repository.header(this.#commits.oidOf(row)))?.kind !== "commit") return false;
    this.#commits.confirm(row);
    return true;
  }

  /** Whether the storage has to be read before the history of a commit is known. */
  async #hasToRead(repository: Repository, oid: Oid): Promise<boolean> {
    const row = this.#commits.rowOf(oid);
    if (this.#isFull) {
      // The history of an unknown commit is refused, even if all its parents are known: a rare case.
      if (row === undefined) throw tooLong();
      return false;
    }
    // Unread commits belong to a running load, or to one that failed; this row may descend from them.
    if (row === undefined || row >= this.#wholeRows || this.#unread.length > 0) return true;
    if (this.#missing.size === 0) return false;
    const version = await repository.objectsVersion?.();
    return version === undefined || version !== this.#objectsVersion;
  }

  /** The tables, to be moved to another thread; then the loader cannot be used any more. */
  move(): Pick<MadeHistory, "commits" | "authors" | "missing"> {
    return {
      commits: this.#commits.move(),
      authors: this.#authors.hashes.move(),
      missing: { ...this.#missing.save(), isCutOff: this.#missing.isCutOff },
    };
  }

  async #extend(repository: Repository, oid: Oid): Promise<void> {
    const task = this.#options.isAlone ? Task.unbroken() : new Task("background");
    const { size } = this.#commits;
    let areFound = await this.#readMissing(repository, task);
    let mayAskWorker = size === 0 && this.#options.readElsewhere !== undefined;
    if (this.#commits.rowOf(oid) === undefined && this.#unreadable.rowOf(oid) === undefined) {
      this.#request(oid);
    }
    while (this.#unread.length > 0) {
      const read = this.#unread.length === 1
        ? this.#readOne(repository, task)
        : this.#readBatch(repository, task);
      if (read !== undefined) await read;
      const pause = task.yield();
      if (pause !== undefined) await pause;
      this.#options.onProgress?.(this.#commits.size);
      if (mayAskWorker && this.#commits.size >= COMMITS_BEFORE_WORKER && this.#unread.length > 0) {
        mayAskWorker = false;
        if (await this.#adopt(repository, oid)) areFound = await this.#readMissing(repository, task);
      }
      if (this.#commits.size <= this.#maxCommits) continue;
      // A parent that was found may belong to any history, which is incomplete now.
      if (areFound) this.#wholeRows = 0;
      throw this.#fill();
    }
    this.#wholeRows = this.#commits.size;
    if (this.#wholeRows > size) this.#options.onGrowth?.(repository);
  }

  /** Refuses further commits; returns the error for that. */
  #fill(): ApiError {
    this.#isFull = true;
    this.#unread = [];
    this.#waiting.clear();
    return tooLong();
  }

  /**
   * Has a worker read the requested history; returns whether it has. Its tables take the place of the commits
   * read so far: nobody has their rows yet. Missing parents are looked up again, as the ones of saved tables.
   *
   * @throws {ApiError} `payloadTooLarge` as {@link load}.
   */
  async #adopt(repository: Repository, oid: Oid): Promise<boolean> {
    const made = await this.#options.readElsewhere?.(repository, oid);
    if (made === undefined) return false;
    if (made === "tooLong" || made.commits.oids.size > this.#maxCommits) throw this.#fill();
    this.#commits = CommitColumns.adopt(made.commits);
    this.#authors = new AuthorTable(OidTable.adopt(made.authors));
    this.#missing = MissingParents.from(made.missing, made.missing.isCutOff);
    this.#unread = [];
    this.#waiting.clear();
    this.#unreadable = new OidTable();
    this.#objectsVersion = undefined;
    this.#isFromSaved = true;
    this.#options.onAdopted?.(made);
    return true;
  }

  /**
   * Reads the only requested commit, and requests its parents. Most commits of most histories are read here,
   * one after the other, so nothing is awaited where nothing has to be.
   */
  #readOne(repository: Repository, task: Task): Promise<void> | undefined {
    const oid = this.#unread[0]!;
    const header = readCommitHeader(repository, oid, task);
    if (header instanceof Promise) {
      return header.then((header) => {
        this.#unread.pop();
        return this.#place(repository, oid, header, task);
      });
    }
    this.#unread.pop();
    return this.#place(repository, oid, header, task);
  }

  /** Reads the last of the requested commits, and requests their parents. */
  async #readBatch(repository: Repository, task: Task): Promise<void> {
    const oids = this.#unread.slice(-BATCH);
    const headers = await readCommitHeaders(repository, oids, task);
    this.#unread.length -= oids.length;
    for (let i = 0; i < oids.length; i++) {
      const placed = this.#place(repository, oids[i]!, headers[i], task);
      if (placed !== undefined) await placed;
    }
  }

  /** Adds a commit that was requested, or notes that it is missing. */
  #place(
    repository: Repository,
    oid: Oid,
    header: CommitHeader | undefined,
    task: Task,
  ): Promise<void> | undefined {
    const places = this.#waiting.get(oid) ?? [];
    this.#waiting.delete(oid);
    if (header === undefined) {
      for (const place of places) this.#missing.add(oid, place);
      return places.length === 0 ? this.#markUnreadable(repository, oid) : undefined;
    }
    const setParents = (row: number) => {
      for (const place of places) this.#commits.setParent(place, row);
    };
    if (header.parents.length >= PARENTS_AT_ONCE) {
      return this.#addSlowly(oid, header, task).then(setParents);
    }
    const rows = new Uint32Array(header.parents.length);
    for (let i = 0; i < rows.length; i++) rows[i] = this.#rowOrRequest(header.parents[i]!, i);
    setParents(this.#addRow(oid, header, rows));
  }

  /**
   * Looks up some of the missing parents again, if the storage may have them now, and requests those that it
   * has. Returns whether one was found.
   */
  async #readMissing(repository: Repository, task: Task): Promise<boolean> {
    const version = await repository.objectsVersion?.();
    const isSame = version !== undefined && version === this.#objectsVersion;
    this.#objectsVersion = version;
    if (isSame) return false;
    if (this.#unreadable.size > 0) this.#unreadable = new OidTable();
    // Any number of objects may have come since the tables were saved.
    const limit = this.#isFromSaved
      ? Infinity
      : version === undefined
      ? MISSING_ASKED_EACH_TIME
      : MISSING_ASKED_AGAIN;
    this.#isFromSaved = false;
    let areFound = false;
    let bytes = 0;
    for (let left = Math.min(limit, this.#missing.size); left > 0 && bytes < BYTES_ASKED_AGAIN; left--) {
      const { oid, place } = this.#missing.look()!;
      const row = this.#commits.rowOf(oid);
      const size = row === undefined ? await commitSize(repository, oid) : undefined;
      if (row !== undefined || size !== undefined) {
        this.#missing.drop();
        if (row !== undefined) this.#commits.setParent(place, row);
        else this.#request(oid).push(place);
        bytes += size ?? 0;
        areFound = true;
      }
      await task.yield();
    }
    if (areFound) this.#options.onParentsFound();
    return areFound;
  }

  /** Requests a commit. Returns the places of parents that refer to it, for the caller to extend. */
  #request(oid: Oid): number[] {
    let places = this.#waiting.get(oid);
    if (places === undefined) {
      this.#waiting.set(oid, places = []);
      this.#unread.push(oid);
    }
    return places;
  }

  /**
   * Marks an object as unreadable until the storage's objects change, if it is present: damaged, too large,
   * or not a commit. An absent object is looked up each time. Without an objects version nothing is marked.
   */
  async #markUnreadable(repository: Repository, oid: Oid): Promise<void> {
    if (this.#objectsVersion === undefined || !await isPresent(repository, oid)) return;
    if (this.#unreadable.size >= SMALL_TABLES.unreadableCommits.entries) this.#unreadable = new OidTable();
    this.#unreadable.add(oid);
  }

  /** Adds a commit with many parents. */
  async #addSlowly(oid: Oid, header: CommitHeader, task: Task): Promise<number> {
    const { parents } = header;
    const rows = new Uint32Array(parents.length);
    for (let i = 0; i < parents.length; i++) {
      rows[i] = this.#rowOrRequest(parents[i]!, i);
      if (i % PARENTS_AT_ONCE === PARENTS_AT_ONCE - 1) await task.yield();
    }
    return this.#addRow(oid, header, rows);
  }

  /** The row of a parent of the next commit; an unknown parent is requested. */
  #rowOrRequest(parent: Oid, number: number): number {
    const row = this.#commits.rowOf(parent);
    if (row === undefined) this.#request(parent).push(this.#commits.parentsUsed + number);
    return row ?? ABSENT;
  }

  #addRow(oid: Oid, { tree, timeSeconds, authorLine }: CommitHeader, parents: Uint32Array): number {
    const author = this.#authors.numberOf(authorLine);
    return this.#commits.add(oid, { tree, timeSeconds, author, parents });
  }
}

function tooLong(): ApiError {
  return new ApiError("payloadTooLarge", `History is longer than ${MAX_INDEXED_COMMITS} commits`);
}
