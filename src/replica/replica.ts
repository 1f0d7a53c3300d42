/** A replica: the API of a published home, from a bucket. */
import { type Api, createApi } from "../api.ts";
import { Memory } from "../cache/memory.ts";
import { type Answer, toResponse, withHeaders } from "../http/answer.ts";
import type { StartTimer } from "../async/timer.ts";
import { REPLICA_NAME } from "../origin/forwarded_head.ts";
import { Origin, type OriginOptions } from "../origin/forward.ts";
import type { Bucket } from "../ports/bucket.ts";
import type { Environment } from "../ports/environment.ts";
import type { Profile } from "../ports/profile.ts";
import type { ApiOptions } from "../routes/service.ts";
import { BucketReads } from "../storage/bucket/reads.ts";
import {
  type BucketStorage,
  type BucketStorageOptions,
  createBucketStorage,
  DEFAULT_FRESH_SECONDS,
} from "../storage/bucket/storage.ts";
import { createUnpack } from "../storage/home/unpack.ts";
import { withinPatience } from "./answer_patience.ts";
import { PassedOn } from "./passed_on.ts";
import { readPublishedNode } from "./published_node.ts";

/** Options of {@link createReplica}. */
export interface ReplicaOptions extends
  Pick<
    ApiOptions,
    | "loadLibgit2"
    | "workers"
    | "answerRoom"
    | "commit"
    | "environment"
    | "basePath"
    | "evaluation"
    | "answers"
    | "api"
    | "page"
    | "aliases"
    | "signIn"
    | "memoryBytes"
    | "cacheBytes"
    | "compression"
  >,
  Pick<BucketStorageOptions, "freshSeconds" | "cacheFolder" | "inflate"> {
  /**
   * The service beside the home: its URL, or with options. It gets changes, sessions, searches and requests
   * of git; without it they are refused.
   */
  readonly origin?: string | Omit<OriginOptions, "basePath">;
  /** Timer of the waits for the bucket; by default the runtime's. */
  readonly startTimer?: StartTimer;
}

/** A replica. */
export interface Replica extends Api {
  readonly storage: BucketStorage;
  readonly profile: Profile;
}

/** `Via` of each answer (RFC 9110, 7.6.3). */
const VIA = { via: `1.1 ${REPLICA_NAME}` };

/**
 * Opens a published home and serves it. Nobody is the owner of the node there, wherever a request comes from:
 * private repositories and the profile are not shown.
 *
 * @example
 * ```ts
 * const replica = await createReplica(createFolderBucket("/srv/published", { fileSystem }), { loadLibgit2 });
 * const response = await replica.fetch(new Request("http://localhost/api/v1/projects"));
 * ```
 *
 * @throws {TypeError} for options that cannot be used.
 * @throws {Error} when nothing has been published into the bucket.
 * @throws {ApiError} `unavailable` when the bucket cannot be read.
 */
export async function createReplica(bucket: Bucket, options: ReplicaOptions): Promise<Replica> {
  const { origin, basePath, freshSeconds = DEFAULT_FRESH_SECONDS, cacheFolder, inflate } = options;
  const { memoryBytes, cacheBytes, environment = {}, startTimer } = options;
  const now = () => environment.now?.() ?? Date.now();
  const log: Environment["log"] = (...line) => environment.log?.(...line);
  const passedOnTo = origin === undefined ? undefined : new Origin({
    ...(typeof origin === "string" ? { url: origin } : origin),
    ...(basePath !== undefined && { basePath }),
  });
  const memory = new Memory({ memoryBytes, cacheBytes, storageKind: "bucket" });
  const reads = new BucketReads({ bucket, cacheFolder, log, startTimer });
  const storage = createBucketStorage(bucket, { ...options, memory, reads });
  const unpack = createUnpack(inflate);
  const { node, profile } = await readPublishedNode({
    reads,
    unpack,
    freshMs: 1000 * freshSeconds,
    now,
    memory,
  });
  const passedOn = new PassedOn(passedOnTo, storage, now);
  const api = createApi({
    ...options,
    storage,
    profile,
    node,
    storageKind: "bucket",
    // Whoever sends a request, he is not the owner of the node.
    behindProxy: true,
    trustedOrigins: [],
    searchesElsewhere: passedOnTo !== undefined,
    passOn: (request, route) => passedOn.answer(request, route),
  });
  const handle = async (request: Request): Promise<Answer> => {
    const answering = api.handle(request);
    const isRead = request.method === "GET" || request.method === "HEAD";
    const answer = await (isRead ? withinPatience(request, answering, reads, startTimer) : answering);
    return answer.headers["via"] === undefined ? withHeaders(answer, VIA) : answer;
  };
  return {
    storage,
    profile,
    handle,
    fetch: async (request) => toResponse(await handle(request)),
    close: () => api.close(),
  };
}
