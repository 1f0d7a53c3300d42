/** Errors that clients are told of, and the only table of their HTTP statuses (7). */

/** Status of each code. Add a code only when a caller would act on it. */
const STATUS = {
  badRequest: 400,
  badParameter: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  payloadTooLarge: 413,
  unsupportedMediaType: 415,
  rangeNotSatisfiable: 416,
  unprocessable: 422,
  overShare: 429,
  unavailable: 503,
} as const;

/** Kind of a failure. */
export type ErrorCode = keyof typeof STATUS;

/** A failure that the client is told about, with the text it sees. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** `Retry-After` in seconds, if it is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    { retryAfterSeconds, cause }: { retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The HTTP status that goes with an error code. */
export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

/**
 * Data in a storage that cannot be what it claims to be: a truncated object, a pack with a wrong offset, a
 * cycle of deltas. Clients see it as an absent object; the message is for the log alone.
 */
export class DamagedError extends Error {
  override readonly name: string = "DamagedError";
}

/**
 * Data in a storage that is larger than what is read of its kind. Lists leave it out as they do damaged data;
 * the request that names it is told the message, with status 413.
 */
export class TooLargeError extends DamagedError {
  override readonly name = "TooLargeError";
}

/** The result of a read, at once if it is there at once; `undefined` when the data are damaged. */
export function unlessDamaged<A extends readonly unknown[], T>(
  read: (...args: A) => T,
  ...args: A
): T extends Promise<infer R> ? Promise<R | undefined> : T | undefined;
export function unlessDamaged(read: (...args: readonly unknown[]) => unknown, ...args: unknown[]): unknown {
  try {
    const found = read(...args);
    return found instanceof Promise ? found.catch(noneIfDamaged) : found;
  } catch (error) {
    return noneIfDamaged(error);
  }
}

function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedError)) throw error;
}

/**
 * A request for which this host lacks a part. Clients are told the message, with status 501, the log the
 * cause.
 */
export class UnsupportedError extends Error {
  override readonly name = "UnsupportedError";
}

/** The words of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
