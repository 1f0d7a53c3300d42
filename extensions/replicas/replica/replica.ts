/** A replica: it serves the API of a published home from a bucket. */
import {
  type Answer,
  type Api,
  type ApiExtension,
  type ClientOptions,
  type CompatibilityOptions,
  createApi,
  type Environment,
  type Extension,
  failedAnswer,
  Memory,
  type MemoryOptions,
  neverThrowing,
  NODE_OWNER,
  ownAddress,
  type Profile,
  type RepoId,
  respond,
  type ServiceOptions,
  type StartTimer,
  withHeaders,
} from "../../../src/mod.ts";
import { extensionsWithRoutes } from "../../with_routes.ts";
import { REPLICA_NAME } from "../origin/fields.ts";
import type { OriginOptions } from "../origin/forward.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { BucketReads } from "../storage/reads.ts";
import { type BucketStorage, type BucketStorageOptions, createBucketStorage } from "../storage/storage.ts";
import { unavailableAnswer, withinTimeout } from "./answer_timeout.ts";
import { clones } from "./clones.ts";
import { PassedOn } from "./passed_on.ts";
import { freshnessFields, type ReplicaFreshness } from "./freshness.ts";
import { createPublishedNode } from "./published_node.ts";

/** Options of {@link createReplica}. */
export interface ReplicaOptions extends
  Pick<
    ServiceOptions,
    | "loadLibgit2"
    | "workers"
    | "answerRoom"
    | "commit"
    | "environment"
    | "basePath"
    | "api"
    | "aliases"
    | "behindProxy"
    | "wallets"
    | "onRequest"
  >,
  Pick<BucketStorageOptions, "freshSeconds" | "maxStaleSeconds" | "cacheFolder" | "inflate"> {
  /**
   * Whether the root path serves the page for browsers; false by default. The page is never served if the
   * `/repos` dialect is the only dialect.
   */
  readonly page?: boolean;
  /** Maximum number of clients that listen to changes at the same time; 1,000 by default. */
  readonly maxEventReaders?: number | undefined;
  /** Key of consistency tokens, with at least 32 characters. The origin needs the same key. */
  readonly tokenKey?: string | undefined;
  /** Additional extensions; none by default. */
  readonly extensions?: readonly ApiExtension[];
  /**
   * The service next to the home, as a URL or as options with the URL. The replica passes changes, sessions,
   * searches and requests of git on to this service. Without an origin, these requests are refused.
   */
  readonly origin?: string | Omit<OriginOptions, "basePath">;
  /**
   * Source of clones: `"origin"`; `"bucket"` for this replica, which sends the packs in the bucket; or the
   * public URL of the bucket, to which clients are redirected. By default the origin if there is one, and
   * this replica otherwise. Only the origin serves shallow and partial clones.
   */
  readonly clonesFrom?: string | undefined;
  /**
   * How clients are distinguished, as for `createApi`. The origin gets their addresses, signed with
   * `tokenKey`.
   */
  readonly clients?: Omit<ClientOptions, "trustedOrigins">;
  /** Compatibility with older Radicle programs and clients, as for `createApi`. */
  readonly compatibility?: Omit<CompatibilityOptions, "generation">;
  /** Sizes of the caches. */
  readonly memory?: Omit<MemoryOptions, "storageKind">;
  /** Starts the timers for all waits for the bucket; the runtime's timer by default. */
  readonly startTimer?: StartTimer;
}

/** A running replica. */
export interface Replica extends Api {
  readonly storage: BucketStorage;
  /** The published profile of the node; `undefined` until the description of the node has been read. */
  readonly profile: Profile | undefined;
  /**
   * Returns the times of the shown state of a repository, or without `rid`, of the description of the node.
   * It never waits for a read. The age of a state is the time since the bucket last confirmed it.
   */
  freshness(rid?: RepoId): ReplicaFreshness;
  /**
   * Checks whether the bucket can be read:
   *
   * - `"ready"`: it can be read.
   * - `"stale"`: it cannot be read, and responses are made from earlier reads.
   * - `"bucket"`: it cannot be read, and there are no earlier reads, so the response to every request is 503.
   *
   * The check reads the bucket at most once in `freshSeconds`, or once a second while no recent description
   * of the node is known. It waits a second for this read, or until the read ends if no recent description is
   * known. The promise never rejects.
   */
  readiness(): Promise<"ready" | "stale" | "bucket">;
}

/** `Via` of each response (RFC 9110, 7.6.3). */
const VIA = { via: `1.1 ${REPLICA_NAME}` };

/**
 * Serves a published home. No client counts as the owner of the node, wherever a request comes from, so
 * private repositories and the profile are not shown.
 *
 * The promise resolves when the description of the node has been read, or when this read has failed. The read
 * fails if the bucket is unreachable or empty, or if the description is damaged. Then the response to every
 * request is 503 with `Retry-After`, and the next requests read the description again, at most once a second.
 * The log has the reason.
 *
 * @example
 * ```ts
 * const replica = await createReplica(createFolderBucket("/srv/published", { fileSystem }), { loadLibgit2 });
 * const response = await replica.fetch(new Request("http://localhost/api/v1/projects"));
 * ```
 *
 * @throws {TypeError} for options that cannot be used.
 */
export async function createReplica(bucket: Bucket, options: ReplicaOptions): Promise<Replica> {
  const { origin, basePath, environment, startTimer, tokenKey, clients } = options;
  const { behindProxy = false, clonesFrom = origin === undefined ? "bucket" : "origin" } = options;
  const { addressOf = (_, client) => ownAddress(client, behindProxy) }: ClientOptions = clients ?? {};
  const log: Environment["log"] = neverThrowing((...line) => environment?.log?.(...line));
  const memory = new Memory({ ...options.memory, storageKind: "bucket" });
  const reads = new BucketReads({ bucket, ...options, environment: { ...environment, log } });
  const storage = createBucketStorage(bucket, {
    ...options,
    evaluation: options.compatibility?.evaluation,
    memory,
    reads,
  });
  const published = createPublishedNode(reads, memory);
  const passedOn = new PassedOn({
    origin: origin === undefined ? undefined : {
      ...(typeof origin === "string" ? { url: origin } : origin),
      ...(basePath !== undefined && { basePath }),
    },
    storage,
    tokenKey,
    now: reads.wallMs,
  });
  /** The repository that each request names. The response gives the age of this repository. */
  const named = new WeakMap<Request, RepoId>();
  const passing: Extension = {
    name: "replica",
    answerFirst(request, route) {
      if (route.rid !== undefined) named.set(request, route.rid);
      return passedOn.answer(request, route);
    },
  };
  const api = createApi({
    ...options,
    storage,
    profile: published.profile,
    node: published.node,
    memory: { ...options.memory, storageKind: "bucket" },
    clients: { ...clients, addressOf, trustedOrigins: [] },
    // With this option, no client counts as the owner of the node.
    behindProxy: true,
    extensions: [
      passing,
      ...extensionsWithRoutes({
        page: options.page,
        search: { isElsewhere: passedOn.hasOrigin },
        maxEventReaders: options.maxEventReaders,
      }),
      ...clonesFrom === "origin" ? [] : [clones({ storage, reads, publicUrl: urlOf(clonesFrom) })],
      ...(options.extensions ?? []),
    ],
  });
  const freshness = (rid?: RepoId): ReplicaFreshness => {
    const { publisherSeenAtMs } = storage;
    return {
      ...rid === undefined ? published.freshness : storage.freshness(rid),
      ...publisherSeenAtMs !== undefined && { publisherSeenAtMs },
    };
  };
  let isClosed = false;
  const answer = async (request: Request, client: unknown): Promise<Answer> =>
    isClosed || await published.read()
      ? await api.handle(request, client === NODE_OWNER ? undefined : client)
      : await unavailableAnswer(request.method);
  const handle = async (request: Request, client?: unknown): Promise<Answer> => {
    try {
      const { method } = request;
      const answering = answer(request, client);
      const isRead = method === "GET" || method === "HEAD";
      const answered = await (isRead ? withinTimeout({ method }, answering, reads, startTimer) : answering);
      if (answered.headers["via"] !== undefined) return answered;
      return withHeaders(answered, { ...VIA, ...freshnessFields(freshness(named.get(request))) });
    } catch (error) {
      return failedAnswer(error, log);
    }
  };
  await published.read();
  const readiness = async () => {
    if (!await published.read()) return "bucket";
    return await published.isReadable() ? "ready" : "stale";
  };
  return {
    storage,
    get profile() {
      return published.isKnown ? published.profile : undefined;
    },
    freshness,
    readiness,
    handle,
    waiting: api.waiting,
    fetch: async (request, client) => respond(await handle(request, client), log),
    close() {
      isClosed = true;
      return api.close();
    },
  };
}

/** @throws {TypeError} for a text that is neither `"bucket"` nor a URL of HTTP. */
function urlOf(clonesFrom: string): URL | undefined {
  if (clonesFrom === "bucket") return undefined;
  const url = URL.parse(clonesFrom);
  if (url?.protocol === "https:" || url?.protocol === "http:") return url;
  throw new TypeError(
    `Cannot clone from "${clonesFrom}": expected "origin", "bucket", or the URL of the bucket`,
  );
}
