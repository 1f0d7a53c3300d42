/**
 * Failures that the core expects. The messages are for the client, except the message of a
 * {@link DamagedError}. `http/errors.ts` assigns HTTP statuses to the classes.
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

/** A failure that the core expects. All other errors are bugs. */
export abstract class CoreError extends Error {
  abstract override readonly name: CoreErrorName;
}

/** Thrown when an id, or another name of a commit, cannot be parsed. */
export class UnreadableIdError extends CoreError {
  override readonly name = "UnreadableIdError";
}

/** Thrown when a request cannot be parsed, or its signature is not valid. */
export class MalformedError extends CoreError {
  override readonly name = "MalformedError";
}

/** Thrown when a request can be parsed, but its content is invalid. */
export class InvalidError extends CoreError {
  override readonly name = "InvalidError";
}

/** Thrown when the client has not proved that it may make the request, or when the node's key cannot sign. */
export class UnauthorizedError extends CoreError {
  override readonly name = "UnauthorizedError";
}

/** Thrown when this client may not make the request, or when no client may make the request on this host. */
export class ForbiddenError extends CoreError {
  override readonly name = "ForbiddenError";
}

/** Thrown when nothing has the requested name or id. */
export class NotFoundError extends CoreError {
  override readonly name = "NotFoundError";
}

/** Thrown when a change conflicts with the current state. */
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
 * Thrown when stored data is damaged, for example a truncated object, a pack with a wrong offset, or a cycle
 * of deltas. Clients get the same response as for an absent object. The message is only for the log.
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
   * Whether the storage cannot be read. The whole request must then fail, because a response without the
   * unreadable data would be wrong.
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

/** Thrown when this host cannot answer the request. The cause is only for the log. */
export class UnsupportedError extends CoreError {
  override readonly name = "UnsupportedError";
}

/** Checks whether the error means damaged or too large data. Lists leave out such data. */
export function isUnreadable(error: unknown): error is DamagedError | TooLargeError {
  return error instanceof DamagedError || error instanceof TooLargeError;
}

/**
 * Runs a read. Returns `undefined` for damaged and too large data. The result is a promise only if `read`
 * returns a promise.
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
