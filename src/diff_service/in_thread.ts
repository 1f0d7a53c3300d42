/** Comparisons made in the process that answers requests: a few at a time, in turns that are fair to all repositories and peers. */
import type { Pause } from "../diff/plan.ts";
import { ApiError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Asker } from "../ports/workers.ts";
import { Turns } from "../time/turns.ts";
import { FairQueue, groupsOf } from "./fair_queue.ts";

/** Comparisons under way at a time. Each holds what it has read. */
export const MAX_IN_THREAD = 16;
/** Comparisons that wait until others have ended. */
export const MAX_WAITING_IN_THREAD = 512;
/** When a client that was refused may ask again, in seconds. */
export const IN_THREAD_RETRY_SECONDS = 5;

interface Entry {
  readonly groups: readonly string[];
  begin(): void;
  refuse(error: ApiError): void;
}

/** Gives comparisons their place and their turns. */
export class InThread {
  readonly #turns: Turns;
  readonly #queue = new FairQueue<Entry>(MAX_WAITING_IN_THREAD, () => performance.now());
  #running = 0;

  /** @param now a monotonic clock in milliseconds, by which turns end. */
  constructor(now?: () => number) {
    this.#turns = new Turns(now);
  }

  /**
   * Does work, perhaps after other work.
   *
   * @param turns Turns that it may take.
   * @throws {TurnsOver} when it takes more.
   * @throws {ApiError} `unavailable` when too much waits already.
   */
  async run<T>(
    rid: RepoId,
    asker: Asker | undefined,
    turns: number,
    work: (pause: Pause) => Promise<T>,
  ): Promise<T> {
    const groups = groupsOf(rid, asker?.peer);
    const entry = await this.#enter(groups);
    const turn = groups.at(-1)!;
    const pause = createPauses(this.#turns, turns, turn);
    try {
      return await this.#turns.run(() => work(pause), turn);
    } finally {
      this.#running--;
      this.#queue.end(entry);
      this.#beginNext();
    }
  }

  /** Waits for a place. */
  async #enter(groups: readonly string[]): Promise<Entry> {
    const place = Promise.withResolvers<void>();
    const entry: Entry = { groups, begin: place.resolve, refuse: place.reject };
    this.#queue.add(entry)?.refuse(
      new ApiError("unavailable", "Too many diffs are being made", {
        retryAfterSeconds: IN_THREAD_RETRY_SECONDS,
      }),
    );
    this.#beginNext();
    await place.promise;
    return entry;
  }

  #beginNext(): void {
    if (this.#running >= MAX_IN_THREAD) return;
    const entry = this.#queue.next();
    if (entry === undefined) return;
    this.#running++;
    this.#queue.begin(entry);
    entry.begin();
  }
}

/** A comparison has had all its turns. */
export class TurnsOver extends Error {
  override readonly name = "TurnsOver";
}

/** What a comparison calls between its steps: it waits for its next turn when one is over, and fails with {@link TurnsOver} after so many of them. */
export function createPauses(turns: Turns, most: number, group?: string): Pause {
  let left = most - 1;
  return () => {
    const pause = turns.next(group);
    if (pause !== undefined && left-- <= 0) throw new TurnsOver("This takes longer than it may");
    return pause;
  };
}
