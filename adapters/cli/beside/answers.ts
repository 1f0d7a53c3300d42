/** Answers of two services: of another one over HTTP, and of our own in this process. */
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { reasonOf } from "../reason.ts";
import { type Json, readAnswerJson } from "./json.ts";

/** An answer that can be compared. */
export interface Answer {
  readonly status: number;
  /** Its JSON; `undefined` when it has none. */
  readonly json: Json | undefined;
}

/** An answer that did not come, or cannot be compared; the message says why. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** Whether the connection ended without an answer, as it does when the other service fails. */
  readonly isClosed: boolean;

  constructor(message: string, isClosed = false) {
    super(message);
    this.isClosed = isClosed;
  }
}

/** Requests a path of a service. */
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
 * A service whose answers are read within limits. What is returned throws {@link NoAnswerError} for an answer
 * beyond the limits, and for none.
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
 * The text of a body, malformed UTF-8 with replacement characters. Reads no further than the limit, whatever
 * length the service has announced.
 *
 * @param within Waits for a promise no longer than there is time.
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
