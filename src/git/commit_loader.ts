/**
 * Loads a requested commit, and all its ancestors that are not loaded yet, into the tables of a commit graph.
 * The tables come from the first available source: a saved index; a table of the storage, such as git's
 * commit-graph file; a worker that has read the history; or the storage, commit by commit.
 */
import type { Task } from "../scheduling/task.ts";
import { HistoryTooLongError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Awaitable, Repository } from "../ports/storage.ts";
import { AuthorReader, type ReadElsewhere } from "./author_reader.ts";
import { CommitReader } from "./commit_reader.ts";
import { addColumns, type CommitTables, emptyTables } from "./commit_tables.ts";

/** Maximum number of commits in a graph. Each commit takes some 85 bytes. */
export const MAX_INDEXED_COMMITS = 1_500_000;

/**
 * Number of commits that the calling thread reads before a worker starts to read a long history. Reading
 * these commits takes some ten milliseconds in a new process, which is less than a worker needs to start.
 */
const COMMITS_BEFORE_WORKER = 32;

export interface CommitLoaderOptions {
  /** Loads the saved tables. Called once, before the first commit is loaded. */
  readonly loadSaved?: ((task: Task) => Promise<CommitTables | undefined>) | undefined;
  /** Loads a table of the storage. Called once, when there are no saved tables. */
  readonly loadTable?: ((repository: Repository) => Awaitable<HistoryColumns | undefined>) | undefined;
  /** Called when commits have been added, with the storage from which they were read. */
  readonly onGrowth?: ((repository: Repository) => void) | undefined;
  /**
   * Called with the number of commits in the graph after every few hundred commits, and with `undefined` at
   * the end.
   */
  readonly onProgress?: ((commits: number | undefined) => void) | undefined;
  /** Called when missing parents may have been found, which changes the history of loaded commits. */
  readonly onParentsFound: () => void;
  /** Maximum number of commits in the graph. Its default is {@link MAX_INDEXED_COMMITS}. */
  readonly maxCommits?: number | undefined;
  /**
   * Reads a whole history in a worker. Without this function, or if it returns `undefined`, the calling
   * thread reads the history.
   */
  readonly readElsewhere?: ReadElsewhere | undefined;
}

/** Loads the commits of one repository. Its tables only grow. Concurrent loads run one after the other. */
export class CommitLoader {
  readonly #options: CommitLoaderOptions;
  readonly #maxCommits: number;
  #reader = new CommitReader(emptyTables());
  /** Reads authors, if the tables began without them. */
  #authors: AuthorReader | undefined;
  /** All rows below this number have their whole history, except for missing parents. */
  #wholeRows = 0;
  /** For each row of saved tables: 1 if the storage was found to have the commit. */
  #isConfirmed = new Uint8Array(0);
  #isFull = false;
  #begun: Promise<void> | undefined;
  /** The latest load. The next load starts when this promise is settled. */
  #loading: Promise<void> = Promise.resolve();

  constructor(options: CommitLoaderOptions) {
    this.#options = options;
    this.#maxCommits = options.maxCommits ?? MAX_INDEXED_COMMITS;
  }

  /**
   * Reads commits into the tables. Replaced together with the tables, for instance when a worker has read the
   * history.
   */
  get reader(): CommitReader {
    return this.#reader;
  }

  /**
   * Whether the tables have all requested commits with all their ancestors, and all exact times. Only such
   * tables are saved.
   */
  get isComplete(): boolean {
    const { isIdle, hasAllParents, tables } = this.#reader;
    return !this.#isFull && isIdle && hasAllParents && tables.commits.hasExactTimes;
  }

  /**
   * Loads a commit with all its ancestors and returns its row; `undefined` when the commit is missing or
   * cannot be read.
   *
   * @throws {HistoryTooLongError} when the graph would have more than its maximum number of commits.
   * @throws {UnavailableError} when the table of a remote storage cannot be read now.
   */
  async load(repository: Repository, oid: Oid, task: Task): Promise<number | undefined> {
    await (this.#begun ??= this.#begin(repository, task).catch((error) => {
      // A remote storage may be readable again later.
      this.#begun = undefined;
      throw error;
    }));
    if (this.#hasToRead(oid)) {
      const loading = this.#loading.then(() => this.#extend(repository, oid, task));
      this.#loading = loading.catch(() => {});
      try {
        await loading;
      } finally {
        this.#options.onProgress?.(undefined);
      }
    }
    const row = this.#reader.tables.commits.rowOf(oid);
    if (row !== undefined && row >= this.#wholeRows) throw tooLong();
    return row !== undefined && await this.#isStored(repository, row) ? row : undefined;
  }

  /** Loads saved tables, or the table of the storage, if they exist. */
  async #begin(repository: Repository, task: Task): Promise<void> {
    const saved = await this.#options.loadSaved?.(task);
    if (saved !== undefined) return this.#use(saved, repository);
    const table = await this.#options.loadTable?.(repository);
    if (table !== undefined) await this.#useTable(table, repository, task);
  }

  async #useTable(table: HistoryColumns, repository: Repository, task: Task): Promise<void> {
    const tables = emptyTables();
    await addColumns(tables, table, task);
    if (!tables.commits.hasAllAuthors) this.#authors = new AuthorReader(tables, this.#options.readElsewhere);
    this.#use(tables, repository);
  }

  /**
   * Reads the unknown authors of some rows. Returns `undefined` when all of these authors are known.
   *
   * @param tip Row of a commit whose history contains most of `rows`. A worker may read this history. If
   *   `tip` is `undefined`, no worker is used.
   * @throws {DamagedError} when a commit is missing or damaged.
   */
  loadAuthors(
    repository: Repository | undefined,
    tip: number | undefined,
    rows: Uint32Array,
    task: Task,
  ): Promise<void> | undefined {
    if (this.#authors === undefined || !this.#authors.lacks(rows)) return undefined;
    if (repository === undefined) throw new TypeError("Authors are read from a repository");
    return this.#authors.read(repository, tip, rows, task)
      .finally(() => this.#options.onProgress?.(undefined));
  }

  #use(tables: CommitTables, repository: Repository): void {
    this.#reader = new CommitReader(tables);
    this.#wholeRows = tables.commits.size;
    this.#isConfirmed = new Uint8Array(this.#wholeRows);
    this.#options.onGrowth?.(repository);
  }

  /**
   * Checks whether the storage still has a commit of the saved tables. The storage is asked only once for
   * each requested commit. If the storage has the commit, its ancestors are assumed to exist.
   */
  async #isStored(repository: Repository, row: number): Promise<boolean> {
    if (this.#isConfirmed[row] !== 0) return true;
    if ((await repository.header(this.#reader.tables.commits.oidOf(row)))?.kind !== "commit") return false;
    this.#isConfirmed[row] = 1;
    return true;
  }

  #hasToRead(oid: Oid): boolean {
    const { isIdle, tables: { commits, missing } } = this.#reader;
    const row = commits.rowOf(oid);
    if (this.#isFull) {
      // If the graph is full, a commit without a row is refused, even if all parents of the commit have rows.
      // This case is rare.
      if (row === undefined) throw tooLong();
      return false;
    }
    // A load that is running or has failed leaves commits unread, which may be ancestors of this commit.
    return row === undefined || row >= this.#wholeRows || !isIdle || missing.size > 0;
  }

  async #extend(repository: Repository, oid: Oid, task: Task): Promise<void> {
    const { commits: { size }, missing } = this.#reader.tables;
    // A parent that was missing and is found now may belong to the history of any row.
    const mayFindParents = missing.size > 0;
    await this.#reader.requestMissing(repository, task);
    let mayAskWorker = size === 0 && this.#options.readElsewhere !== undefined;
    this.#reader.request(oid);
    while (!this.#reader.isIdle) {
      await this.#reader.readSome(repository, task);
      const pause = task.yield();
      if (pause !== undefined) await pause;
      this.#options.onProgress?.(this.#reader.tables.commits.size);
      if (mayAskWorker && this.#reader.tables.commits.size >= COMMITS_BEFORE_WORKER && !this.#reader.isIdle) {
        mayAskWorker = false;
        await this.#adopt(repository, oid, task);
      }
      if (this.#reader.tables.commits.size <= this.#maxCommits) continue;
      throw this.#fill(mayFindParents ? 0 : this.#wholeRows);
    }
    this.#wholeRows = this.#reader.tables.commits.size;
    if (this.#wholeRows === size) return;
    if (mayFindParents) this.#options.onParentsFound();
    this.#options.onGrowth?.(repository);
  }

  /**
   * Marks the graph as full, so that further commits are refused. Returns the error for the caller to throw.
   */
  #fill(rows: number): HistoryTooLongError {
    this.#wholeRows = rows;
    this.#isFull = true;
    this.#reader.dropRequests();
    return tooLong();
  }

  /**
   * Lets a worker read the requested history. The tables of the worker replace the commits read so far, whose
   * rows are not in use yet. If a parent is missing, the calling thread reads the history instead.
   *
   * @throws {HistoryTooLongError} when the graph would have more than its maximum number of commits.
   */
  async #adopt(repository: Repository, oid: Oid, task: Task): Promise<void> {
    const made = await this.#options.readElsewhere?.(repository, oid);
    if (made === undefined) return;
    if (made === "tooLong" || made.times.length > this.#maxCommits) throw this.#fill(this.#wholeRows);
    const tables = emptyTables();
    await addColumns(tables, made, task);
    this.#reader = new CommitReader(tables);
  }
}

function tooLong(): HistoryTooLongError {
  return new HistoryTooLongError(`History is longer than ${MAX_INDEXED_COMMITS} commits`);
}
