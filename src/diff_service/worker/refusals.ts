/**
 * Refusals of jobs: errors with a time after which the client may retry. Refusals of jobs that took too long
 * or ended a worker are cached.
 */
import { fixedCache, weighRefusal } from "../../cache/memory.ts";
import { UnavailableError } from "../../errors.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Job } from "../../ports/workers.ts";

/** `Retry-After` of a refused job, in seconds. A job that took too long is not run again within this time. */
const RETRY_SECONDS = 30;

/** Minimum time without a full queue before the next refusal is logged, in milliseconds. */
const EXCESS_SILENCE_MS = 60_000;

/** Error message of a job whose clients have all disconnected. */
export const NOBODY_WAITS = "Nobody waits for it any more";
/** Error message of a job when the pool is closed. */
export const CLOSED = "The service is ending";

export function refusal(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: RETRY_SECONDS });
}

/** Describes a job for the log, as the subject of a sentence. */
export function describeJob(job: Job): string {
  switch (job.kind) {
    case "diff":
      return `The diff of trees ${job.oldTree ?? "(none)"} and ${job.newTree} in ${job.rid}`;
    case "part":
      return `A part of a diff in ${job.rid}, ${job.batch.bytes.length} bytes of files from number ${job.batch.start} on,`;
    case "files":
      return `Showing ${job.oids.length} files of ${job.rid}, from ${job.oids[0]} on,`;
  }
}

export class Refusals {
  readonly #log: Environment["log"];
  readonly #now: () => number;
  /** Errors of refused jobs, and the times at which they expire, by the description of the job. */
  readonly #refused = fixedCache<string, { readonly error: UnavailableError; readonly untilMs: number }>(
    "refusals",
    ({ error }, job) => weighRefusal(error.message, job),
  );
  #silentUntilMs = 0;

  /** @param now Returns the current time in milliseconds. */
  constructor(log: Environment["log"], now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /**
   * Returns the error of a job that was refused less than {@link RETRY_SECONDS} ago; otherwise `undefined`.
   */
  of(job: Job): UnavailableError | undefined {
    const refused = this.#refused.get(describeJob(job));
    return refused !== undefined && this.#now() < refused.untilMs ? refused.error : undefined;
  }

  /** Refuses a job for {@link RETRY_SECONDS}. Returns the error. */
  add(job: Job, message: string): UnavailableError {
    const error = refusal(message);
    this.#refused.set(describeJob(job), { error, untilMs: this.#now() + 1000 * RETRY_SECONDS });
    return error;
  }

  /**
   * Returns the error of a job when the queue is full. The error is logged only if the queue was not full for
   * a while.
   */
  excess(): UnavailableError {
    if (this.#now() >= this.#silentUntilMs) this.#log("warn", "Diffs are refused: too many are being made");
    this.#silentUntilMs = this.#now() + EXCESS_SILENCE_MS;
    return refusal("Too many diffs are being made");
  }
}
