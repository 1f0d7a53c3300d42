/**
 * Failures that the core foresees, each named by what happened. Their messages are for the client, but for
 * {@link DamagedError}; `http/errors.ts` has their statuses. Anything else that is thrown is a fault.
 */

/** Names of the failures. */
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

/** A failure that the core foresees. */
export abstract class CoreError extends Error {
  abstract override readonly name: CoreErrorName;
}

/** The text of an id, or of another name of a commit, cannot be read. */
export class UnreadableIdError extends CoreError {
  override readonly name = "UnreadableIdError";
}

/** The client has sent something that cannot be read, or whose signature does not verify. */
export class MalformedError extends CoreError {
  override readonly name = "MalformedError";
}

/** The client has sent something that can be read, but is not what is expected. */
export class InvalidError extends CoreError {
  override readonly name = "InvalidError";
}

/** The client has not shown that it may do this, or the node's key cannot sign. */
export class UnauthorizedError extends CoreError {
  override readonly name = "UnauthorizedError";
}

/** Nobody may do this here, or this client may not, although it is known who it is. */
export class ForbiddenError extends CoreError {
  override readonly name = "ForbiddenError";
}

/** There is nothing of this name. */
export class NotFoundError extends CoreError {
  override readonly name = "NotFoundError";
}

/** The change does not fit the present state. */
export class ConflictError extends CoreError {
  override readonly name = "ConflictError";
}

/** Something, stored or sent or asked for, is larger than what is read or made of its kind. */
export class TooLargeError extends CoreError {
  override readonly name = "TooLargeError";
}

/** A history is too long to be loaded, or to be searched. Its objects can be read. */
export class HistoryTooLongError extends CoreError {
  override readonly name = "HistoryTooLongError";
}

/**
 * Data in a storage that cannot be what it claims to be: a truncated object, a pack with a wrong offset, a
 * cycle of deltas. Clients see it as an absent object; the message is for the log alone.
 */
export class DamagedError extends CoreError {
  override readonly name = "DamagedError";
}

/** Something cannot be done now, but may be later. */
export class UnavailableError extends CoreError {
  override readonly name = "UnavailableError";
  /** When to try again, in seconds, if it is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    { retryAfterSeconds, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** This host lacks a part that the request needs. The cause is for the log. */
export class UnsupportedError extends CoreError {
  override readonly name = "UnsupportedError";
}

/** Whether stored data cannot be used because it is damaged or too large: lists leave both out. */
export function isUnreadable(error: unknown): error is DamagedError | TooLargeError {
  return error instanceof DamagedError || error instanceof TooLargeError;
}

/** The result of a read, at once if it is there at once; `undefined` for damaged and too large data. */
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

/** The words of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
