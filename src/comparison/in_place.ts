/** Comparisons made in the process that answers requests: a few at a time, in turns that are fair to all repositories and peers. */
import { ApiError } from "../errors.ts";
import type { Pause } from "../diff/diff_plan.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Asker } from "../ports/workers.ts";
import { Turns } from "../time/turns.ts";
import { FairQueue } from "./fair_queue.ts";
import { groupsOf } from "./groups.ts";
import { createPauses } from "./pauses.ts";

/** Comparisons under way at a time. Each holds what it has read. */
export const MAX_IN_PLACE = 16;
/** Comparisons that wait until others have ended. */
export const MAX_WAITING_IN_PLACE = 512;
/** When a client that was refused may ask again, in seconds. */
export const IN_PLACE_RETRY_SECONDS = 5;

interface Entry {
  readonly groups: readonly string[];
  begin(): void;
  refuse(error: ApiError): void;
}

/** Gives comparisons their place and their turns. */
export class InPlace {
  readonly #turns: Turns;
  readonly #queue = new FairQueue<Entry>(MAX_WAITING_IN_PLACE, () => performance.now());
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
        retryAfterSeconds: IN_PLACE_RETRY_SECONDS,
      }),
    );
    this.#beginNext();
    await place.promise;
    return entry;
  }

  #beginNext(): void {
    if (this.#running >= MAX_IN_PLACE) return;
    const entry = this.#queue.next();
    if (entry === undefined) return;
    this.#running++;
    this.#queue.begin(entry);
    entry.begin();
  }
}
