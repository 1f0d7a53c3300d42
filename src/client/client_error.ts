/** The error that the client throws for an error response. */
import { ERROR_CODES, type ErrorCode } from "./contract.ts";

/** Code of an error; `unknown` for a response that the service did not send, such as the error of a proxy. */
export type ClientErrorCode = ErrorCode | "unknown";

/**
 * An error response. For network failures and aborts, the client rejects with the error of `fetch` instead.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** HTTP status of the response. */
  readonly status: number;
  /** Number of seconds after which the request may succeed; `undefined` if unknown. */
  readonly retryAfterSeconds: number | undefined;

  /** @param body JSON value of the response; `undefined` if the body is not JSON. */
  constructor(status: number, body: unknown, retryAfterSeconds?: number) {
    const { error, success } = (body ?? {}) as { readonly error?: unknown; readonly success?: unknown };
    super(typeof error === "string" ? error : `The service answered ${status}`);
    const code = typeof error === "string" ? ERROR_CODES[status] ?? "unknown" : "unknown";
    this.code = code === "badRequest" && success === false ? "badParameter" : code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
