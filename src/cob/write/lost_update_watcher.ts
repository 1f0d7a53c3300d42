/**
 * Checks whether recently written entries got lost. `rad` sets a reference without checking the previous
 * target. A program that read the object before this process wrote its entry may therefore overwrite the
 * reference afterwards.
 */
import { startUnrefTimer } from "../../async/timer.ts";

/**
 * Time for which a written entry is watched, in milliseconds. Programs need far less time between reading an
 * object and writing it.
 */
export const WATCH_MS = 5_000;
/** Interval between two checks, in milliseconds. */
export const CHECK_INTERVAL_MS = 250;
/** Maximum number of entries watched at a time. If there are more, the oldest entry is dropped. */
export const MAX_WATCHED = 256;

export interface WatchedEntry {
  /**
   * Checks whether the entry is still reachable, and makes the entry reachable again if necessary. Returns
   * whether the watch continues. The returned promise is never rejected.
   */
  check(): Promise<boolean>;
  /** Called once when the watch ends. */
  unpin(): void;
}

/** Runs `call` after `ms` milliseconds. Returns a function that cancels the call if it has not run yet. */
export type Later = (ms: number, call: () => void) => () => void;

/** Checks recently written entries at intervals. No timer runs while no entry is watched. */
export class LostUpdateWatcher {
  /** Watched entries by name, the oldest first. */
  readonly #watched = new Map<string, { readonly entry: WatchedEntry; readonly untilMs: number }>();
  readonly #now: () => number;
  readonly #later: Later;
  #isWaiting = false;
  #cancel: (() => void) | undefined;
  #checking: Promise<void> | undefined;
  #isClosed = false;

  /** @param now Returns the time in milliseconds. */
  constructor(now: () => number = () => performance.now(), later: Later = startUnrefTimer) {
    this.#now = now;
    this.#later = later;
  }

  /**
   * Starts to watch an entry instead of an earlier entry with the same name. If the watcher is closed, the
   * entry is unpinned at once.
   */
  add(name: string, entry: WatchedEntry): void {
    if (this.#isClosed) return entry.unpin();
    this.#watched.delete(name);
    this.#watched.set(name, { entry, untilMs: this.#now() + WATCH_MS });
    for (const oldest of this.#watched.keys()) {
      if (this.#watched.size <= MAX_WATCHED) break;
      this.#drop(oldest);
    }
    this.#wait();
  }

  /** Checks every entry once. Then drops the entries that have been watched for {@link WATCH_MS}. */
  async check(): Promise<void> {
    for (const [name, watched] of [...this.#watched]) {
      const goesOn = await watched.entry.check();
      const isOver = !goesOn || this.#now() >= watched.untilMs;
      if (isOver && this.#watched.get(name) === watched) this.#drop(name);
    }
  }

  /** Checks every entry a last time, and ends all watches. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#checking;
    await this.check();
    for (const name of [...this.#watched.keys()]) this.#drop(name);
  }

  #drop(name: string): void {
    this.#watched.get(name)?.entry.unpin();
    this.#watched.delete(name);
  }

  #wait(): void {
    if (this.#isWaiting || this.#isClosed || this.#watched.size === 0) return;
    this.#isWaiting = true;
    this.#cancel = this.#later(CHECK_INTERVAL_MS, () => {
      this.#checking = this.check().finally(() => {
        this.#isWaiting = false;
        this.#wait();
      });
    });
  }
}
