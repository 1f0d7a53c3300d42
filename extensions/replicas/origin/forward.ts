/**
 * Passes requests on from a replica to its origin: the service beside the home, which alone can change,
 * search and make packs. Bodies are streamed both ways.
 */
import { CoreError, MalformedError, UnavailableError, UnsupportedError } from "../../../src/errors.ts";
import type { Answer } from "../../../src/http/answer.ts";
import { normalizeBasePath } from "../../../src/http/base_path.ts";
import { bodyTooLarge, checkDeclaredLength } from "../../../src/http/receive_body.ts";
import { startSystemTimer, type StartTimer } from "../../../src/async/timer.ts";
import { Limiter } from "../../../src/scheduling/limiter.ts";
import { headOfAnswer, headOfForwarded } from "./forwarded_head.ts";

/** Largest body that is passed on, in bytes: that of a request of git. The origin has less room for JSON. */
export const MAX_FORWARDED_BODY_BYTES = 10 * 1024 * 1024;
/** Maximum number of requests that a replica has passed on at a time, until the end of their answers. */
export const MAX_FORWARDED = 256;
/** Part of them that one client may have. */
export const FORWARDED_SHARE_OF_CLIENT = 1 / 4;
/**
 * Time for the origin to take the next piece of a body, or to begin its answer, in milliseconds. It leaves a
 * second of the ten within which a replica without its origin answers.
 */
export const ORIGIN_ANSWER_MS = 9_000;
/** Longest silence within an answer that the client waits for, in milliseconds. */
export const ORIGIN_SILENCE_MS = 30_000;
/** `Retry-After` while the origin is away or too much is under way, in seconds. */
export const ORIGIN_RETRY_SECONDS = 5;

/** Options with which an origin is asked: those of `fetch`. */
export interface OriginRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly signal: AbortSignal;
  /** Redirections are never followed: the token in a request is for the origin alone. */
  readonly redirect: "manual";
  /** Required by the standard for a streamed body. */
  readonly duplex: "half";
}

/** Sends a request: `fetch`, or as `fetch` with a `Host` field of its own. */
export type FetchOrigin = (url: string, request: OriginRequest) => Promise<Response>;

/** Options of an {@link Origin}. */
export interface OriginOptions {
  /** URL of the service, `http:` or `https:`, with its base path if it has one. */
  readonly url: string;
  /** By default `fetch`, which replaces `Host` on Node.js, Deno and workers. */
  readonly fetch?: FetchOrigin;
  /** Path below which the replica itself is mounted; it is replaced by the path of `url`. */
  readonly basePath?: string;
  /** By default the runtime's timer. */
  readonly startTimer?: StartTimer;
  /** Replaces {@link MAX_FORWARDED}. */
  readonly maxForwarded?: number;
}

/** The sender of a request that is passed on. */
export interface ForwardedSender {
  /** Key of the client. */
  readonly client?: string;
  /** Value of `CLIENT_ADDRESS_FIELD`. */
  readonly claim?: string | undefined;
}

/** A service to which a replica passes requests on. */
export class Origin {
  readonly #url: string;
  readonly #fetch: FetchOrigin;
  readonly #basePath: string;
  readonly #startTimer: StartTimer;
  readonly #places: Limiter;

  /** @throws {TypeError} for what is no URL of HTTP, or has credentials, a query or a fragment. */
  constructor(options: OriginOptions) {
    const { url, fetch = (url, init) => globalThis.fetch(url, init), basePath = "", startTimer } = options;
    this.#url = normalizeOrigin(url);
    this.#fetch = fetch;
    this.#basePath = normalizeBasePath(basePath);
    this.#startTimer = startTimer ?? startSystemTimer;
    const atOnce = options.maxForwarded ?? MAX_FORWARDED;
    this.#places = new Limiter({ atOnce, ofKey: Math.ceil(atOnce * FORWARDED_SHARE_OF_CLIENT) });
  }

  /**
   * Passes a request on and returns the answer as soon as its head is there.
   *
   * An answer that a client does not read to its end must be canceled, as servers do: it counts among
   * those under way until then.
   *
   * @param sender Its client, for the limit of each, and the claim for the origin.
   * @throws {ForbiddenError} for a request with `Via`.
   * @throws {TooLargeError} for a body beyond {@link MAX_FORWARDED_BODY_BYTES}; `unavailable`, with
   *   `Retry-After`, when too many requests are under way, and when the origin is away, redirects, or is
   *   itself a proxy without its server. A change may have happened nevertheless when the origin fell silent
   *   over it.
   */
  async forward(request: Request, { client, claim }: ForwardedSender = {}): Promise<Answer> {
    const headers = headOfForwarded(request, claim);
    checkDeclaredLength(request, MAX_FORWARDED_BODY_BYTES);
    const leave = this.#places.tryEnter({ keys: [client] });
    if (leave === undefined) throw originUnavailable("Too many requests wait for the origin");
    const { pathname, search } = new URL(request.url);
    const path = pathname.startsWith(`${this.#basePath}/`) ? pathname.slice(this.#basePath.length) : pathname;
    const exchange = new Exchange(request, this.#startTimer, leave);
    try {
      exchange.expect(ORIGIN_ANSWER_MS);
      const response = await this.#fetch(`${this.#url}${path}${search}`, {
        method: request.method,
        headers,
        body: exchange.outgoing(request.body),
        signal: exchange.signal,
        redirect: "manual",
        duplex: "half",
      });
      return await exchange.answer(response);
    } catch (error) {
      exchange.end();
      throw exchange.failure ??
        (error instanceof CoreError ? error : originUnavailable("The origin is away"));
    }
  }
}

/**
 * The error for a request that only an origin can answer, at a replica without one.
 *
 * @param kind `change` for every request that is no read, and for sessions; `search` and `git` for reads that
 *   need the home.
 * @returns For `change`: `unavailable`; without `Retry-After`, since waiting does not help. For the others an
 *   {@link UnsupportedError}, which is answered 501.
 */
export function missingOrigin(kind: "change" | "search" | "git"): Error {
  return kind === "change"
    ? new UnavailableError("This replica has no origin: it can only be read")
    : new UnsupportedError(`This replica has no origin to ${kind === "git" ? "clone from" : "search"}`);
}

/** One request on its way, with its timer. */
class Exchange {
  /** Error of the request's own body, which counts more than what `fetch` makes of it. */
  failure: CoreError | undefined;
  readonly #controller = new AbortController();
  readonly #request: Request;
  readonly #startTimer: StartTimer;
  readonly #onEnd: () => void;
  #cancelTimer = () => {};
  #hasHead = false;
  #hasEnded = false;

  constructor(request: Request, startTimer: StartTimer, onEnd: () => void) {
    this.#request = request;
    this.#startTimer = startTimer;
    this.#onEnd = onEnd;
    if (request.signal.aborted) this.#abort();
    request.signal.addEventListener("abort", this.#abort);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly #abort = (): void => this.#controller.abort();

  /** Starts the time for the next sign of the origin; none without `ms`. */
  expect(ms?: number): void {
    this.#cancelTimer();
    this.#cancelTimer = ms === undefined || this.#hasEnded ? () => {} : this.#startTimer(ms, this.#abort);
  }

  /** Ends the exchange; later calls change nothing. */
  end(): void {
    if (this.#hasEnded) return;
    this.expect();
    this.#hasEnded = true;
    this.#request.signal.removeEventListener("abort", this.#abort);
    this.#onEnd();
  }

  /** The body on its way to the origin: within its limit, each piece with new time. */
  outgoing(body: Request["body"]): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (body === null) return null;
    const reader = body.getReader();
    let size = 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        // Time in which the client sends is not the origin's. Servers bound it.
        if (!this.#hasHead) this.expect();
        const { done, value } = await reader.read().catch(() => {
          throw this.#fail(new MalformedError("Request body is incomplete"));
        });
        if (!this.#hasHead) this.expect(ORIGIN_ANSWER_MS);
        if (done) return controller.close();
        size += value.length;
        if (size > MAX_FORWARDED_BODY_BYTES) {
          void reader.cancel().catch(() => {});
          throw this.#fail(bodyTooLarge(MAX_FORWARDED_BODY_BYTES));
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason).catch(() => {}),
    }, { highWaterMark: 0 });
  }

  #fail<E extends CoreError>(error: E): E {
    this.failure = error;
    this.#abort();
    return error;
  }

  /** The origin's answer, streamed. */
  async answer(response: Response): Promise<Answer> {
    this.#hasHead = true;
    this.expect();
    const { status, body } = response;
    const isRedirect = response.type === "opaqueredirect" || status >= 300 && status < 400 && status !== 304;
    // A gateway of the origin has lost it.
    if (isRedirect || status === 502 || status === 504 || status < 200) {
      await body?.cancel().catch(() => {});
      throw originUnavailable("The origin is away");
    }
    const headers = headOfAnswer(response);
    if (body === null || this.#request.method === "HEAD") {
      await body?.cancel().catch(() => {});
      this.end();
      return { status, headers, body: undefined };
    }
    return { status, headers, body: { stream: this.#incoming(body), heldBytes: 0 } };
  }

  #incoming(body: NonNullable<Response["body"]>): ReadableStream<Uint8Array<ArrayBuffer>> {
    const reader = body.getReader();
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        this.expect(ORIGIN_SILENCE_MS);
        try {
          const { done, value } = await reader.read();
          this.expect();
          if (!done) return controller.enqueue(value);
          this.end();
          controller.close();
        } catch {
          this.end();
          controller.error(new Error("The origin broke off"));
        }
      },
      cancel: async () => {
        this.end();
        this.#abort();
        await reader.cancel().catch(() => {});
      },
    }, { highWaterMark: 0 });
  }
}

function normalizeOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "" ||
    url.search !== "" || url.hash !== ""
  ) {
    // The text may hold a password.
    throw new TypeError("Cannot use the origin: expected a URL such as https://seed.example.org");
  }
  return url.href.replace(/\/+$/, "");
}

/** The error while the origin is away or too much is under way. */
export function originUnavailable(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: ORIGIN_RETRY_SECONDS });
}
