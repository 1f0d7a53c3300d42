/** Reads answers of a service within limits: of the other one over HTTP, and of ours in this process. */
import { joinBytes } from "../../src/bytes/bytes.ts";
import { reasonOf } from "../../adapters/cli/reason.ts";
import { type Json, readAnswerJson } from "./json.ts";

/** An answer that can be compared. */
export interface Answer {
  readonly status: number;
  /** Its JSON; `undefined` when it has none. */
  readonly json: Json | undefined;
}

/** There is no answer, or none that can be compared; the message says why. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** Whether the connection was closed without an answer, as `radicle-httpd` does when it fails. */
  readonly isClosed: boolean;

  constructor(message: string, isClosed = false) {
    super(message);
    this.isClosed = isClosed;
  }
}

/** Requests a path. */
export type Ask = (path: string) => Promise<Answer>;

/** Sends a request; redirections are not followed. */
export type Send = (url: string, signal: AbortSignal) => Promise<Response>;

/** Limits of an answer. */
export interface AnswerLimits {
  /** Longest body, unpacked, in bytes. */
  readonly maxBytes: number;
  /** Longest time from the request to the end of the body. */
  readonly seconds: number;
}

/**
 * Returns a function that requests a path and reads the answer. It throws {@link NoAnswerError} when the answer
 * exceeds the limits or does not arrive.
 *
 * @param base Its URL without a slash at the end.
 */
export function askWithin(base: string, send: Send, limits: AnswerLimits): Ask {
  return async (path) => {
    const ending = new AbortController();
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    const timer = setTimeout(() => {
      late.reject(new NoAnswerError(`no answer within ${limits.seconds} s`));
      ending.abort();
    }, 1000 * limits.seconds);
    try {
      // Not every runtime ends a body with the signal.
      const within = <T>(promise: Promise<T>) => Promise.race([promise, late.promise]);
      const response = await within(send(base + path, ending.signal));
      const text = await readText(response, limits.maxBytes, within);
      return { status: response.status, json: readAnswerJson(text) };
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
      if (error instanceof RangeError) throw new NoAnswerError(error.message);
      const reason = reasonOf(error);
      throw new NoAnswerError(reason, reason === "connection closed");
    } finally {
      clearTimeout(timer);
      ending.abort();
    }
  };
}

/**
 * The text of a body; malformed UTF-8 becomes U+FFFD. Stops reading at the limit, whatever `content-length` says.
 *
 * @param within Waits for a promise until the time limit.
 */
async function readText(
  response: Response,
  maxBytes: number,
  within: <T>(promise: Promise<T>) => Promise<T>,
): Promise<string> {
  const tooLong = () => new NoAnswerError(`an answer of more than ${maxBytes} bytes`);
  if (Number(response.headers.get("content-length")) > maxBytes) throw tooLong();
  const reader = response.body?.getReader();
  const parts: Uint8Array[] = [];
  for (let length = 0; reader !== undefined;) {
    const { done, value } = await within(reader.read());
    if (done) break;
    length += value.length;
    if (length > maxBytes) throw tooLong();
    parts.push(value);
  }
  return new TextDecoder().decode(joinBytes(parts));
}
