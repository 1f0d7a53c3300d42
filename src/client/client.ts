/**
 * The client of the HTTP API: typed requests, pages of lists, sign-in, and retries while the service is busy.
 */
import { ClientError } from "./client_error.ts";
import type { Session } from "./contract.ts";
import { type ClientEvent, type EventOptions, listen } from "./events.ts";
import type { AnswerTo, BodyOf, FilePath, ItemOf, Method, PagedPath, ParamsOf, PathOf } from "./routes.ts";
import { proveKey, type SessionSigner } from "./sign_in.ts";

/** Default number of retries when the service is busy. */
const DEFAULT_RETRIES = 2;
/** Default maximum delay before a retry, in seconds. */
const DEFAULT_MAX_WAIT_SECONDS = 30;

const CONSISTENCY_TOKEN_FIELD = "xylem-consistency-token";
/**
 * Maximum number of repositories for which a client stores a consistency token. A further token replaces the
 * oldest token.
 */
const MAX_CONSISTENCY_TOKENS = 100;

/**
 * A store with one consistency token for each repository, by the id or alias in the request. A client that
 * sends the token to a replica gets data at least as new as its own changes.
 */
export interface ConsistencyTokens {
  get(repository: string): string | undefined;
  set(repository: string, token: string): unknown;
}

export interface ClientOptions {
  /** Bearer token: the id of an authorized session. */
  readonly token?: string;
  /**
   * Sends a request; the `fetch` of the runtime by default. For an API in the same process use `(request) =>
   * api.fetch(request)`.
   */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Header fields that the client adds to all requests, such as fields that a proxy needs. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Store of consistency tokens. Several clients may share a store. By default each client has a separate
   * store.
   */
  readonly consistencyTokens?: ConsistencyTokens;
  /** Number of retries after a 503 with `Retry-After`; 2 by default. */
  readonly retries?: number;
  /**
   * Maximum `Retry-After` for which the client waits, in seconds; 30 by default. If the service asks for a
   * longer delay, the client throws the error at once.
   */
  readonly maxWaitSeconds?: number;
  /** Waits before a retry; uses a timer by default. Rejects when the signal is aborted. */
  readonly wait?: (seconds: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface RequestOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Header fields of this request, such as `range` for a part of a file. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Params = Readonly<Record<string, string | number | undefined>>;

type Arguments<M extends Method, P extends string> = Readonly<Record<never, never>> extends ParamsOf<M, P>
  ? [params?: ParamsOf<M, P>, options?: RequestOptions]
  : [params: ParamsOf<M, P>, options?: RequestOptions];

type ChangeArguments<M extends Method, P extends string> = [BodyOf<M, P>] extends [undefined]
  ? Readonly<Record<never, never>> extends ParamsOf<M, P>
    ? [params?: ParamsOf<M, P>, body?: undefined, options?: RequestOptions]
  : [params: ParamsOf<M, P>, body?: undefined, options?: RequestOptions]
  : [params: ParamsOf<M, P>, body: BodyOf<M, P>, options?: RequestOptions];

/**
 * A client of one service. Paths are written as in docs/api.md. `params` contains the parameters of the path
 * and the query. All methods reject with a {@link ClientError} when the response is an error.
 */
export interface Client {
  /** Bearer token that is sent with requests; `undefined` if the client is not signed in. */
  readonly token: string | undefined;
  get<P extends Exclude<PathOf<"GET">, FilePath>>(
    path: P,
    ...rest: Arguments<"GET", P>
  ): Promise<AnswerTo<"GET", P>>;
  /** Reads a file. The body of the response is the content of the file. */
  file<P extends FilePath>(path: P, ...rest: Arguments<"GET", P>): Promise<Response>;
  /** Yields the pages of a list, starting at `params.page`, until the service reports no next page. */
  pages<P extends PagedPath>(
    path: P,
    ...rest: Arguments<"GET", P>
  ): AsyncGenerator<readonly ItemOf<P>[], void>;
  /** Yields the items of a list. Each page is requested when its items are needed. */
  items<P extends PagedPath>(path: P, ...rest: Arguments<"GET", P>): AsyncGenerator<ItemOf<P>, void>;
  /**
   * Yields changes of one repository, or of all repositories and the node, as they happen. If the connection
   * is lost, the client connects again and continues after the last event. If changes were missed, the stream
   * yields a `reset`. The stream continues until the caller leaves its `for await` loop. When the signal is
   * aborted, the stream rejects with the reason of the signal.
   *
   * @throws {ClientError} when the service refuses the stream, because the repository does not exist or a
   * type is unknown.
   */
  events(options?: EventOptions): AsyncGenerator<ClientEvent, void>;
  /** Sends a POST request, which creates a resource. */
  post<P extends PathOf<"POST">>(path: P, ...rest: ChangeArguments<"POST", P>): Promise<AnswerTo<"POST", P>>;
  /** Sends a PUT request, which sets a resource. */
  put<P extends PathOf<"PUT">>(path: P, ...rest: ChangeArguments<"PUT", P>): Promise<AnswerTo<"PUT", P>>;
  /** Sends a PATCH request, which changes a resource. */
  patch<P extends PathOf<"PATCH">>(
    path: P,
    ...rest: ChangeArguments<"PATCH", P>
  ): Promise<AnswerTo<"PATCH", P>>;
  /** Sends a DELETE request, which removes a resource. */
  delete<P extends PathOf<"DELETE">>(
    path: P,
    ...rest: Arguments<"DELETE", P>
  ): Promise<AnswerTo<"DELETE", P>>;
  /**
   * Signs in with the key of the node. All later requests of this client carry the token of the session.
   *
   * @throws {TypeError} when the service belongs to another node, or requests a signature for any other
   * purpose.
   */
  signIn(signer: SessionSigner, options?: RequestOptions): Promise<Session>;
  /** Ends the session that {@link signIn} opened. */
  signOut(options?: RequestOptions): Promise<void>;
}

/**
 * Creates a client of the service at a URL, such as `http://127.0.0.1:8080`.
 *
 * @example
 * ```ts
 * import { createClient } from "xylem-http/client";
 *
 * const client = createClient("http://127.0.0.1:8080");
 * for (const { id, name } of await client.get("/api/v1/projects")) console.log(id, name);
 * const project = "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx";
 * const issues = client.items("/api/v1/projects/:project/issues", { project });
 * for await (const { title } of issues) console.log(title);
 * ```
 *
 * @param base URL of the service, including its base path.
 */
export function createClient(base: string | URL, options: ClientOptions = {}): Client {
  const root = String(base).replace(/\/+$/, "");
  const { headers = {}, retries = DEFAULT_RETRIES, maxWaitSeconds = DEFAULT_MAX_WAIT_SECONDS } = options;
  const { fetch: send = (request: Request) => fetch(request), wait = waitSeconds } = options;
  const { consistencyTokens = new RecentTokens() } = options;
  let { token } = options;

  async function request(
    method: Method,
    path: string,
    params: Params = {},
    body: unknown,
    { signal, headers: ofRequest = {} }: RequestOptions = {},
  ): Promise<Response> {
    const repository = repositoryIn(params);
    const consistencyToken = repository && consistencyTokens.get(repository);
    const init: RequestInit = {
      method,
      headers: {
        ...headers,
        ...ofRequest,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        // The content type is sent even without a body, because CSRF guards of frameworks refuse requests
        // without a content type.
        ...(method !== "GET" && { "content-type": "application/json" }),
        ...(consistencyToken !== undefined && { [CONSISTENCY_TOKEN_FIELD]: consistencyToken }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    };
    for (let sent = 0;; sent++) {
      const response = await send(new Request(root + fill(path, params), init));
      const given = response.headers.get(CONSISTENCY_TOKEN_FIELD);
      // Keeps the newest token, because responses may arrive in another order than the changes were made.
      if (repository && given && timeOf(given) >= timeOf(consistencyTokens.get(repository))) {
        consistencyTokens.set(repository, given);
      }
      if (response.ok) return response;
      const error = await toError(response);
      const { status, retryAfterSeconds } = error;
      if (status !== 503 || sent >= retries || retryAfterSeconds === undefined) throw error;
      if (retryAfterSeconds > maxWaitSeconds) throw error;
      await wait(retryAfterSeconds, signal);
    }
  }

  const change =
    (method: Method) => async (path: string, params?: Params, body?: unknown, options?: RequestOptions) =>
      await (await request(method, path, params, body, options)).json();

  async function* pages(
    path: string,
    params: Params = {},
    options?: RequestOptions,
  ): AsyncGenerator<readonly unknown[], void> {
    let asked: Params = { ...params, page: params["page"] ?? 0 };
    for (;;) {
      const response = await request("GET", path, asked, undefined, options);
      const answer = await response.json();
      const items: readonly unknown[] = Array.isArray(answer) ? answer : answer.commits;
      if (items.length === 0) return;
      yield items;
      const link = response.headers.get("link");
      const next = link === null ? { page: Number(asked["page"]) + 1 } : queryOfNext(link);
      if (next === undefined) return;
      asked = { ...asked, ...next };
    }
  }

  const client = {
    get token() {
      return token;
    },
    get: async (path: string, params?: Params, options?: RequestOptions) =>
      await (await request("GET", path, params, undefined, options)).json(),
    file: (path: string, params?: Params, options?: RequestOptions) =>
      request("GET", path, params, undefined, options),
    pages,
    async *items(path: string, params?: Params, options?: RequestOptions) {
      for await (const page of pages(path, params, options)) yield* page;
    },
    events: (options: EventOptions = {}) =>
      listen(
        async ({ repository, types, signal }, lastId) => {
          const path = repository === undefined ? "/api/v1/events" : "/api/v1/projects/:project/events";
          const url = root + fill(path, { project: repository, types: types?.join() });
          const ofEvents = lastId === undefined ? {} : { "last-event-id": lastId };
          const response = await send(new Request(url, { headers: { ...headers, ...ofEvents }, signal }));
          if (response.ok) return response;
          throw await toError(response);
        },
        options,
        wait,
      ),
    post: change("POST"),
    put: change("PUT"),
    patch: change("PATCH"),
    delete: async (path: string, params?: Params, options?: RequestOptions) =>
      await (await request("DELETE", path, params, undefined, options)).json(),
    async signIn(signer: SessionSigner, options?: RequestOptions): Promise<Session> {
      const sessions = "/api/v1/sessions";
      const opened: Session = await (await request("POST", sessions, {}, undefined, options)).json();
      const proof = await proveKey(signer, opened);
      const id = { id: opened.sessionId };
      await request("PUT", `${sessions}/:id`, id, proof, options);
      token = opened.sessionId;
      return await (await request("GET", `${sessions}/:id`, id, undefined, options)).json();
    },
    async signOut(options?: RequestOptions): Promise<void> {
      if (token === undefined) return;
      await request("DELETE", "/api/v1/sessions/:id", { id: token }, undefined, options);
      token = undefined;
    },
  };
  return client as unknown as Client;
}

function repositoryIn(params: Params): string | undefined {
  const named = params["project"] ?? params["rid"];
  return named === undefined ? undefined : String(named);
}

/** Returns the time in a consistency token, in milliseconds; 0 without a token. */
function timeOf(token = ""): number {
  return Number(token.split(".")[2] ?? 0);
}

class RecentTokens extends Map<string, string> implements ConsistencyTokens {
  override set(repository: string, token: string): this {
    this.delete(repository);
    if (this.size >= MAX_CONSISTENCY_TOKENS) this.delete(this.keys().next().value!);
    return super.set(repository, token);
  }
}

/** Inserts parameters into a path. The other parameters become the query. */
function fill(path: string, params: Params): string {
  const names = new Set<string>();
  const filled = path.replace(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    names.add(name);
    const parts = kind === "*" ? String(params[name]).split("/") : [String(params[name])];
    return parts.map((part) => encodeURIComponent(part).replaceAll("%3A", ":")).join("/");
  });
  const query = Object.entries(params).flatMap(([name, value]) =>
    names.has(name) || value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  );
  return query.length === 0 ? filled : `${filled}?${query.join("&")}`;
}

/**
 * Returns the query of the next page; `undefined` when the header field `Link` (RFC 8288) has no next page.
 */
function queryOfNext(link: string): Params | undefined {
  const query = /<[^>?]*\?([^>]*)>; *rel="next"/.exec(link)?.[1];
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
}

async function toError(response: Response): Promise<ClientError> {
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return new ClientError(response.status, body, Number.isFinite(seconds) ? seconds : undefined);
}

function waitSeconds(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end);
  });
}
