/**
 * Computes diffs in the thread that responds to requests. A few diffs run at the same time and share the time
 * fairly.
 */
import { Budget, type BudgetLimits } from "../diff/budget.ts";
import { UnavailableError } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Requester } from "../ports/workers.ts";
import { Limiter } from "../scheduling/limiter.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { Task } from "../scheduling/task.ts";
import { NOBODY_WAITS, refusal } from "./worker/refusals.ts";

/** Maximum number of diffs that run at the same time. Each diff keeps its blobs in memory. */
export const MAX_IN_THREAD = 16;
/** Maximum number of diffs in the queue. */
export const MAX_WAITING_IN_THREAD = 512;
/** `Retry-After` of a refused diff, in seconds. */
const IN_THREAD_RETRY_SECONDS = 5;

export class InThread {
  readonly #scheduler: Scheduler | undefined;
  readonly #places = new Limiter({ atOnce: MAX_IN_THREAD }, {
    waiting: MAX_WAITING_IN_THREAD,
    refusal: () =>
      new UnavailableError("Too many diffs are being made", {
        retryAfterSeconds: IN_THREAD_RETRY_SECONDS,
      }),
  });

  get waiting(): number {
    return this.#places.waiting;
  }

  constructor(scheduler?: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Runs work when a slot is free. The processor time is divided fairly among repositories and clients. When
   * the requester has disconnected, the work ends at its next pause.
   *
   * @throws {OverBudgetError} when the work exceeds the limits.
   * @throws {UnavailableError} when the queue is full, or the requester has disconnected.
   */
  async run<T>(
    rid: RepoId,
    { peer, spend, signal }: Requester,
    limits: BudgetLimits,
    work: (budget: Budget) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.#places.run(async () => {
        const task = new Task("user-blocking", {
          group: peer ?? rid,
          scheduler: this.#scheduler,
          onWork: spend,
        });
        return await work(
          new Budget(limits, {
            yield() {
              signal?.throwIfAborted();
              return task.yield();
            },
          }),
        );
      }, { keys: [rid, peer], signal });
    } catch (error) {
      if (signal?.aborted) throw refusal(NOBODY_WAITS);
      throw error;
    }
  }
}
