/** A database whose answers are cached while its file stays as it is, and that waits for other programs without holding up anybody else. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { Environment } from "../ports/environment.ts";
import type { FileStat, FileSystem } from "../ports/file_system.ts";
import { DatabaseError, type NodeDatabase, type Row, type Statement } from "../ports/node_database.ts";
import { Freshness } from "../cache/file_freshness.ts";

/** How long a question waits for a program that is changing the database, in milliseconds, as Radicle's own readers do. */
export const READ_WAIT_MS = 3000;
/** How long a change waits, in milliseconds: likewise. */
export const WRITE_WAIT_MS = 6000;
/** Pause between two attempts, in milliseconds. */
export const BUSY_PAUSE_MS = 20;
/** Memory of a cached row, in bytes, about; an answer weighs one row more than it has. */
export const ROW_BYTES = 256;

/** A database and its surroundings. */
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

/** A database that is asked often and seldom changes. */
export class PatientDatabase {
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
    this.#pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  }

  /**
   * The rows of a query; none when there is no such database or table, or it may not be read.
   *
   * @throws {DatabaseError} when it is damaged, or stays `busy` for {@link READ_WAIT_MS}. The log has heard of it.
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

  /** As {@link read}, with no rows in place of an error. */
  async readIfPossible(query: Statement): Promise<readonly Row[]> {
    try {
      return await this.read(query);
    } catch (error) {
      if (error instanceof DatabaseError) return [];
      throw error;
    }
  }

  /**
   * Runs statements as one change.
   *
   * @throws {DatabaseError} when nothing was changed: `busy` after {@link WRITE_WAIT_MS}.
   */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.#whileBusy(WRITE_WAIT_MS, () => this.#options.database.write(statements));
  }

  /** Whether the cached answers still hold; if not, they are dropped, and later ones are of the files as they are now. */
  #dropIfChanged(): boolean {
    const stats = this.#stats();
    if (this.#freshness.length > 0 && this.#freshness.every((one, i) => one.holds(stats[i]))) return true;
    this.#freshness = stats.map((stat) => new Freshness(stat, this.#now()));
    this.#answers = createAnswerCache(this.#options.memory);
    return false;
  }

  /** Of the file and of its write-ahead log, where changes are until the node moves them to the file. */
  #stats(): readonly (FileStat | undefined)[] {
    const { fileSystem, path } = this.#options;
    try {
      return [fileSystem.stat(path), fileSystem.stat(`${path}-wal`)];
    } catch {
      // What may not be looked at is not read either: the attempt to says why.
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

  /** One line for as long as it stays the same. */
  #tell(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#told === message) return;
    this.#told = message;
    this.#options.log("warn", "A database of the home cannot be read", error);
  }
}

function createAnswerCache(memory: Memory = new Memory()): LruMap<string, readonly Row[]> {
  return memory.map("databaseAnswers", (rows) => ROW_BYTES * (rows.length + 1));
}
