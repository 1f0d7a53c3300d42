/** Refusals of jobs: errors with a time to retry, cached for jobs that took too long or ended a worker. */
import { fixedCache, weighRefusal } from "../../cache/memory.ts";
import { UnavailableError } from "../../errors.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Job } from "../../ports/workers.ts";

/** `Retry-After` of a refused job, in seconds. A job that took too long is not run again within this time. */
const RETRY_SECONDS = 30;

/** Time without a full queue after which the next refusal is logged again, in milliseconds. */
const EXCESS_SILENCE_MS = 60_000;

/** Message of jobs whose clients have all left. */
export const NOBODY_WAITS = "Nobody waits for it any more";
/** Message of jobs when the pool is closed. */
export const CLOSED = "The service is ending";

/** An error `unavailable` with {@link RETRY_SECONDS}. */
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
  /** Errors of refused jobs by description, and when they expire. */
  readonly #refused = fixedCache<string, { readonly error: UnavailableError; readonly untilMs: number }>(
    "refusals",
    ({ error }, job) => weighRefusal(error.message, job),
  );
  #silentUntilMs = 0;

  /** @param now A clock in milliseconds. */
  constructor(log: Environment["log"], now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** The error of a job that was refused less than {@link RETRY_SECONDS} ago. */
  of(job: Job): UnavailableError | undefined {
    const refused = this.#refused.get(describeJob(job));
    return refused !== undefined && this.#now() < refused.untilMs ? refused.error : undefined;
  }

  /** Refuses a job now and for {@link RETRY_SECONDS}. Returns the error. */
  add(job: Job, message: string): UnavailableError {
    const error = refusal(message);
    this.#refused.set(describeJob(job), { error, untilMs: this.#now() + 1000 * RETRY_SECONDS });
    return error;
  }

  /** The error of a job when the queue is full. It is logged after a while without such errors. */
  excess(): UnavailableError {
    if (this.#now() >= this.#silentUntilMs) this.#log("warn", "Diffs are refused: too many are being made");
    this.#silentUntilMs = this.#now() + EXCESS_SILENCE_MS;
    return refusal("Too many diffs are being made");
  }
}
