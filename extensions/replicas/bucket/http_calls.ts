/** Calls of buckets over HTTP, with timeouts, repeated attempts, and size limits for bodies. */
import { joinBytes, pauseFor } from "../../../src/mod.ts";
import { BucketError, type BucketObstacle } from "./bucket.ts";

/** Sends a request, like the `fetch` function of a runtime. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Timeouts and delays of a bucket over HTTP. */
export interface BucketTimes {
  /** Timeout of a call including all attempts, in milliseconds; {@link CALL_LIMIT_MS} by default. */
  readonly callMs?: number;
  /**
   * Timeout of one attempt while the server sends no data, in milliseconds; {@link SILENCE_LIMIT_MS} by
   * default.
   */
  readonly silenceMs?: number;
  /** Maximum delay before the second attempt, in milliseconds; {@link FIRST_PAUSE_MS} by default. */
  readonly pauseMs?: number;
}

/** Default timeout of a call including all attempts, in milliseconds. */
export const CALL_LIMIT_MS = 10_000;

/**
 * Default time in which the server must begin its response, or send more data of its response, in
 * milliseconds. Otherwise the attempt fails, and another attempt begins if the call is repeatable.
 */
export const SILENCE_LIMIT_MS = 3_000;

/** Maximum number of attempts of one call. */
const ATTEMPT_LIMIT = 4;

/**
 * Default maximum delay before the second attempt, in milliseconds. The delay doubles before each further
 * attempt, and is shortened by a random part of at most one half.
 */
export const FIRST_PAUSE_MS = 100;

/** Number of sent bytes for which the timeouts grow by one millisecond. This means 128 kB/s. */
const SENT_BYTES_PER_MS = 128;

/** Maximum number of bytes to read from the body of an error response. */
const ERROR_LIMIT_BYTES = 4 * 1024;

/** Statuses after which another attempt may succeed. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Error codes of S3 after which another attempt may succeed, although the status means that the call is
 * denied.
 */
const PASSING_CODES = new Set(["RequestTimeout", "IncompleteBody", "SlowDown", "OperationAborted"]);

/** Error codes of S3 that mean, with status 404, that the object does not exist. */
const ABSENT_CODES = new Set(["NoSuchKey", "NotFound", "NoSuchVersion"]);

/** The HTTP request of one attempt. */
export interface CallRequest {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly headers: Headers;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface Call<T> {
  /** Verb and key for error messages, such as `read "a/b"`. */
  readonly what: string;
  /** Whether the call has the same effect when the server receives the request twice. */
  readonly isRepeatable: boolean;
  /** Creates the request of one attempt. It is called again for each attempt. */
  readonly request: () => CallRequest | Promise<CallRequest>;
  /** Statuses that `read` accepts. Other statuses become errors. */
  readonly statuses: readonly number[];
  /**
   * Reads the response. An error that this function throws ends the call. But after an error from
   * {@link brokenAnswer}, another attempt is made.
   */
  readonly read: (answer: CallAnswer) => T | Promise<T>;
  readonly signal: AbortSignal | undefined;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * Error code in the body of a response with status 400 or above. `undefined` if the body has no error code
   * of S3.
   */
  readonly code: string | undefined;
  /**
   * Reads the body. Throws {@link brokenAnswer} when the body does not fit the parameters.
   *
   * @param limitBytes Maximum number of bytes.
   * @param length Expected number of bytes, if known.
   */
  readonly body: (limitBytes: number, length?: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** Error of an attempt after which another attempt may succeed. */
class PassingError extends BucketError {}

/**
 * Returns the error for a response that does not match the request. After this error, another attempt is
 * made.
 */
export function brokenAnswer(what: string, reason: string): BucketError {
  return new PassingError("broken", `Cannot ${what} in the bucket: ${reason}`);
}

/**
 * Makes calls with `fetch`. It does not follow redirects, because they would send the credentials to another
 * server.
 */
export class HttpCalls {
  readonly #fetch: Fetch;
  readonly #times: Required<BucketTimes>;
  readonly #bucket: string | undefined;

  /** @param bucket Name of the bucket, for the error message when the bucket does not exist. */
  constructor(send: Fetch | undefined, times: BucketTimes | undefined, bucket?: string) {
    this.#bucket = bucket;
    this.#fetch = send ?? ((url, init) => fetch(url, init));
    this.#times = { callMs: CALL_LIMIT_MS, silenceMs: SILENCE_LIMIT_MS, pauseMs: FIRST_PAUSE_MS, ...times };
  }

  /** Makes attempts until an attempt succeeds, the timeout is over, or another attempt cannot help. */
  async call<T>(call: Call<T>): Promise<T> {
    const { signal } = call;
    signal?.throwIfAborted();
    const deadline = performance.now() + this.#times.callMs;
    for (let attempt = 1;; attempt++) {
      try {
        return await this.#attempt(call, deadline);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof PassingError)) throw error;
        // The delay is random, so that different processes do not retry at the same time.
        const pauseMs = this.#times.pauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
        const isLast = !call.isRepeatable || attempt === ATTEMPT_LIMIT ||
          performance.now() + pauseMs > deadline;
        if (isLast) throw new BucketError(error.obstacle, error.message);
        await pauseFor(pauseMs, signal);
        signal?.throwIfAborted();
      }
    }
  }

  async #attempt<T>(call: Call<T>, deadline: number): Promise<T> {
    const { url, method, headers, body } = await call.request();
    // Requests the bytes as they are stored. This header field is not signed, because `fetch` sends the field
    // twice when the request has a range.
    headers.set("accept-encoding", "identity");
    const extraMs = (body?.length ?? 0) / SENT_BYTES_PER_MS;
    const watch = new Watch(
      { endMs: deadline + extraMs, silenceMs: this.#times.silenceMs, extraMs },
      call.signal,
    );
    try {
      const sent = this.#fetch(url, {
        method,
        headers,
        redirect: "manual",
        signal: watch.signal,
        ...body && { body },
      });
      const response = await watch.race(sent);
      watch.heard();
      return await readAnswer(call, response, watch, this.#bucket);
    } catch (error) {
      if (error instanceof BucketError || error instanceof RangeError) throw error;
      throw new PassingError(
        "unavailable",
        `Cannot ${call.what} in the bucket: ${watch.reason ?? systemCode(error)}`,
      );
    } finally {
      watch.end();
    }
  }
}

async function readAnswer<T>(
  call: Call<T>,
  response: Response,
  watch: Watch,
  bucket: string | undefined,
): Promise<T> {
  const { status, headers } = response;
  let isRead = false;
  const body: CallAnswer["body"] = async (limitBytes, length) => {
    isRead = true;
    return await readBody(call.what, response, watch, limitBytes, length);
  };
  try {
    const code = status >= 400 ? await errorCode(body) : undefined;
    // A 404 can also mean that the bucket does not exist, or that the server does not know the user of the
    // credentials.
    const isOther = status === 404 && code !== undefined && !ABSENT_CODES.has(code);
    if (!call.statuses.includes(status) || isOther) throw refusal(call.what, status, code, bucket);
    return await call.read({ status, headers, code, body });
  } finally {
    // A body that is not read would occupy its connection.
    if (!isRead) response.body?.cancel().catch(() => {});
  }
}

function refusal(
  what: string,
  status: number,
  code: string | undefined,
  bucket: string | undefined,
): BucketError {
  const answered = code === undefined ? String(status) : `${status} ${code}`;
  const reason = code === "NoSuchBucket" && bucket !== undefined
    ? `the server has no bucket "${bucket}"; create it first`
    : `the server answers ${answered}`;
  const message = `Cannot ${what} in the bucket: ${reason}`;
  if (PASSING.has(status) || PASSING_CODES.has(code ?? "")) return new PassingError("unavailable", message);
  const obstacle: BucketObstacle = status >= 500 && status !== 501 || status < 300 ? "broken" : "denied";
  return new BucketError(obstacle, message);
}

/** Returns the error code in the body of an S3 error, if it consists of letters. */
async function errorCode(body: CallAnswer["body"]): Promise<string | undefined> {
  try {
    const text = new TextDecoder().decode(await body(ERROR_LIMIT_BYTES));
    return /<Code>([A-Za-z]{1,64})<\/Code>/.exec(text)?.[1];
  } catch (error) {
    if (error instanceof PassingError && error.obstacle === "broken") return undefined;
    throw error;
  }
}

async function readBody(
  what: string,
  { headers, body }: Response,
  watch: Watch,
  limitBytes: number,
  expected: number | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const broken = (reason: string) => brokenAnswer(what, reason);
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "" && encoding !== "identity") throw broken("the server has compressed its answer");
  const length = expected ?? lengthOf(headers);
  if (length !== undefined && length > limitBytes) throw broken(`more than ${limitBytes} bytes`);
  const chunks: Uint8Array[] = [];
  let count = 0;
  const reader = body?.getReader();
  try {
    while (reader !== undefined) {
      const { done, value } = await watch.race(reader.read());
      if (done) break;
      watch.heard();
      count += value.length;
      if (count > (length ?? limitBytes)) throw broken(`more than ${length ?? limitBytes} bytes`);
      chunks.push(value);
    }
  } catch (error) {
    reader?.cancel().catch(() => {});
    throw error;
  }
  if (length !== undefined && count !== length) throw broken(`${count} bytes instead of ${length}`);
  return joinBytes(chunks);
}

/** Timeouts of a {@link Watch}, in milliseconds. */
export interface WatchTimes {
  /** Time at which the call ends, by `performance.now()`. */
  readonly endMs: number;
  /** Timeout while the server sends no data; unlimited by default. */
  readonly silenceMs?: number;
  /** Added to `silenceMs` until the server sends its first data. */
  readonly extraMs?: number;
}

/**
 * Ends a call when the caller aborts it, when its time is over, or when the server sends nothing for too
 * long.
 */
export class Watch {
  readonly #controller = new AbortController();
  readonly #ended = Promise.withResolvers<never>();
  readonly #times: WatchTimes;
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Reason for which the watch ended the call. */
  reason: string | undefined;

  constructor(times: WatchTimes, caller: AbortSignal | undefined) {
    this.#times = times;
    this.#caller = caller;
    this.#ended.promise.catch(() => {});
    caller?.addEventListener("abort", this.#abort);
    if (caller?.aborted) this.#abort();
    else this.#expect("no answer in time", times.extraMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Must be called each time the server has sent data. */
  heard(): void {
    this.#expect("the server stopped answering");
  }

  /**
   * Waits for the promise, or rejects when the call ends. Without this method, a caller could wait forever,
   * because some runtimes never settle the promise of an aborted call.
   */
  race<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#ended.promise]);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener("abort", this.#abort);
  }

  #expect(silent: string, extraMs = 0): void {
    clearTimeout(this.#timer);
    const { endMs, silenceMs = Infinity } = this.#times;
    // Under load, a delay or the signing of a request may have taken longer than the whole timeout.
    const leftMs = Math.max(0, endMs - performance.now());
    const isLast = leftMs <= silenceMs + extraMs;
    const ms = isLast ? leftMs : silenceMs + extraMs;
    this.#timer = setTimeout(() => this.#end(isLast ? "no answer in time" : silent), ms);
  }

  readonly #abort = (): void => this.#end("aborted");

  #end(reason: string): void {
    this.reason ??= reason;
    this.#controller.abort();
    this.#ended.reject(this.signal.reason);
  }
}

/** Returns the value of `Content-Length`, if it is a number. */
export function lengthOf(headers: Headers): number | undefined {
  const text = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Returns the system's error code for a failed connection, such as `ECONNREFUSED`. The message of the error
 * is not used, because it may contain an address.
 */
function systemCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const code = "code" in at ? String(at.code) : "";
    if (/^[A-Z][A-Za-z_]{2,40}$/.test(code)) return code;
  }
  return "the connection failed";
}
