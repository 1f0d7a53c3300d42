/**
 * Object storages for published repositories: an S3 server, an R2 binding of a worker, a public bucket over
 * HTTPS, a folder, and memory.
 *
 * @module
 */
export type {
  Bucket,
  BucketCallOptions,
  BucketEntry,
  BucketGetOptions,
  BucketHead,
  BucketObject,
  BucketObstacle,
  BucketPutOptions,
  ByteRange,
} from "./bucket.ts";
export { BucketError } from "./bucket.ts";
export { type BucketAddress, parseBucketAddress } from "./address.ts";
export { createFolderBucket, type FolderBucketOptions } from "./folder.ts";
export type { BucketTimes, Fetch } from "./http_calls.ts";
export { GET_LIMIT_BYTES, isBucketKey, KEY_LIMIT, KEY_PART_LIMIT, PROBE_KEY } from "./key.ts";
export { createMemoryBucket } from "./memory.ts";
export { BUCKET_VARIABLES, type BucketParts, type BucketVariables, openBucket } from "./open.ts";
export { createPublicBucket, type PublicBucketOptions } from "./public.ts";
export {
  createR2Bucket,
  type R2LikeBody,
  type R2LikeBucket,
  type R2LikeConditions,
  type R2LikeObject,
  type R2Options,
} from "./r2.ts";
export { createS3Bucket, type S3Addressing, type S3Options } from "./s3.ts";
