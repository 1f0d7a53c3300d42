/**
 * Messages between a worker and the process that started it. Errors are sent as texts, and are of their class
 * again on the other side.
 */
import { DamagedError, TooLargeError, UnsupportedError } from "../../errors.ts";
import type { LogLevel } from "../../ports/environment.ts";
import type { Job, Made, MadeDiff } from "../../ports/workers.ts";

/** To a worker: a job, or the order to close its files, after which there are no more jobs. */
export type ToWorker = { readonly kind: "job"; readonly job: Job } | { readonly kind: "close" };

/**
 * From a worker: one `ready` first, then a `made` or `failed` for each job, `closed` at the end, and lines
 * for the log at any time.
 */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "closed" }
  | { readonly kind: "made"; readonly made: Made | MadeDiff; readonly isWorn: boolean }
  | { readonly kind: "failed"; readonly error: ErrorText; readonly isWorn: boolean }
  | {
    readonly kind: "log";
    readonly level: LogLevel;
    readonly message: string;
    readonly cause: ErrorText | string | undefined;
  };

/** An error as structured clone can carry it. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
}

/** Puts an error into words. */
export function toErrorText(error: unknown): ErrorText {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack };
}

/**
 * The error that was put into words: errors that say something of data or of a client's doing are themselves
 * again, others keep their name alone.
 */
export function fromErrorText({ name, message, stack }: ErrorText): Error {
  const error = name === "DamagedError"
    ? new DamagedError(message)
    : name === "TooLargeError"
    ? new TooLargeError(message)
    : name === "UnsupportedError"
    ? new UnsupportedError(message)
    : Object.assign(new Error(message), { name });
  if (stack !== undefined) error.stack = stack;
  return error;
}
