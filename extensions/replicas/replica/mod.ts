/**
 * Replicas, which serve a published home from a bucket on any host.
 *
 * @module
 */
export { createReplica, type Replica, type ReplicaOptions } from "./replica.ts";
export { type ConsistencyOptions, origin } from "../origin/mod.ts";
export type { ApiExtension, StartTimer } from "../../../src/mod.ts";
export { type FetchOrigin, type OriginOptions, type OriginRequest } from "../origin/forward.ts";
export { type BucketStorage, type BucketStorageOptions, createBucketStorage } from "../storage/storage.ts";
export { DEFAULT_FRESH_SECONDS } from "../storage/reads.ts";
export { BucketRepository } from "../storage/repository.ts";
