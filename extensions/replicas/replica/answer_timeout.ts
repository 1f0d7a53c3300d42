/**
 * Limits the time of a response while the bucket is slow. Each read of the bucket has a timeout, but a
 * response may need many reads.
 */
import {
  type Answer,
  discardBody,
  startSystemTimer,
  type StartTimer,
  toErrorAnswer,
  withAnyOrigin,
  withoutBody,
} from "../../../src/mod.ts";
import { type BucketReads, unavailable } from "../storage/reads.ts";

/**
 * Timeout of a client's read while the bucket is being read, in milliseconds. Afterwards the response is 503.
 * A replica that cannot read its bucket must respond within ten seconds, so this timeout leaves half a
 * second.
 */
const ANSWER_TIMEOUT_MS = 9_500;
/** Interval between two checks whether the bucket is being read, in milliseconds. */
const NEXT_CHECK_MS = 250;

/**
 * Waits for a response, but not for a slow bucket. If a read of the bucket is in progress after
 * {@link ANSWER_TIMEOUT_MS}, or at a later check, the response is 503 with `Retry-After`. The late response
 * is discarded, but the data that it has read stays in the caches. If a response takes long for another
 * reason, the function continues to wait.
 *
 * @param answering The response. This promise must not reject.
 */
export function withinTimeout(
  { method }: Pick<Request, "method">,
  answering: Promise<Answer>,
  reads: Pick<BucketReads, "isReading">,
  startTimer: StartTimer = startSystemTimer,
): Promise<Answer> {
  return new Promise((resolve) => {
    let isLate = false;
    const check = () => {
      if (!reads.isReading) return stop = startTimer(NEXT_CHECK_MS, check);
      isLate = true;
      resolve(unavailableAnswer(method));
    };
    let stop: () => void = startTimer(ANSWER_TIMEOUT_MS, check);
    void answering.then((answer) => {
      if (isLate) return discardBody(answer);
      stop();
      resolve(answer);
    });
  });
}

/**
 * Creates the response for the time while the bucket cannot be read: 503 with `Retry-After`. Pages of any
 * origin may read it.
 */
export function unavailableAnswer(method: string): Answer | Promise<Answer> {
  const answer = withAnyOrigin(toErrorAnswer(unavailable(), () => {}));
  return method === "HEAD" ? withoutBody(answer) : answer;
}
