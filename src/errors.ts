/**
 * Failures that the core expects. The name of each class says what happened. The messages are for the client,
 * except the message of a {@link DamagedError}. `http/errors.ts` assigns HTTP statuses to the classes. No
 * other error is expected.
 */

export type CoreErrorName =
  | "ConflictError"
  | "DamagedError"
  | "ForbiddenError"
  | "HistoryTooLongError"
  | "InvalidError"
  | "MalformedError"
  | "NotFoundError"
  | "TooLargeError"
  | "UnauthorizedError"
  | "UnavailableError"
  | "UnreadableIdError"
  | "UnsupportedError";

/** A failure that the core expects. */
export abstract class CoreError extends Error {
  abstract override readonly name: CoreErrorName;
}

/** Thrown when an id, or another name of a commit, cannot be parsed. */
export class UnreadableIdError extends CoreError {
  override readonly name = "UnreadableIdError";
}

/** Thrown when the request cannot be parsed, or its signature is not valid. */
export class MalformedError extends CoreError {
  override readonly name = "MalformedError";
}

/** Thrown when the request can be parsed, but its content is invalid. */
export class InvalidError extends CoreError {
  override readonly name = "InvalidError";
}

/**
 * Thrown when the client has not proved that it may make this request, or when the node's key cannot sign.
 */
export class UnauthorizedError extends CoreError {
  override readonly name = "UnauthorizedError";
}

/**
 * Thrown when no client may make this request on this host, or when the identity of the client is known, but
 * this client may not make the request.
 */
export class ForbiddenError extends CoreError {
  override readonly name = "ForbiddenError";
}

/** Thrown when nothing has the requested name or id. */
export class NotFoundError extends CoreError {
  override readonly name = "NotFoundError";
}

/** Thrown when the change conflicts with the current state. */
export class ConflictError extends CoreError {
  override readonly name = "ConflictError";
}

/** Thrown when stored data, a request or a response is larger than the limit for its kind. */
export class TooLargeError extends CoreError {
  override readonly name = "TooLargeError";
}

/**
 * Thrown when a history is too long to be loaded or searched. The git objects of the history can still be
 * read.
 */
export class HistoryTooLongError extends CoreError {
  override readonly name = "HistoryTooLongError";
}

/**
 * Thrown when stored data is damaged, for example because of a truncated object, a pack with a wrong offset,
 * or a cycle of deltas. Clients get the same response as for an absent object. The message is for the log
 * only.
 */
export class DamagedError extends CoreError {
  override readonly name = "DamagedError";
}

/** Thrown when a request cannot be answered now, but may succeed later. */
export class UnavailableError extends CoreError {
  override readonly name = "UnavailableError";
  /** Seconds after which a retry may succeed; `undefined` when unknown. */
  readonly retryAfterSeconds: number | undefined;
  /**
   * Whether the reason is that the storage cannot be read. A response must then fail, and must not leave out
   * the data that could not be read.
   */
  readonly isOfStorage: boolean;

  constructor(
    message: string,
    { retryAfterSeconds, isOfStorage = false, cause }: {
      retryAfterSeconds?: number;
      isOfStorage?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
    this.isOfStorage = isOfStorage;
  }
}

/** Thrown when this host lacks a part that the request needs. The cause is only for the log. */
export class UnsupportedError extends CoreError {
  override readonly name = "UnsupportedError";
}

/**
 * Checks whether the error means damaged or too large data. Lists leave out data that is damaged or too
 * large.
 */
export function isUnreadable(error: unknown): error is DamagedError | TooLargeError {
  return error instanceof DamagedError || error instanceof TooLargeError;
}

/**
 * Runs a read. Returns `undefined` for damaged and too large data. Returns a promise only if `read` returns a
 * promise.
 */
export function ifReadable<A extends readonly unknown[], T>(
  read: (...args: A) => T,
  ...args: A
): T extends Promise<infer R> ? Promise<R | undefined> : T | undefined;
export function ifReadable(read: (...args: readonly unknown[]) => unknown, ...args: unknown[]): unknown {
  try {
    const found = read(...args);
    return found instanceof Promise ? found.catch(noneIfUnreadable) : found;
  } catch (error) {
    return noneIfUnreadable(error);
  }
}

function noneIfUnreadable(error: unknown): undefined {
  if (!isUnreadable(error)) throw error;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
