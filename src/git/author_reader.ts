/**
 * Reads the authors of commits that were loaded without authors, such as from git's commit-graph file. Only
 * statistics need the authors, so histories can be walked and shown before their authors are read.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { HistoryColumns, HistoryOutcome } from "../ports/made_history.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import { parseCommitHeaderInSteps } from "./commit.ts";
import { NO_AUTHOR } from "./commit_columns.ts";
import { addAuthors, type CommitTables } from "./commit_tables.ts";
import { readSome } from "./objects.ts";

/** Maximum number of commits that are read from the storage in one batch. */
const BATCH = 256;
/** Number of rows that are processed in one step, which takes less than a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Reads a whole history in a worker. */
export type ReadElsewhere = (repository: Repository, oid: Oid) => Promise<HistoryOutcome>;

/** Reads authors into the tables of a commit graph. */
export class AuthorReader {
  readonly #tables: CommitTables;
  readonly #readElsewhere: ReadElsewhere | undefined;
  /** The latest read of a history in a worker. The next read starts when this promise is settled. */
  #elsewhere: Promise<void> = Promise.resolve();
  /**
   * Whether a worker could not read a history, for instance because a commit is missing. No worker is used
   * after a failure, because it would fail again.
   */
  #hasFailed = false;

  constructor(tables: CommitTables, readElsewhere: ReadElsewhere | undefined) {
    this.#tables = tables;
    this.#readElsewhere = readElsewhere;
  }

  /** Checks whether the author of one of the rows is unknown. */
  lacks(rows: Uint32Array): boolean {
    return rows.some((row) => this.#tables.commits.authorOf(row) === NO_AUTHOR);
  }

  #lacking(rows: Uint32Array): Uint32Array {
    return rows.filter((row) => this.#tables.commits.authorOf(row) === NO_AUTHOR);
  }

  /**
   * Reads the unknown authors of the rows.
   *
   * @param tip Row of a commit whose history contains most of `rows`. A worker may read this history. If
   *   `tip` is absent, no worker is used.
   * @throws {DamagedError} when a commit is missing or damaged.
   */
  async read(
    repository: Repository,
    tip: number | undefined,
    rows: Uint32Array,
    task: Task,
  ): Promise<void> {
    if (tip !== undefined) {
      const reading = this.#elsewhere.then(() => this.#readInWorker(repository, tip, rows, task));
      this.#elsewhere = reading.catch(() => {});
      await reading;
    }
    const left = this.#lacking(rows);
    for (let at = 0; at < left.length;) {
      at += await this.#readSome(repository, left.subarray(at, at + BATCH), task);
    }
  }

  /**
   * Lets a worker read the history of `tip`, unless only a few rows lack their authors, or a worker has
   * failed before.
   */
  async #readInWorker(repository: Repository, tip: number, rows: Uint32Array, task: Task): Promise<void> {
    if (this.#hasFailed || this.#lacking(rows).length <= BATCH) return;
    const made = await this.#readElsewhere?.(repository, this.#tables.commits.oidOf(tip));
    this.#hasFailed = typeof made !== "object";
    if (typeof made === "object") await this.#take(made, task);
  }

  async #take({ oids, authors: numbers, authorHashes }: HistoryColumns, task: Task): Promise<void> {
    const { commits, authors } = this.#tables;
    const people = await addAuthors(authors, authorHashes, task);
    for (let i = 0; i < numbers.length; i++) {
      const row = commits.rowOf(oids.subarray(i * OID_BYTES, (i + 1) * OID_BYTES));
      if (row !== undefined) commits.setAuthor(row, people[numbers[i]!]!);
      if (i % ROWS_AT_ONCE === 0) await task.yield();
    }
  }

  /** Reads a batch of commits, and adds their authors. Returns the number of commits that were read. */
  async #readSome(repository: Repository, rows: Uint32Array, task: Task): Promise<number> {
    const { commits } = this.#tables;
    const objects = await readSome(repository, Array.from(rows, (row) => commits.oidOf(row)));
    for (const [i, object] of objects.entries()) {
      const placed = task.run(this.#place(rows[i]!, object));
      if (placed !== undefined) await placed;
    }
    return objects.length;
  }

  *#place(row: number, object: GitObject | undefined): Steps<void> {
    const { commits, authors } = this.#tables;
    if (object?.kind !== "commit") {
      throw new DamagedError(`Commit ${commits.oidOf(row)} is missing or damaged`);
    }
    try {
      const { authorLine } = yield* parseCommitHeaderInSteps(object.bytes);
      commits.setAuthor(row, authors.numberOf(authorLine));
    } finally {
      object.release?.();
    }
  }
}
