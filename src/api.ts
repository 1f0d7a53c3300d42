/**
 * The API as one Fetch handler. It has the routes in the order of the specification, handles methods and
 * cross-origin header fields for all routes, and is the only place that catches errors.
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

/** Options of {@link createApi}: the parts that the host provides, and its settings. */
export interface ApiOptions extends ServiceOptions {
  /** Additions to the specification, such as `search({ index })`; none by default. */
  readonly extensions?: readonly ApiExtension[];
}

/** A running API. */
export interface Api {
  /**
   * Answers a request. Never rejects.
   *
   * @param client The sender, as a `Client`: `{ transport: "unix" }`, `{ transport: "tcp", address }` with
   *   the address from the socket, or `NODE_OWNER` for a user whom the host itself has authenticated. Every
   *   other value counts as a stranger, who sees nothing private. So it is safe if a framework passes its own
   *   second argument.
   */
  fetch(request: Request, client?: unknown): Promise<Response>;
  /**
   * Like {@link fetch}, for servers that bound the memory of concurrent answers: an `Answer` has a known
   * size. `toResponse` converts it to a `Response`.
   */
  handle(request: Request, client?: unknown): Promise<Answer>;
  /** Number of pieces of work that wait in the queues of this thread. */
  waiting(): number;
  /**
   * Closes the API: answers new requests with 503, checks recent writes a last time, ends the background work
   * and drops pending sign-ins. Current requests continue. Resolves when the API has no timers left that
   * would keep the process alive. The host closes the parts from its options (storage, node, workers)
   * afterwards. Never rejects.
   */
  close(): Promise<void>;
}

/**
 * Builds the API. It reads nothing before the first request.
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
 * @throws {TypeError} for invalid options, or options that contradict each other.
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
    // The router would read the query in quadratic time; routes read it themselves.
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

/** The extensions that serve an API. */
const started = new WeakSet<Extension>();

/**
 * @throws {TypeError} when two extensions have the same name, when one serves another API already, and as
 *   `Extension.start`.
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

/** Closes the extensions before the parts that they work with. */
async function close(extensions: readonly Extension[], service: Service): Promise<void> {
  await Promise.all(extensions.map((extension) => extension.close?.()));
  await service.close();
}

/** Facts about a request that become known while it is answered. */
interface Trace {
  /** Pattern of its route. */
  pattern: string | undefined;
  /** The unexpected error behind the answer, if there was one. */
  error: unknown;
}

/** Logs the errors of a request. A client that disconnects is not an error. */
function logOf(
  { environment }: Service,
  request: Request,
  trace: Trace,
): (message: string, cause: unknown) => void {
  return (message, cause) => {
    // Some hosts have a `Request` class of their own, without a signal.
    const { signal }: { readonly signal?: AbortSignal } = request;
    const hasLeft = signal?.aborted === true && cause === signal.reason;
    if (hasLeft) return;
    trace.error = cause;
    environment.log("error", message, cause);
  };
}

/** Arguments that the router passes to handlers after its own view of the request. */
type Arguments = [request: Request, client: Client | undefined, trace: Trace];

/** The arguments of a handler as the router calls it: its own view of the request comes first. */
type MountedArguments = [view: IRequest, ...Arguments];

/** Tells search engines not to list an answer. */
const NOT_INDEXED = { "x-robots-tag": "noindex, nofollow" };

/**
 * Takes a request from the share of its client. Returns the error when the share is used up. The owner, and
 * clients that may change things, have no bound.
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

    /** An answer that search engines must not list. */
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
   * Answers a call. If an answer to a read shows a repository that became private meanwhile, the call is
   * answered again, so that the answer does not show it.
   */
  async function answerWhilePublic(
    call: Call,
    isChange: boolean,
    run: (call: Call) => Promise<Answer>,
  ): Promise<Answer> {
    for (;; call = call.again()) {
      const answered = await run(call);
      // The owner's answer about a private repository. No extension completes it.
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

/** The repository that a path names. */
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
 * Compiles a path pattern. The patterns of the router ignore a trailing slash. Here a trailing slash is
 * significant, `*name` includes slashes, and only the last of several parameters must not be empty.
 */
function compilePattern(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, "\\$&")
    .replace(/:(\w+)$/, "(?<$1>[^/]+)")
    .replace(/:(\w+)/g, "(?<$1>[^/]*)")
    .replace(/\*(\w+)$/, "(?<$1>.+)");
  return new RegExp(`^${source}$`);
}
