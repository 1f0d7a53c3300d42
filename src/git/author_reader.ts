/**
 * Reads the authors of commits whose rows came from a table without authors. Only statistics need them, so
 * histories are walked and shown before.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { HistoryColumns, HistoryOutcome } from "../ports/made_history.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import type { Steps, Task } from "../scheduling/task.ts";
import { parseCommitHeaderInSteps } from "./commit.ts";
import { NO_AUTHOR } from "./commit_columns.ts";
import type { CommitTables } from "./commit_tables.ts";
import { readSome } from "./objects.ts";

/** Commits read from the storage in one batch. */
const BATCH = 256;
/** Rows processed in one step: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** Reads a whole history in a worker. */
export type ReadElsewhere = (repository: Repository, oid: Oid) => Promise<HistoryOutcome>;

/** Reads authors into tables. */
export class AuthorReader {
  readonly #tables: CommitTables;
  readonly #repository: Repository;
  readonly #readElsewhere: ReadElsewhere | undefined;
  /** The worker's history. Read once: a worker that fails at a missing commit would fail again. */
  #elsewhere: Promise<void> | undefined;

  constructor(tables: CommitTables, repository: Repository, readElsewhere: ReadElsewhere | undefined) {
    this.#tables = tables;
    this.#repository = repository;
    this.#readElsewhere = readElsewhere;
  }

  /**
   * Reads the authors of the rows that lack them.
   *
   * @param tip A row whose history has most of these rows: a worker may read it. By default no worker does.
   * @throws {DamagedError} when a commit is missing or damaged.
   */
  async read(tip: number | undefined, rows: Uint32Array, task: Task): Promise<void> {
    const { commits } = this.#tables;
    if (!rows.some((row) => commits.authorOf(row) === NO_AUTHOR)) return;
    if (tip !== undefined) await (this.#elsewhere ??= this.#readInWorker(commits.oidOf(tip), task));
    const left = rows.filter((row) => commits.authorOf(row) === NO_AUTHOR);
    for (let at = 0; at < left.length;) at += await this.#readSome(left.subarray(at, at + BATCH), task);
  }

  async #readInWorker(oid: Oid, task: Task): Promise<void> {
    try {
      const made = await this.#readElsewhere?.(this.#repository, oid);
      if (typeof made === "object") await this.#take(made, task);
    } catch (error) {
      this.#elsewhere = undefined;
      throw error;
    }
  }

  /** Takes the authors of a history that a worker has read. */
  async #take({ oids, authors: numbers, authorHashes }: HistoryColumns, task: Task): Promise<void> {
    const { commits, authors } = this.#tables;
    const people: number[] = [];
    for (let at = 0; at < authorHashes.length; at += OID_BYTES) {
      people.push(authors.hashes.add(authorHashes.subarray(at, at + OID_BYTES)));
      if (people.length % ROWS_AT_ONCE === 0) await task.yield();
    }
    for (let i = 0; i < numbers.length; i++) {
      const row = commits.rowOf(oids.subarray(i * OID_BYTES, (i + 1) * OID_BYTES));
      if (row !== undefined) commits.setAuthor(row, people[numbers[i]!]!);
      if (i % ROWS_AT_ONCE === 0) await task.yield();
    }
  }

  /** Reads a batch of commits. Returns the number of rows that were read. */
  async #readSome(rows: Uint32Array, task: Task): Promise<number> {
    const { commits } = this.#tables;
    const objects = await readSome(this.#repository, Array.from(rows, (row) => commits.oidOf(row)));
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
