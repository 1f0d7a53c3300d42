/** Diffs that are made in the thread that answers requests: a few at a time, in fair time slices. */
import { Budget, type BudgetLimits } from "../diff/budget.ts";
import { ApiError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Asker } from "../ports/workers.ts";
import { TimeSlices } from "../async/time_slices.ts";
import { FairQueue, groupsOf } from "./fair_queue.ts";

/** Diffs under way at a time. Each holds the blobs that it has read. */
export const MAX_IN_THREAD = 16;
/** Diffs that wait until others have ended. */
export const MAX_WAITING_IN_THREAD = 512;
/** Time after which a client that was refused may ask again, in seconds. */
export const IN_THREAD_RETRY_SECONDS = 5;

interface Entry {
  readonly groups: readonly string[];
  begin(): void;
  refuse(error: ApiError): void;
}

/** Gives diffs their place and their time slices. */
export class InThread {
  readonly #slices: TimeSlices;
  readonly #queue = new FairQueue<Entry>(MAX_WAITING_IN_THREAD, () => performance.now());
  #running = 0;

  /** @param now a monotonic clock in milliseconds, by which time slices end. */
  constructor(now?: () => number) {
    this.#slices = new TimeSlices(now);
  }

  /**
   * Does work, perhaps after other work, with a budget whose time slices are fair to all repositories and
   * peers.
   *
   * @throws {OverBudgetError} when the work exceeds the limits.
   * @throws {ApiError} `unavailable` when too much waits already.
   */
  async run<T>(
    rid: RepoId,
    asker: Asker | undefined,
    limits: BudgetLimits,
    work: (budget: Budget) => Promise<T>,
  ): Promise<T> {
    const groups = groupsOf(rid, asker?.peer);
    const entry = await this.#enter(groups);
    const group = groups.at(-1)!;
    const budget = new Budget(limits, () => this.#slices.next(group));
    try {
      return await this.#slices.run(() => work(budget), group);
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
