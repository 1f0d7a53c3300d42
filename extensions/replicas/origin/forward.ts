/**
 * Passes requests on from a replica to its origin, which is the service next to the home. Only the origin can
 * change repositories, search, and create packs for git clients. Bodies are streamed in both directions.
 */
import {
  type Answer,
  bodyTooLarge,
  checkDeclaredLength,
  CoreError,
  Limiter,
  MalformedError,
  normalizeBasePath,
  startSystemTimer,
  type StartTimer,
  UnavailableError,
  UnsupportedError,
} from "../../../src/mod.ts";
import { headOfAnswer, headOfForwarded } from "./forwarded_head.ts";

/**
 * Maximum size of a body that is passed on, in bytes. It is the maximum for a request of git. For JSON, the
 * origin accepts less.
 */
const MAX_FORWARDED_BODY_BYTES = 10 * 1024 * 1024;
/**
 * Maximum number of requests that a replica passes on at the same time. A request counts until its response
 * has ended.
 */
export const MAX_FORWARDED = 256;
/** Part of {@link MAX_FORWARDED} that the requests of one client may use. */
export const FORWARDED_SHARE_OF_CLIENT = 1 / 4;
/**
 * Timeout for the origin to accept the next piece of a body, or to begin its response, in milliseconds. A
 * replica that cannot reach its origin must respond within ten seconds, so this timeout leaves one second.
 */
const ORIGIN_ANSWER_MS = 9_000;
/** Timeout for the next piece of the origin's response, in milliseconds. */
const ORIGIN_SILENCE_MS = 30_000;
/** Value of `Retry-After` while the origin is unreachable or has too many requests, in seconds. */
const ORIGIN_RETRY_SECONDS = 5;

/** The request to the origin, in the form of the options of `fetch`. */
export interface OriginRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly signal: AbortSignal;
  /** Redirects are never followed, because the token in a request is only for the origin. */
  readonly redirect: "manual";
  /** The Fetch standard requires this value for a streamed body. */
  readonly duplex: "half";
}

/** Sends a request. It is `fetch`, or a similar function that can also set the field `Host`. */
export type FetchOrigin = (url: string, request: OriginRequest) => Promise<Response>;

/** Options of an {@link Origin}. */
export interface OriginOptions {
  /** URL of the origin, `http:` or `https:`, with its base path if it has a base path. */
  readonly url: string;
  /** Sends requests; `fetch` by default. On Node.js, Deno and workers, `fetch` replaces the field `Host`. */
  readonly fetch?: FetchOrigin;
  /**
   * Path below which the replica itself is mounted. In forwarded requests, the path of `url` replaces this
   * path.
   */
  readonly basePath?: string;
  /** Starts a timer; the runtime's timer by default. */
  readonly startTimer?: StartTimer;
  /** Maximum number of requests that are passed on at the same time; {@link MAX_FORWARDED} by default. */
  readonly maxForwarded?: number;
}

/** The client that has sent a forwarded request. */
export interface ForwardedSender {
  /** Key that identifies the client, for the limit of the requests of one client. */
  readonly client?: string;
  /** The signed claim about the client: the value of `CLIENT_ADDRESS_FIELD`. */
  readonly claim?: string | undefined;
}

/** The service to which a replica passes requests on. */
export class Origin {
  readonly #url: string;
  readonly #fetch: FetchOrigin;
  readonly #basePath: string;
  readonly #startTimer: StartTimer;
  readonly #places: Limiter;

  /**
   * @throws {TypeError} for text that is not an HTTP URL, and for a URL with credentials, a query or a
   *   fragment.
   */
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
   * Passes a request on, and returns the response as soon as its header has arrived.
   *
   * The caller must read the body of the response to its end, or cancel it, as servers do. Until then, the
   * response counts as a request in progress.
   *
   * @param sender The client, for the limit of each client, and the claim for the origin.
   * @throws {ForbiddenError} for a request with `Via`.
   * @throws {TooLargeError} for a body longer than {@link MAX_FORWARDED_BODY_BYTES}.
   * @throws {UnavailableError} with `Retry-After`, when too many requests are in progress, when the origin is
   *   unreachable or redirects, or when the origin is itself a proxy that cannot reach its server. If the
   *   origin sent no response in time, it may still have made the change.
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
 * Creates the error for a request that only an origin can handle, at a replica without an origin.
 *
 * @param kind `change` for sessions and for every request that is not a read; `search` and `git` for reads
 *   that need the home.
 * @returns For `change` an {@link UnavailableError} without `Retry-After`, because waiting does not help. For
 *   the other kinds an {@link UnsupportedError}, which has status 501.
 */
export function missingOrigin(kind: string): Error {
  return kind === "change"
    ? new UnavailableError("This replica has no origin: it is read-only")
    : new UnsupportedError(`This replica has no origin to ${kind === "git" ? "clone from" : "search"}`);
}

/** One request to the origin and its response, with the timer for both. */
class Exchange {
  /**
   * Error in the body of the client's request. `fetch` then fails with an error of its own. This error is
   * thrown instead of the error of `fetch`.
   */
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

  /**
   * Restarts the timeout within which the origin must send or accept data. Without `ms`, there is no timeout.
   */
  expect(ms?: number): void {
    this.#cancelTimer();
    this.#cancelTimer = ms === undefined || this.#hasEnded ? () => {} : this.#startTimer(ms, this.#abort);
  }

  /** Ends the exchange. Later calls have no effect. */
  end(): void {
    if (this.#hasEnded) return;
    this.expect();
    this.#hasEnded = true;
    this.#request.signal.removeEventListener("abort", this.#abort);
    this.#onEnd();
  }

  /**
   * Returns the body to send to the origin. It checks the size limit, and restarts the timeout for each
   * piece.
   */
  outgoing(body: Request["body"]): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (body === null) return null;
    const reader = body.getReader();
    let size = 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        // The time that the client needs to send its body must not count for the timeout of the origin.
        // Servers limit this time.
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

  /**
   * Converts the origin's response to an answer with a streamed body.
   *
   * @throws {UnavailableError} when the response does not come from the origin itself.
   */
  async answer(response: Response): Promise<Answer> {
    this.#hasHead = true;
    this.expect();
    const { status, body } = response;
    const isRedirect = response.type === "opaqueredirect" || status >= 300 && status < 400 && status !== 304;
    // A response with such a status comes from a gateway that cannot reach the origin, or is a redirect.
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
          controller.error(new Error("The origin closed the connection within its answer"));
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
    // The message does not contain the text, which may contain a password.
    throw new TypeError("Cannot use the origin: expected a URL such as https://seed.example.org");
  }
  return url.href.replace(/\/+$/, "");
}

/** Creates the error for a request while the origin is unreachable or has too many requests. */
export function originUnavailable(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: ORIGIN_RETRY_SECONDS });
}
