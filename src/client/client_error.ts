/** Errors of the service, as the client throws them. */
import { ERROR_CODES, type ErrorCode } from "./contract.ts";

/** Code of an error; `unknown` for an answer that is not one of the service, such as that of a proxy. */
export type ClientErrorCode = ErrorCode | "unknown";

/** An answer with an error. Failures of the network, and aborts, are what `fetch` rejects with. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: ClientErrorCode;
  /** Status of the answer. */
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
