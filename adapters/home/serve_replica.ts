/** Runs a replica, which serves a home that was published in a bucket, on any runtime. */
import type { Unreadiness } from "../server/operator.ts";
import { Answers } from "../server/answers.ts";
import { eventPlacesFor } from "../server/connections.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import type { Replica, ReplicaOptions } from "../../extensions/replicas/replica/replica.ts";
import { compileOnce, logOf } from "./home.ts";
import type { HomeParts } from "./parts.ts";
import { type CreateServer, figuresOf, listenOn, type OpenSockets, type SocketOptions } from "./listen.ts";

/**
 * Options of a replica and of its sockets. The workers of the runtime compute slow diffs, unless the options
 * contain `workers`.
 */
export interface ServeReplicaOptions
  extends
    Omit<ReplicaOptions, "loadLibgit2" | "inflate" | "cacheFolder" | "answerRoom" | "origin">,
    SocketOptions {
  readonly bucket: Bucket;
  /** URL of the service on the home. Without this URL, clients can only read from the replica. */
  readonly origin?: string;
  /**
   * Folder in which data from the bucket and indexes of long histories are saved. By default, nothing is
   * saved.
   */
  readonly cachePath?: string;
}

export interface ReplicaServer extends Replica, OpenSockets {
  /** Stops accepting connections, lets running requests finish within two seconds, and closes the API. */
  close(): Promise<void>;
}

/**
 * Serves a published home. The promise resolves when the service can answer requests. Until the description
 * of the node can be read, the service responds with 503 and `Retry-After`, as with `createReplica`.
 *
 * @throws {ListenError} when a socket cannot be opened. All other sockets are then closed again.
 */
export type ServeReplica = (options: ServeReplicaOptions) => Promise<ReplicaServer>;

/** Serves a published home with the functions of a runtime. See {@link ServeReplica}. */
export async function serveReplicaWith(
  options: ServeReplicaOptions,
  parts: HomeParts,
  createServer: CreateServer,
): Promise<ReplicaServer> {
  const { createReplica } = await import("../../extensions/replicas/replica/replica.ts");
  const { createWorkerPool } = await import("../../mod.ts");
  const { bucket, origin, cachePath, operator, ...ofApi } = options;
  const { absolutePath = (path) => path } = parts;
  const log = logOf(options, parts);
  const answers = new Answers();
  const cacheFolder = cachePath === undefined
    ? undefined
    : parts.createCacheFolder?.(absolutePath(cachePath));
  const loadLibgit2 = compileOnce(parts.loadLibgit2);
  // The first slow diff starts a worker.
  const startWorker = parts.storageWorkers?.(
    { repository: (rid) => replica.storage.repository(rid) },
    loadLibgit2,
  );
  const workers = options.workers || !startWorker ? undefined : createWorkerPool({ startWorker, log });
  const replica: Replica = await createReplica(bucket, {
    ...workers && { workers },
    maxEventReaders: eventPlacesFor(parts.descriptorLimit?.()),
    ...operator && { onRequest: operator.answered },
    ...ofApi,
    clients: {
      ...operator && { share: operator.share, addressOf: operator.addressOf },
      ...options.clients,
    },
    loadLibgit2,
    environment: { ...options.environment, log },
    answerRoom: answers,
    ...(parts.inflate && { inflate: parts.inflate }),
    ...(cacheFolder && { cacheFolder }),
    ...(origin !== undefined &&
      { origin: { url: origin, ...parts.fetchOrigin && { fetch: parts.fetchOrigin } } }),
  });
  let listening: Awaited<ReturnType<typeof listenOn>> | undefined;
  const unreadiness = async (): Promise<Unreadiness | undefined> => {
    const readiness = await replica.readiness();
    return readiness !== "ready" ? readiness : listening?.isListening === false ? "socket" : undefined;
  };
  const figures = () => ({
    ...listening && figuresOf(listening, answers, { workers, api: replica }),
    freshness: replica.freshness(),
  });
  const handler = operator?.wrap(replica.handle, { unreadiness, figures }) ?? replica.handle;
  const sockets = listening = await listenOn(handler, { ...options, log, answers }, parts, createServer)
    .catch(
      async (error) => {
        await replica.close();
        throw error;
      },
    );
  return {
    ...replica,
    addresses: sockets.addresses,
    urls: sockets.urls,
    get profile() {
      return replica.profile;
    },
    async close() {
      operator?.stopping();
      await sockets.close();
      await workers?.close();
      await replica.close();
    },
  };
}
