/** Error codes of responses, and the only table of their HTTP statuses (specification, 7). */
import { CoreError, type CoreErrorName } from "../errors.ts";

/** HTTP status of each code. Add a new code only if clients react to it. */
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
  fault: 500,
  unsupported: 501,
  unavailable: 503,
} as const;

/** Code of an error response, as in the contract. */
export type ErrorCode = keyof typeof STATUS;

/** Code of each error of the core. The response for damaged data is the same as for missing data. */
const CODES: Readonly<Record<CoreErrorName, ErrorCode>> = {
  UnreadableIdError: "badParameter",
  MalformedError: "badRequest",
  InvalidError: "unprocessable",
  UnauthorizedError: "unauthorized",
  ForbiddenError: "forbidden",
  NotFoundError: "notFound",
  ConflictError: "conflict",
  TooLargeError: "payloadTooLarge",
  HistoryTooLongError: "payloadTooLarge",
  DamagedError: "notFound",
  UnavailableError: "unavailable",
  UnsupportedError: "unsupported",
};

/** A refusal for a reason that exists only in HTTP. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: "badParameter" | "unsupportedMediaType" | "overShare";
  /** Number of seconds for the field `Retry-After`; `undefined` if unknown. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: HttpError["code"],
    message: string,
    { retryAfterSeconds }: { retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

export function codeOf(error: unknown): ErrorCode {
  if (error instanceof HttpError) return error.code;
  return error instanceof CoreError ? CODES[error.name] : "fault";
}
