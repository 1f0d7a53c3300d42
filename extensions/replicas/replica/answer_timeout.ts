/**
 * Bounds the time of an answer while the bucket is slow: each read has a time limit, but an answer may need
 * many.
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
 * Time after which a read of a client is answered 503 when the bucket is being read, in milliseconds. It
 * leaves half a second of the ten within which a replica without its bucket answers.
 */
const ANSWER_TIMEOUT_MS = 9_500;
/** Time between two checks whether the bucket is being read, in milliseconds. */
const NEXT_CHECK_MS = 250;

/**
 * Waits for an answer, but not for a slow bucket. If the bucket is being read after
 * {@link ANSWER_TIMEOUT_MS}, or at a later check, the answer is 503 with `Retry-After`. A later answer is
 * discarded, but its reads stay in the caches. Answers that take long for other reasons are waited for.
 *
 * @param answering Must not reject.
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

/** The answer while the bucket cannot be read: 503 with `Retry-After`. Pages of any origin may read it. */
export function unavailableAnswer(method: string): Answer | Promise<Answer> {
  const answer = withAnyOrigin(toErrorAnswer(unavailable(), () => {}));
  return method === "HEAD" ? withoutBody(answer) : answer;
}
