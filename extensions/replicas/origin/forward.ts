/**
 * Passes requests on from a replica to its origin, the service next to the home. Only the origin can change
 * repositories, search and make packs. Bodies are streamed both ways.
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

/** Largest body that is passed on, in bytes: the body of a request of git. The origin accepts less JSON. */
const MAX_FORWARDED_BODY_BYTES = 10 * 1024 * 1024;
/** Maximum number of requests that a replica has passed on at a time, until the end of their answers. */
export const MAX_FORWARDED = 256;
/** Part of them that one client may have. */
export const FORWARDED_SHARE_OF_CLIENT = 1 / 4;
/**
 * Time for the origin to take the next piece of a body, or to begin its answer, in milliseconds. It leaves a
 * second of the ten within which a replica without its origin answers.
 */
const ORIGIN_ANSWER_MS = 9_000;
/** Longest pause within an answer that the client waits for, in milliseconds. */
const ORIGIN_SILENCE_MS = 30_000;
/** `Retry-After` while the origin is unreachable or has too many requests, in seconds. */
const ORIGIN_RETRY_SECONDS = 5;

/** Options of a request to the origin, as for `fetch`. */
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

/** Sends a request: `fetch`, or a function like it that can set the `Host` field. */
export type FetchOrigin = (url: string, request: OriginRequest) => Promise<Response>;

/** Options of an {@link Origin}. */
export interface OriginOptions {
  /** URL of the service, `http:` or `https:`, with its base path if it has one. */
  readonly url: string;
  /** By default `fetch`, which replaces `Host` on Node.js, Deno and workers. */
  readonly fetch?: FetchOrigin;
  /** Path below which the replica itself is mounted; the path of `url` replaces it. */
  readonly basePath?: string;
  /** The runtime's timer by default. */
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

/** A service that a replica passes requests on to. */
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
   * Passes a request on and returns the answer as soon as its head has arrived.
   *
   * An answer that a client does not read to its end must be canceled, as servers do: until then it counts as
   * a request in progress.
   *
   * @param sender The client, for the limit of each client, and the claim for the origin.
   * @throws {ForbiddenError} for a request with `Via`.
   * @throws {TooLargeError} for a body longer than {@link MAX_FORWARDED_BODY_BYTES}.
   * @throws {UnavailableError} with `Retry-After`, when too many requests are in progress, and when the
   *   origin is unreachable, redirects, or is itself a proxy without its server. The origin may still have
   *   made the change if it sent no answer in time.
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
 * @param kind `change` for sessions and every request that is not a read; `search` and `git` for reads that
 *   need the home.
 * @returns For `change`: `unavailable`; without `Retry-After`, since waiting does not help. For the others an
 *   {@link UnsupportedError}, which is answered 501.
 */
export function missingOrigin(kind: string): Error {
  return kind === "change"
    ? new UnavailableError("This replica has no origin: it is read-only")
    : new UnsupportedError(`This replica has no origin to ${kind === "git" ? "clone from" : "search"}`);
}

/** One request to the origin, with its timer. */
class Exchange {
  /** Error of the request's own body. It is thrown instead of the error that `fetch` makes of it. */
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

  /** Starts the time within which the origin must send something; without `ms` there is no limit. */
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

  /** The body on its way to the origin: within its limit, and with new time for each piece. */
  outgoing(body: Request["body"]): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (body === null) return null;
    const reader = body.getReader();
    let size = 0;
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        // The time that the client takes to send is not the origin's. Servers limit it.
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
    // Such an answer comes from a gateway that cannot reach the origin.
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
    // The text may contain a password.
    throw new TypeError("Cannot use the origin: expected a URL such as https://seed.example.org");
  }
  return url.href.replace(/\/+$/, "");
}

/** The error while the origin is unreachable or has too many requests. */
export function originUnavailable(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: ORIGIN_RETRY_SECONDS });
}
