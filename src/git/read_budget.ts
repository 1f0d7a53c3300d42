/** How much is read in one iteration of the event loop: objects of a home, and blocks of a bucket. */
import { LoopBudget } from "../scheduling/loop_budget.ts";
import { type RequestsUnderWay, requestsUnderWay } from "../scheduling/requests_under_way.ts";

/**
 * Maximum cost of an object that is read at once, in bytes decompressed, copied and produced: some ten
 * milliseconds.
 */
export const READ_AT_ONCE_BYTES = 4 * 2 ** 20;

/** Maximum cost of what is read in one iteration of the event loop while several requests are under way. */
export const READ_BESIDE_BYTES = 2 ** 20;

/** The budget of what is read in one iteration of the event loop. */
export function createReadBudget(requests: RequestsUnderWay = requestsUnderWay): LoopBudget {
  return new LoopBudget(() => requests.areSeveral ? READ_BESIDE_BYTES : READ_AT_ONCE_BYTES);
}
