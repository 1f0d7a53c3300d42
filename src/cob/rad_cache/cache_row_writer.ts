/**
 * Updates rows of `rad`'s cache while other programs write to the cache. Rows are written one by one. If the
 * cache is locked, the writer waits, and repeats failed writes.
 */
import { pauseFor } from "../../async/timer.ts";
import type { Environment } from "../../ports/environment.ts";
import { Task } from "../../scheduling/task.ts";
import { type CachedObject, type CobCache, CobCacheError, type RowForm } from "../../ports/cob_cache.ts";

/** Timeout for locks of other programs in one attempt, in milliseconds. `rad` uses the same timeout. */
const LOCK_WAIT_MS = 6000;
/**
 * First delay before a locked database is tried again, in milliseconds. Every further delay is twice as long,
 * up to {@link LONGEST_PAUSE_MS}.
 */
const FIRST_PAUSE_MS = 10;
/** Maximum delay between two attempts, in milliseconds. */
const LONGEST_PAUSE_MS = 250;
/**
 * Number of consecutive failures after which a row counts as locked. A write fails when another program has
 * changed the row since it was read.
 */
const MAX_RACES = 8;
/** Maximum number of rows that wait for a further attempt. If there are more rows, the oldest are dropped. */
const MAX_PENDING = 1024;
/**
 * Maximum length of a row, in UTF-16 units. Longer rows are not written, because writing a row blocks the
 * process.
 */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;

/** Returned instead of a row that is too large. */
export const TOO_LARGE_ROW: unique symbol = Symbol("too large");

/**
 * Creates the row of an object from the present state of the repository. Returns `undefined` when the Radicle
 * programs that read the format `form` cannot read the object.
 */
export type MakeRow = (form: RowForm, task: Task) => Promise<string | typeof TOO_LARGE_ROW | undefined>;

export interface RowWriterOptions {
  readonly cache: CobCache;
  readonly log: Environment["log"];
  readonly wait?: (ms: number) => Promise<void>;
}

interface Job {
  readonly object: CachedObject;
  readonly makeRow: MakeRow;
  readonly waiting: (() => void)[];
  isReported: boolean;
}

/** Writes rows one by one, and repeats failed writes. */
export class RowWriter {
  readonly #cache: CobCache;
  readonly #log: Environment["log"];
  readonly #wait: (ms: number) => Promise<void>;
  /**
   * Jobs by type and id of the object. If writing a row fails, its job is not removed, so that the row is
   * tried again.
   */
  readonly #jobs = new Map<string, Job>();
  readonly #warned = new Set<string>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor({ cache, log, wait = pauseFor }: RowWriterOptions) {
    this.#cache = cache;
    this.#log = log;
    this.#wait = wait;
  }

  /**
   * Writes the row of an object, and all rows that failed before. A failed row is logged once, and is tried
   * again when the next row is written. The returned promise is fulfilled after one attempt, which waits for
   * locks for about {@link LOCK_WAIT_MS}. The promise is never rejected.
   */
  update(object: CachedObject, makeRow: MakeRow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const key = `${object.type} ${object.id}`;
    const waiting = [...this.#jobs.get(key)?.waiting ?? [], resolve];
    this.#jobs.delete(key);
    this.#jobs.set(key, { object, makeRow, waiting, isReported: false });
    this.#forgetOldest();
    this.#running ??= this.#run();
    return promise;
  }

  /** Stops waiting for locks. The returned promise is fulfilled when no row is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const tried = new Set<Job>();
    const retry = new LockRetry(async (ms) => {
      if (this.#isClosed) throw new CobCacheError("busy", "The service ends");
      await this.#wait(ms);
    });
    const task = new Task();
    for (let next = this.#next(tried); next !== undefined; next = this.#next(tried)) {
      const [key, job] = next;
      tried.add(job);
      await task.yield();
      if (await this.#try(job, retry, task) && this.#jobs.get(key) === job) this.#jobs.delete(key);
      endWaiting(job);
    }
    this.#running = undefined;
  }

  #next(tried: ReadonlySet<Job>): [string, Job] | undefined {
    for (const entry of this.#jobs) if (!tried.has(entry[1])) return entry;
    return undefined;
  }

  /**
   * Returns whether the row needs no further attempt, because it was written or because it can never be
   * written.
   */
  async #try(job: Job, retry: LockRetry, task: Task): Promise<boolean> {
    const { object: { rid, type, id } } = job;
    try {
      await retry.withLock(() => this.#write(job, task));
      return true;
    } catch (error) {
      if (error instanceof CobCacheError && error.obstacle === "foreign") {
        this.#warnOnce(error);
        return true;
      }
      if (!job.isReported) {
        job.isReported = true;
        const reason = error instanceof CobCacheError ? error.message : "it could not be made";
        this.#log("warn", `The row of ${type} ${id} of ${rid} for rad is not up to date: ${reason}`, error);
      }
      return false;
    }
  }

  /**
   * The row is read before the object is evaluated. If another program replaces the row in the meantime,
   * `replace` returns `false`, and the row is created again with the change of that program.
   */
  async #write({ object, makeRow }: Job, task: Task): Promise<void> {
    for (let race = 0; race < MAX_RACES; race++) {
      const before = await this.#cache.read(object);
      if (before === undefined) return;
      const text = await makeRow(before.form, task);
      if (text === undefined || text === TOO_LARGE_ROW || text.length > MAX_ROW_LENGTH) {
        const reason = text === undefined ? `rad ${before.form} could not read it` : "it is too large";
        this.#log("warn", `Made no row of ${object.type} ${object.id} of ${object.rid} for rad: ${reason}`);
        return;
      }
      if (text === before.text || await this.#cache.replace(object, before, text)) return;
    }
    throw new CobCacheError("busy", "Another program keeps changing the row");
  }

  #warnOnce({ message }: CobCacheError): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#log("warn", `Cannot keep rad's cache (cobs/cache.db) up to date: ${message}`);
  }

  #forgetOldest(): void {
    for (const [key, task] of this.#jobs) {
      if (this.#jobs.size <= MAX_PENDING) return;
      this.#jobs.delete(key);
      endWaiting(task);
    }
  }
}

/** Repeats an operation while a lock prevents it, until a timeout. Every success restarts the timeout. */
export class LockRetry {
  readonly #wait: (ms: number) => Promise<void>;
  #waitedMs = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(wait: (ms: number) => Promise<void> = pauseFor) {
    this.#wait = wait;
  }

  /**
   * Runs `step`, and repeats it while a lock prevents it.
   *
   * @throws {CobCacheError} `busy` after {@link LOCK_WAIT_MS}, and all other errors of `step`.
   */
  async withLock<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await step();
        this.#waitedMs = 0;
        this.#pauseMs = FIRST_PAUSE_MS;
        return result;
      } catch (error) {
        const isBusy = error instanceof CobCacheError && error.obstacle === "busy";
        if (!isBusy || this.#waitedMs >= LOCK_WAIT_MS) throw error;
        await this.#wait(this.#pauseMs);
        this.#waitedMs += this.#pauseMs;
        this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }
}

function endWaiting({ waiting }: Job): void {
  for (const resolve of waiting.splice(0)) resolve();
}
