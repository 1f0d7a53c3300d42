/** Runs diffs in the thread that answers requests: a few at a time, in fair time slices. */
import { Budget, type BudgetLimits } from "../diff/budget.ts";
import { ApiError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Requester } from "../ports/workers.ts";
import { TimeSlices } from "../scheduling/time_slices.ts";
import { FairQueue, groupsOf } from "./fair_queue.ts";

/** Most concurrent diffs. Each holds the blobs that it has read. */
export const MAX_IN_THREAD = 16;
/** Most diffs in the queue. */
export const MAX_WAITING_IN_THREAD = 512;
/** `Retry-After` of a refused diff, in seconds. */
export const IN_THREAD_RETRY_SECONDS = 5;

interface Entry {
  readonly groups: readonly string[];
  begin(): void;
  refuse(error: ApiError): void;
}

/** Queues diffs, and divides the time among the running ones. */
export class InThread {
  readonly #slices: TimeSlices;
  readonly #queue = new FairQueue<Entry>(MAX_WAITING_IN_THREAD, () => performance.now());
  #running = 0;

  /** Number of running and waiting diffs. */
  get load(): number {
    return this.#running + this.#queue.length;
  }

  /** @param now a monotonic clock in milliseconds, by which time slices end. */
  constructor(now?: () => number) {
    this.#slices = TimeSlices.ofMany(now);
  }

  /**
   * Runs work when there is a place for it. The time slices of its budget are divided fairly among
   * repositories and peers.
   *
   * @throws {OverBudgetError} when the work exceeds the limits.
   * @throws {ApiError} `unavailable` when the queue is full.
   */
  async run<T>(
    rid: RepoId,
    requester: Requester | undefined,
    limits: BudgetLimits,
    work: (budget: Budget) => Promise<T>,
  ): Promise<T> {
    const groups = groupsOf(rid, requester?.peer);
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
