/**
 * A database whose answers are cached while its file stays as it is, and that waits for other programs
 * without holding up anybody else.
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
 * Timeout for a read while another program is changing the database, in milliseconds, like that of Radicle's
 * own readers.
 */
export const READ_WAIT_MS = 3000;
/** Timeout for a write, in milliseconds, like Radicle's own. */
export const WRITE_WAIT_MS = 6000;
/** Pause between two attempts, in milliseconds. */
export const BUSY_PAUSE_MS = 20;
/** Memory of a cached row, in bytes, about; an answer weighs one row more than it has. */
export const ROW_BYTES = 256;

/** Options of {@link BusyRetryDatabase}. */
export interface PatientOptions {
  readonly database: NodeDatabase;
  /** Absolute path of its file. */
  readonly path: string;
  readonly fileSystem: Pick<FileSystem, "stat">;
  readonly log: Environment["log"];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Resolves after some milliseconds. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Sizes of caches; the usual ones by default. */
  readonly memory?: Memory;
}

/** A database that is read often and changed seldom. */
export class BusyRetryDatabase {
  readonly #options: PatientOptions;
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #answers: LruMap<string, readonly Row[]>;
  #freshness: readonly Freshness[] = [];
  #told: string | undefined;

  constructor(options: PatientOptions) {
    this.#options = options;
    this.#answers = createAnswerCache(options.memory);
    this.#now = options.now ?? (() => Date.now());
    this.#pause = options.pause ?? pauseFor;
  }

  /**
   * Runs a query; empty when the database or a table does not exist, or may not be read.
   *
   * @throws {DatabaseError} when it is damaged, or stays `busy` for {@link READ_WAIT_MS}. The error has been
   *   logged.
   */
  async read(query: Statement): Promise<readonly Row[]> {
    const key = JSON.stringify([query.sql, query.values]);
    const cached = this.#dropIfChanged() ? this.#answers.get(key) : undefined;
    if (cached !== undefined) return cached;
    const answers = this.#answers;
    try {
      const rows = await this.#whileBusy(READ_WAIT_MS, () => this.#options.database.read(query)) ?? [];
      this.#told = undefined;
      answers.set(key, rows);
      return rows;
    } catch (error) {
      this.#tell(error);
      if (error instanceof DatabaseError && error.obstacle === "denied") return [];
      throw error;
    }
  }

  /** Like {@link read}, but returns no rows instead of throwing. */
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
   * @throws {DatabaseError} when nothing was changed: `busy` after {@link WRITE_WAIT_MS}.
   */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.#whileBusy(WRITE_WAIT_MS, () => this.#options.database.write(statements));
  }

  /**
   * Whether the cached answers still hold; if not, they are dropped, and later ones are of the files as they
   * are now.
   */
  #dropIfChanged(): boolean {
    const stats = this.#stats();
    if (this.#freshness.length > 0 && this.#freshness.every((one, i) => one.holds(stats[i]))) return true;
    this.#freshness = stats.map((stat) => new Freshness(stat, this.#now()));
    this.#answers = createAnswerCache(this.#options.memory);
    return false;
  }

  /**
   * Metadata of the file and of its write-ahead log, which has recent changes until the node checkpoints it.
   */
  #stats(): readonly (FileStat | undefined)[] {
    const { fileSystem, path } = this.#options;
    try {
      return [fileSystem.stat(path), fileSystem.stat(`${path}-wal`)];
    } catch {
      // A file whose metadata cannot be read cannot be read either; the attempt reports the reason.
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

  /** Logs one line for each new message. */
  #tell(error: unknown): void {
    const message = messageOf(error);
    if (this.#told === message) return;
    this.#told = message;
    this.#options.log("warn", "Cannot read a database of the home", error);
  }
}

function createAnswerCache(memory: Memory = new Memory()): LruMap<string, readonly Row[]> {
  return memory.map("databaseRows", (rows) => ROW_BYTES * (rows.length + 1));
}
