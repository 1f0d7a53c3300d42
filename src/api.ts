/**
 * Creates the API as one Fetch handler. The order of the routes is the order of the specification. All errors
 * are caught here.
 */
import { type IRequest, type RouteEntry, Router } from "itty-router";
import { PRIVATE_NO_STORE } from "./routes/cacheable.ts";
import { Call, type Route } from "./routes/call.ts";
import { scheduler } from "./scheduling/scheduler.ts";
import { readBearer, recognizeClient } from "./http/privilege.ts";
import { normalizeBasePath } from "./http/base_path.ts";
import { HttpError } from "./http/errors.ts";
import {
  type Answer,
  discardBody,
  preflight,
  withAnyOrigin,
  withHeaders,
  withoutBody,
} from "./http/answer.ts";
import {
  errorAnswer,
  failedAnswer,
  hasUrl,
  neverThrowing,
  respond,
  toErrorAnswer,
  toTextErrorAnswer,
  withoutUrlAnswer,
} from "./http/respond.ts";
import { decodePercent } from "./http/parameters.ts";
import { CHANGES_CROSS_ORIGIN, needOf, READS_CROSS_ORIGIN, type RouteTraits } from "./contract/traits.ts";
import type { RepoId } from "./ids/rid.ts";
import type { Client } from "./ports/client.ts";
import type { ApiExtension } from "./ports/extension.ts";
import type { RequestShare } from "./ports/request_event.ts";
import type { Extension } from "./extension.ts";
import { createService, type Service, type ServiceOptions } from "./routes/service.ts";
import { allRoutes, inMatchingOrder } from "./routes/table.ts";

/** Adapters of the host and settings for {@link createApi}. */
export interface ApiOptions extends ServiceOptions {
  /** Extensions that add to the specification, such as `search({ index })`; none by default. */
  readonly extensions?: readonly ApiExtension[];
}

/** A running API. */
export interface Api {
  /**
   * Returns the response to a request. The returned promise is never rejected.
   *
   * @param client The sender of the request: `{ transport: "unix" }`, `{ transport: "tcp", address }` with
   * the address from the socket, or `NODE_OWNER` for a user whom the host itself has authenticated. Every
   * other value means a client that is not the owner. Such a client sees nothing private, so a framework may
   * safely pass an unrelated second argument.
   */
  fetch(request: Request, client?: unknown): Promise<Response>;
  /**
   * Returns an `Answer` instead of a `Response`. The size of an `Answer` is known, so that a server can limit
   * the memory of concurrent responses. `toResponse` converts an `Answer` to a `Response`.
   */
  handle(request: Request, client?: unknown): Promise<Answer>;
  /** Number of jobs that wait in the queues of this thread. */
  waiting(): number;
  /**
   * Closes the API. New requests then get the status 503, while running requests continue. The promise
   * resolves when no timer of the API keeps the process alive any more, and never rejects. Afterwards the
   * host closes the storage, the node and the workers that it has passed as options.
   */
  close(): Promise<void>;
}

/**
 * Creates the API. The API reads nothing from the storage before the first request.
 *
 * @example
 * ```ts
 * import { createApi, parseNid } from "xylem-http";
 * import { createMemoryStorage } from "xylem-http/memory";
 * import { loadLibgit2 } from "xylem-http/node";
 *
 * const api = createApi({
 *   storage: createMemoryStorage(),
 *   profile: {
 *     nodeId: parseNid("z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi"),
 *     pinned: () => [],
 *   },
 *   loadLibgit2,
 * });
 * const response = await api.fetch(new Request("http://localhost/api/v1/projects"));
 * await api.close();
 * ```
 *
 * @throws {TypeError} when an option is invalid, or options contradict each other.
 */
export function createApi(options: ApiOptions): Api {
  if (!("withResolvers" in Promise) || !("groupBy" in Map)) {
    throw new TypeError(
      "Cannot run here: use a runtime with ECMAScript 2024, such as Promise.withResolvers",
    );
  }
  const extensions: readonly Extension[] = options.extensions ?? [];
  const routes = allRoutes(options, extensions);
  const service = createService(options, {
    isSearchable: extensions.some(({ isSearchable }) => isSearchable),
    async documentParts(dialect) {
      const parts = await Promise.all(extensions.map((extension) => extension.document?.(dialect)));
      return parts.filter((part) => part !== undefined);
    },
  });
  start(extensions, service);
  const router = Router<IRequest, Arguments>({
    routes: mountRoutes(routes, service, options, extensions),
  });
  let closed: Promise<void> | undefined;

  async function dispatch(request: Request, client: unknown, trace: Trace): Promise<Answer> {
    if (closed !== undefined) return errorAnswer(503, "Service Unavailable");
    if (!hasUrl(request)) return withoutUrlAnswer();
    const { method } = request;
    // The router would parse the query in quadratic time. Routes parse the query themselves.
    const url = request.url.replace(/[?#].*/s, "");
    return await router.fetch({ method, url }, request, recognizeClient(client), trace) ??
      errorAnswer(404, "Not Found");
  }

  const report = neverThrowing(options.onRequest);

  async function handle(request: Request, client?: unknown): Promise<Answer> {
    const trace: Trace = { pattern: undefined, error: undefined };
    const startMs = performance.now();
    const end = scheduler.requests.begin();
    let answered: Answer;
    try {
      answered = withAnyOrigin(
        await dispatch(request, client, trace)
          .catch((error) => toErrorAnswer(error, logOf(service, request, trace))),
      );
      if (request.method === "HEAD") answered = await withoutBody(answered);
    } catch (error) {
      trace.error = error;
      answered = failedAnswer(error, service.environment.log);
    } finally {
      end();
    }
    report({ request, ...trace, status: answered.status, seconds: (performance.now() - startMs) / 1000 });
    return answered;
  }

  return {
    handle,
    fetch: async (request, client) => respond(await handle(request, client), service.environment.log),
    waiting: () =>
      extensions.reduce((sum, extension) => sum + (extension.waiting?.() ?? 0), service.diffs.waiting),
    close: () => closed ??= close(extensions, service),
  };
}

const started = new WeakSet<Extension>();

/**
 * Starts the extensions of an API.
 *
 * @throws {TypeError} when two extensions have the same name, when an extension serves another API already,
 *   and when `Extension.start` throws it.
 */
function start(extensions: readonly Extension[], service: Service): void {
  const names = new Set<string>();
  for (const extension of extensions) {
    const { name } = extension;
    if (names.has(name)) throw new TypeError(`Two extensions have the name "${name}"`);
    names.add(name);
    if (started.has(extension)) throw new TypeError(`The extension "${name}" serves another API already`);
    started.add(extension);
    extension.start?.(service);
    if (extension.changed) service.onChange((rid) => extension.changed?.(rid));
  }
}

/** Closes the extensions before the service, because extensions use the service. */
async function close(extensions: readonly Extension[], service: Service): Promise<void> {
  await Promise.all(extensions.map((extension) => extension.close?.()));
  await service.close();
}

interface Trace {
  /** Path pattern of the matching route. */
  pattern: string | undefined;
  /** The unexpected error that caused the response, if there was an error. */
  error: unknown;
}

/** Returns a function that logs the errors of a request. A client disconnect is not logged. */
function logOf(
  { environment }: Service,
  request: Request,
  trace: Trace,
): (message: string, cause: unknown) => void {
  return (message, cause) => {
    // Some hosts have their own `Request` class, which has no `signal`.
    const { signal }: { readonly signal?: AbortSignal } = request;
    const hasLeft = signal?.aborted === true && cause === signal.reason;
    if (hasLeft) return;
    trace.error = cause;
    environment.log("error", message, cause);
  };
}

type Arguments = [request: Request, client: Client | undefined, trace: Trace];

type MountedArguments = [view: IRequest, ...Arguments];

const NOT_INDEXED = { "x-robots-tag": "noindex, nofollow" };

/**
 * Counts a request against the limit of its client. Returns an error when the limit is used up. The owner,
 * and clients that may write to repositories, have no limit.
 */
async function takeShare(share: RequestShare, call: Call): Promise<HttpError | undefined> {
  if (call.isPrivileged) return undefined;
  const waitSeconds = share.take(call.request);
  if (waitSeconds === undefined || await hasSession(call)) return undefined;
  return new HttpError("overShare", "Too Many Requests", { retryAfterSeconds: Math.ceil(waitSeconds) });
}

async function hasSession({ request, service: { sessions } }: Call): Promise<boolean> {
  if (!request.headers.has("authorization")) return false;
  try {
    await sessions.requireChange(readBearer(request));
    return true;
  } catch {
    return false;
  }
}

function mountRoutes(
  routes: readonly Route[],
  service: Service,
  options: ApiOptions,
  extensions: readonly Extension[],
): RouteEntry[] {
  const basePath = normalizeBasePath(options.basePath ?? "");
  const crossOrigin = options.api === "today" ? READS_CROSS_ORIGIN : CHANGES_CROSS_ORIGIN;
  const inOrder = inMatchingOrder(routes, ([, pattern]) => pattern);
  const answering = extensions.filter(({ answerFirst }) => answerFirst !== undefined);
  return [...Map.groupBy(inOrder, ([, pattern]) => pattern)].map(([pattern, rows]) => {
    const handlers = new Map(
      rows.map(([method, , handler, traits = {}]) => [
        method,
        { handler, traits, need: needOf(method, traits) },
      ]),
    );
    const allow = [...handlers.keys()].flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method])
      .join(",");
    const isExpensive = rows.some(([, , , traits]) => traits?.isExpensive === true);
    const share = isExpensive ? options.clients?.share : undefined;
    return [
      "ALL",
      compilePattern(basePath + pattern),
      [share === undefined ? handleRoute : unindexed],
      pattern,
    ];

    async function unindexed(...args: MountedArguments): Promise<Answer> {
      const answered = await handleRoute(...args);
      return args[1].method === "OPTIONS" ? answered : withHeaders(answered, NOT_INDEXED);
    }

    async function handleRoute(...[{ params }, request, client, trace]: MountedArguments): Promise<Answer> {
      trace.pattern = pattern;
      if (request.method === "OPTIONS") {
        return preflight(request, allow, rows[0]![3]?.crossOrigin ?? crossOrigin);
      }
      const route = handlers.get(request.method === "HEAD" ? "GET" : request.method);
      if (route === undefined) return errorAnswer(405, "Method Not Allowed", { allow });
      const { handler, traits, need } = route;
      const toError = (error: unknown) =>
        (traits.hasTextErrors ? toTextErrorAnswer : toErrorAnswer)(error, logOf(service, request, trace));
      const url = new URL(request.url);
      const call = new Call(service, request, url, { pattern, params, traits }, client, share);
      const refusal = share && await takeShare(share, call);
      if (refusal !== undefined) return toError(refusal);
      for (const extension of answering) {
        const rid = traits.isLasting ? undefined : ridIn(service, params, traits);
        const first = await extension.answerFirst?.(request, { pattern, rid, need, address: call.address })
          .catch(toError);
        if (first !== undefined) return first;
      }
      const isChange = need === "change" && !["GET", "HEAD"].includes(request.method);
      return await answerWhilePublic(call, isChange, async (call) => await handler(call).catch(toError));
    }
  });

  /**
   * Runs a handler. If a repository becomes private while the handler runs, the handler runs again, so that
   * the response does not show this repository.
   */
  async function answerWhilePublic(
    call: Call,
    isChange: boolean,
    run: (call: Call) => Promise<Answer>,
  ): Promise<Answer> {
    for (;; call = call.again()) {
      const answered = await run(call);
      // The response shows a private repository to the owner. No extension may add to this response.
      if (call.repositories.showsPrivate) return withHeaders(answered, { "cache-control": PRIVATE_NO_STORE });
      if (isChange) return await complete(answered, call, true);
      if (await call.repositories.shown.arePublic()) {
        return await complete(call.repositories.shown.guard(answered), call, false);
      }
      await discardBody(answered);
    }
  }

  async function complete(answer: Answer, call: Call, isChange: boolean): Promise<Answer> {
    for (const extension of extensions) {
      answer = await extension.complete?.(answer, call, isChange) ?? answer;
    }
    return answer;
  }
}

/** Returns the id of the repository in a path; `undefined` if the path has no id, or if the id is invalid. */
function ridIn(
  service: Service,
  params: IRequest["params"],
  { repository }: RouteTraits,
): RepoId | undefined {
  const text = repository && params[repository];
  if (text === undefined) return undefined;
  try {
    return service.tryRid(decodePercent(text, "rid").replace(/\.git$/, ""));
  } catch {
    return undefined;
  }
}

/**
 * Compiles a path pattern to a regular expression. In contrast to the router's own patterns, a trailing slash
 * is significant, and `*name` matches slashes. A parameter at the end of a pattern must not be empty. All
 * other parameters may be empty.
 */
function compilePattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:(\w+)$/, "(?<$1>[^/]+)")
    .replace(/:(\w+)/g, "(?<$1>[^/]*)")
    .replace(/\*(\w+)$/, "(?<$1>.+)");
  return new RegExp(`^${source}$`);
}
