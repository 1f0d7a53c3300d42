/**
 * A database whose query results are cached while its file does not change. While other programs lock the
 * database, queries and writes are tried again, without blocking other requests.
 */
import { pauseFor } from "../async/timer.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { Environment } from "../ports/environment.ts";
import type { FileStat, FileSystem } from "../ports/file_system.ts";
import { DatabaseError, type NodeDatabase, type Row, type Statement } from "../ports/node_database.ts";
import { messageOf } from "../errors.ts";
import { Freshness } from "../cache/file_freshness.ts";

/**
 * Timeout for a read while another program locks the database, in milliseconds. Radicle has the same timeout.
 */
const READ_WAIT_MS = 3000;
/**
 * Timeout for a write while another program locks the database, in milliseconds. Radicle has the same
 * timeout.
 */
const WRITE_WAIT_MS = 6000;
/** Delay between two attempts, in milliseconds. */
const BUSY_PAUSE_MS = 20;
/** Approximate memory of a cached row, in bytes. Each cached result counts as one additional row. */
const ROW_BYTES = 256;

export interface PatientOptions {
  readonly database: NodeDatabase;
  /** Absolute path of the database file. */
  readonly path: string;
  readonly fileSystem: Pick<FileSystem, "stat">;
  readonly log: Environment["log"];
  /** Returns the current time in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Resolves after this number of milliseconds. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly memory?: Memory;
}

/** A database that is read often and changed rarely. */
export class BusyRetryDatabase {
  readonly #options: PatientOptions;
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #answers: LruMap<string, readonly Row[]>;
  #freshness: readonly Freshness[] = [];
  #lastMessage: string | undefined;

  constructor(options: PatientOptions) {
    this.#options = options;
    this.#answers = createAnswerCache(options.memory);
    this.#now = options.now ?? (() => Date.now());
    this.#pause = options.pause ?? pauseFor;
  }

  /**
   * Runs a query. Returns no rows when the database or a table does not exist, or must not be read.
   *
   * @throws {DatabaseError} when the database is damaged, or stays `busy` for {@link READ_WAIT_MS}. The error
   * has already been logged.
   */
  async read(query: Statement): Promise<readonly Row[]> {
    const key = JSON.stringify([query.sql, query.values]);
    const cached = this.#dropIfChanged() ? this.#answers.get(key) : undefined;
    if (cached !== undefined) return cached;
    const answers = this.#answers;
    try {
      const rows = await this.#whileBusy(READ_WAIT_MS, () => this.#options.database.read(query)) ?? [];
      this.#lastMessage = undefined;
      answers.set(key, rows);
      return rows;
    } catch (error) {
      this.#warn(error);
      if (error instanceof DatabaseError && error.obstacle === "denied") return [];
      throw error;
    }
  }

  /** Does the same as {@link read}, but returns no rows when the query fails. */
  async readIfPossible(query: Statement): Promise<readonly Row[]> {
    try {
      return await this.read(query);
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  }

  /**
   * Runs statements in one transaction.
   *
   * @throws {DatabaseError} when nothing was changed. The reason is `busy` if other programs locked the
   * database for {@link WRITE_WAIT_MS}.
   */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.#whileBusy(WRITE_WAIT_MS, () => this.#options.database.write(statements));
  }

  /**
   * Drops the cached results if the files have changed. Returns whether the cached results are still valid.
   */
  #dropIfChanged(): boolean {
    const stats = this.#stats();
    if (this.#freshness.length > 0 && this.#freshness.every((one, i) => one.holds(stats[i]))) return true;
    this.#freshness = stats.map((stat) => new Freshness(stat, this.#now()));
    this.#answers = createAnswerCache(this.#options.memory);
    return false;
  }

  /** Returns the metadata of the file and of its write-ahead log, which contains recent changes. */
  #stats(): readonly (FileStat | undefined)[] {
    const { fileSystem, path } = this.#options;
    try {
      return [fileSystem.stat(path), fileSystem.stat(`${path}-wal`)];
    } catch {
      // The failure is ignored, because opening the file also fails and reports the reason.
      return [undefined, undefined];
    }
  }

  async #whileBusy<T>(limitMs: number, attempt: () => Promise<T>): Promise<T> {
    const endMs = this.#now() + limitMs;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const isBusy = error instanceof DatabaseError && error.obstacle === "busy";
        if (!isBusy || this.#now() >= endMs) throw error;
      }
      await this.#pause(BUSY_PAUSE_MS);
    }
  }

  #warn(error: unknown): void {
    const message = messageOf(error);
    if (this.#lastMessage === message) return;
    this.#lastMessage = message;
    this.#options.log("warn", "Cannot read a database of the home", error);
  }
}

function createAnswerCache(memory: Memory = new Memory()): LruMap<string, readonly Row[]> {
  return memory.map("databaseRows", (rows) => ROW_BYTES * (rows.length + 1));
}
