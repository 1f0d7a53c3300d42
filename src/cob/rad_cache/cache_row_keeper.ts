/** Keeps rows of an objects database up to date beside other programs: one row after the other, waiting for locks, remembering what failed. */
import type { Environment } from "../../ports/environment.ts";
import { Turns } from "../../time/turns.ts";
import { type CachedObject, type CobCache, CobCacheError, type RowForm } from "../../ports/cob_cache.ts";

/** How long locks of other programs are waited for in one go, milliseconds: as long as `rad` waits. */
export const LOCK_WAIT_MS = 6000;
/** The first pause before a locked database is tried again, milliseconds; each further one is twice as long. */
export const FIRST_PAUSE_MS = 10;
/** The longest pause. */
export const LONGEST_PAUSE_MS = 250;
/** How often in a row somebody else may be faster in replacing a row, before that counts as a lock. */
export const MAX_RACES = 8;
/** Objects remembered whose rows could not be written; the oldest are forgotten first. */
export const MAX_PENDING = 1024;
/** Length of the longest row that is written, in UTF-16 units: writing blocks all else. */
export const MAX_ROW_LENGTH = 16 * 1024 * 1024;

/** Stands for a row that is too large to be made. */
export const TOO_LARGE_ROW: unique symbol = Symbol("too large");

/** Makes the row of an object from what is stored at that moment; `undefined` when programs with rows of that form could not read such an object. */
export type MakeRow = (form: RowForm) => Promise<string | typeof TOO_LARGE_ROW | undefined>;

/** What a keeper works with. */
export interface KeeperOptions {
  readonly cache: CobCache;
  readonly log: Environment["log"];
  /** Waits for some milliseconds. */
  readonly wait?: (ms: number) => Promise<void>;
}

/** A row to be written. */
interface Task {
  readonly object: CachedObject;
  readonly makeRow: MakeRow;
  /** Those who wait for the first attempt. */
  readonly waiting: (() => void)[];
  /** Whether the log knows already that it failed. */
  isReported: boolean;
}

/** Keeps rows up to date. */
export class RowKeeper {
  readonly #cache: CobCache;
  readonly #log: Environment["log"];
  readonly #wait: (ms: number) => Promise<void>;
  /** By type and id. Stays filled with what failed. */
  readonly #tasks = new Map<string, Task>();
  /** What has been said of databases that cannot be used; said once. */
  readonly #told = new Set<string>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor({ cache, log, wait = pause }: KeeperOptions) {
    this.#cache = cache;
    this.#log = log;
    this.#wait = wait;
  }

  /**
   * Writes the row of an object, and those that could not be written before. Resolves after one attempt, which ends in {@link LOCK_WAIT_MS} if it
   * is a lock that stands in the way; never rejects. A row that could not be written is one line in the log, and tried again with the next one.
   */
  update(object: CachedObject, makeRow: MakeRow): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const key = `${object.type} ${object.id}`;
    const waiting = [...this.#tasks.get(key)?.waiting ?? [], resolve];
    this.#tasks.delete(key);
    this.#tasks.set(key, { object, makeRow, waiting, isReported: false });
    this.#forgetOldest();
    this.#running ??= this.#run();
    return promise;
  }

  /** Waits for no lock any more; resolves when nothing is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    const tried = new Set<Task>();
    const patience = new Patience(async (ms) => {
      if (this.#isClosed) throw new CobCacheError("busy", "The service ends");
      await this.#wait(ms);
    });
    const turns = new Turns();
    for (let next = this.#next(tried); next !== undefined; next = this.#next(tried)) {
      const [key, task] = next;
      tried.add(task);
      await turns.next();
      if (await this.#try(task, patience) && this.#tasks.get(key) === task) this.#tasks.delete(key);
      endWaiting(task);
    }
    this.#running = undefined;
  }

  #next(tried: ReadonlySet<Task>): [string, Task] | undefined {
    for (const entry of this.#tasks) if (!tried.has(entry[1])) return entry;
    return undefined;
  }

  /** Whether the task is over: done, or beyond help. */
  async #try(task: Task, patience: Patience): Promise<boolean> {
    const { object: { rid, type, id } } = task;
    try {
      await patience.withLock(() => this.#write(task));
      return true;
    } catch (error) {
      if (error instanceof CobCacheError && error.obstacle === "foreign") {
        this.#tellOnce(error);
        return true;
      }
      if (!task.isReported) {
        task.isReported = true;
        const reason = error instanceof CobCacheError ? error.message : "it could not be made";
        this.#log("warn", `The row of ${type} ${id} of ${rid} for rad is not up to date: ${reason}`, error);
      }
      return false;
    }
  }

  /** Evaluates after reading the row that is there: whoever replaced that row later knows more, whoever did before is known to the evaluation. */
  async #write({ object, makeRow }: Task): Promise<void> {
    for (let race = 0; race < MAX_RACES; race++) {
      const before = await this.#cache.read(object);
      if (before === undefined) return;
      const text = await makeRow(before.form);
      if (text === undefined || text === TOO_LARGE_ROW || text.length > MAX_ROW_LENGTH) {
        const reason = text === undefined ? `rad ${before.form} could not read it` : "it is too large";
        this.#log("warn", `Made no row of ${object.type} ${object.id} of ${object.rid} for rad: ${reason}`);
        return;
      }
      if (text === before.text || await this.#cache.replace(object, before, text)) return;
    }
    throw new CobCacheError("busy", "Another program keeps changing the row");
  }

  #tellOnce({ message }: CobCacheError): void {
    if (this.#told.has(message)) return;
    this.#told.add(message);
    this.#log("warn", `Rows for rad are not kept up to date: ${message}`);
  }

  #forgetOldest(): void {
    for (const [key, task] of this.#tasks) {
      if (this.#tasks.size <= MAX_PENDING) return;
      this.#tasks.delete(key);
      endWaiting(task);
    }
  }
}

/** How long locks are still waited for; begins anew whenever there was none. */
export class Patience {
  readonly #wait: (ms: number) => Promise<void>;
  #waitedMs = 0;
  #pauseMs = FIRST_PAUSE_MS;

  constructor(wait: (ms: number) => Promise<void> = pause) {
    this.#wait = wait;
  }

  /**
   * Does something as soon as no lock is in the way.
   *
   * @throws {CobCacheError} `busy` when patience ends before that, and whatever `step` throws besides.
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

function endWaiting({ waiting }: Task): void {
  for (const resolve of waiting.splice(0)) resolve();
}

function pause(ms: number): Promise<void> {
  return new Promise((resume) => setTimeout(resume, ms));
}
