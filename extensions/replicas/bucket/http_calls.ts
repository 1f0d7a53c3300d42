/** Calls of buckets over HTTP: timeouts, repeated attempts, and bodies within limits. */
import { joinBytes, pauseFor } from "../../../src/mod.ts";
import { BucketError, type BucketObstacle } from "./bucket.ts";

/** Sends a request, as the `fetch` of a runtime does. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Time limits of a bucket over HTTP. */
export interface BucketTimes {
  /** Milliseconds of a call with all its attempts; {@link CALL_LIMIT_MS} by default. */
  readonly callMs?: number;
  /** Longest time without data from the server, in milliseconds; {@link SILENCE_LIMIT_MS} by default. */
  readonly silenceMs?: number;
  /** Pause before the second attempt in milliseconds; {@link FIRST_PAUSE_MS} by default. */
  readonly pauseMs?: number;
}

/** Milliseconds of a call with all its attempts. */
export const CALL_LIMIT_MS = 10_000;

/**
 * Milliseconds in which the server must begin its answer, or send more of it. Then another attempt begins.
 */
export const SILENCE_LIMIT_MS = 3_000;

/** Most attempts of one call. */
const ATTEMPT_LIMIT = 4;

/** Milliseconds before the second attempt. The pause doubles before each further one. */
export const FIRST_PAUSE_MS = 100;

/** Bytes sent that give a call another millisecond: 128 KiB/s. */
const SENT_BYTES_PER_MS = 128;

/** Most bytes that are read of the body of an error. */
const ERROR_LIMIT_BYTES = 4 * 1024;

/** Statuses of a server that may answer differently the next time. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Error codes of S3 that another attempt may not meet, although their status means a denied call. */
const PASSING_CODES = new Set(["RequestTimeout", "IncompleteBody", "SlowDown", "OperationAborted"]);

/** Error codes of S3 with status 404 that mean an absent object. */
const ABSENT_CODES = new Set(["NoSuchKey", "NotFound", "NoSuchVersion"]);

/** A request of one attempt. */
export interface CallRequest {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly headers: Headers;
  readonly body?: Uint8Array<ArrayBuffer>;
}

export interface Call<T> {
  /** Verb and key for messages: `read "a/b"`. */
  readonly what: string;
  /** Whether it has the same effect when the server gets it twice. */
  readonly isRepeatable: boolean;
  /** Makes the request of one attempt. */
  readonly request: () => CallRequest | Promise<CallRequest>;
  /** Statuses that `read` understands; others become errors. */
  readonly statuses: readonly number[];
  /** Reads the answer. An error that it throws ends the call, except for {@link brokenAnswer}. */
  readonly read: (answer: CallAnswer) => T | Promise<T>;
  readonly signal: AbortSignal | undefined;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Error code that an S3 server gives in the body of status 400 and above, if any. */
  readonly code: string | undefined;
  /**
   * Reads the body.
   *
   * @param limitBytes Most bytes; more are {@link brokenAnswer}.
   * @param length Expected number of bytes, if known; another number is {@link brokenAnswer}.
   */
  readonly body: (limitBytes: number, length?: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** An attempt failed, but another one may succeed. */
class PassingError extends BucketError {}

/** The error of an answer that does not match the request: another attempt is made. */
export function brokenAnswer(what: string, reason: string): BucketError {
  return new PassingError("broken", `Cannot ${what} in the bucket: ${reason}`);
}

/**
 * Makes calls by `fetch`. Redirections are not followed: they would send the credentials to another server.
 */
export class HttpCalls {
  readonly #fetch: Fetch;
  readonly #times: Required<BucketTimes>;
  readonly #bucket: string | undefined;

  /** @param bucket Name of the bucket, for the message that it does not exist. */
  constructor(send: Fetch | undefined, times: BucketTimes | undefined, bucket?: string) {
    this.#bucket = bucket;
    this.#fetch = send ?? ((url, init) => fetch(url, init));
    this.#times = { callMs: CALL_LIMIT_MS, silenceMs: SILENCE_LIMIT_MS, pauseMs: FIRST_PAUSE_MS, ...times };
  }

  /** Makes attempts until one succeeds, the time is over, or another one cannot help. */
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
        // The pauses differ between processes, so that they do not retry together.
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
    // Bytes must come as they are stored. Not signed: fetch repeats the field where there is a range.
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
    // A 404 can also mean that the bucket is absent, or the owner of the credentials.
    const isOther = status === 404 && code !== undefined && !ABSENT_CODES.has(code);
    if (!call.statuses.includes(status) || isOther) throw refusal(call.what, status, code, bucket);
    return await call.read({ status, headers, code, body });
  } finally {
    // An unread body would occupy its connection.
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

/** The code in the body of an error, a word of letters. */
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

/** Times of a {@link Watch}, in milliseconds. */
export interface WatchTimes {
  /** When the call ends, by `performance.now()`. */
  readonly endMs: number;
  /** Longest time without data from the server; unlimited by default. */
  readonly silenceMs?: number;
  /** Added to the first wait for data. */
  readonly extraMs?: number;
}

/** Ends a call when it is aborted, its time is over, or the server sends nothing for too long. */
export class Watch {
  readonly #controller = new AbortController();
  readonly #ended = Promise.withResolvers<never>();
  readonly #times: WatchTimes;
  readonly #caller: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The reason why the watch ended the call. */
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

  /** Called when the server has sent something. */
  heard(): void {
    this.#expect("the server stopped answering");
  }

  /** Waits for a promise until the call ends. Some runtimes never settle the promise after that. */
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
    // Under load, a pause or the signing of a request may have taken longer than the call may.
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

/** `Content-Length`, if it is a number. */
export function lengthOf(headers: Headers): number | undefined {
  const text = headers.get("content-length") ?? "";
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * The code that a system gives for a failed connection, such as `ECONNREFUSED`. Messages may name addresses.
 */
function systemCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++) {
    const code = "code" in at ? String(at.code) : "";
    if (/^[A-Z][A-Za-z_]{2,40}$/.test(code)) return code;
  }
  return "the connection failed";
}
