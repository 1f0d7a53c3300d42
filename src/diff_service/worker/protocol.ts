/**
 * Messages between a worker and the thread that has started the worker. Errors are sent as text. Errors that
 * callers distinguish are restored as instances of their classes.
 */
import { DamagedError, TooLargeError, UnavailableError, UnsupportedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { LogLevel } from "../../ports/environment.ts";
import type { HistoryOutcome } from "../../ports/made_history.ts";
import type { Job, Result } from "../../ports/workers.ts";

/**
 * A message to a worker: a job, a history to read, or `close`, which asks the worker to close its files after
 * its last job.
 */
export type ToWorker =
  | { readonly kind: "job"; readonly job: Job }
  | { readonly kind: "history"; readonly rid: RepoId; readonly oid: Oid }
  | { readonly kind: "close" };

/**
 * A message from a worker. The first message is `ready`. Each job is followed by `made` or `failed`, and each
 * history by some `progress` messages and then `history` or `failed`. The last message is `closed`. `log` has
 * lines for the log, at any time.
 */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "history"; readonly made: HistoryOutcome }
  | { readonly kind: "progress"; readonly commits: number }
  | { readonly kind: "closed" }
  | { readonly kind: "made"; readonly made: Result<Job>; readonly needsRecycling: boolean }
  | { readonly kind: "failed"; readonly error: ErrorText; readonly needsRecycling: boolean }
  | {
    readonly kind: "log";
    readonly level: LogLevel;
    readonly message: string;
    readonly cause: ErrorText | string | undefined;
  };

/** An error in a format that structured clone supports. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Number of seconds after which a retry may succeed; only for temporary errors. */
  readonly retryAfterSeconds?: number;
  /** Whether the storage cannot be read. */
  readonly isOfStorage?: boolean;
}

export function toErrorText(error: unknown): ErrorText {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof UnavailableError)) return { name, message, stack };
  const { retryAfterSeconds, isOfStorage } = error;
  return { name, message, stack, isOfStorage, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
}

/**
 * Restores an error. An error about data becomes an instance of its original class. A temporary error becomes
 * an `UnavailableError`. Any other error becomes an `Error` with the same name.
 */
export function fromErrorText(
  { name, message, stack, retryAfterSeconds, isOfStorage = false }: ErrorText,
): Error {
  const error = retryAfterSeconds !== undefined
    ? new UnavailableError(message, { retryAfterSeconds, isOfStorage })
    : name === "DamagedError"
    ? new DamagedError(message)
    : name === "TooLargeError"
    ? new TooLargeError(message)
    : name === "UnsupportedError"
    ? new UnsupportedError(message)
    : Object.assign(new Error(message), { name });
  if (stack !== undefined) error.stack = stack;
  return error;
}
