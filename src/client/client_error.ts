/** Errors of the service, as the client throws them. */
import { ERROR_CODES, type ErrorCode } from "./contract.ts";

/** Code of an error; `unknown` for an answer that the service did not send, such as an error of a proxy. */
export type ClientErrorCode = ErrorCode | "unknown";

/** An error answer. For network failures and aborts, the client rejects with the error of `fetch` instead. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Time until the request may succeed, if the service knows it. */
  readonly retryAfterSeconds: number | undefined;

  /** @param body JSON of the answer; `undefined` for any other body. */
  constructor(status: number, body: unknown, retryAfterSeconds?: number) {
    const { error, success } = (body ?? {}) as { readonly error?: unknown; readonly success?: unknown };
    super(typeof error === "string" ? error : `The service answered ${status}`);
    const code = typeof error === "string" ? ERROR_CODES[status] ?? "unknown" : "unknown";
    this.code = code === "badRequest" && success === false ? "badParameter" : code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
