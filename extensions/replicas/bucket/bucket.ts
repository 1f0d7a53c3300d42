/**
 * A bucket: bytes under keys, as in object storages. Each object is replaced as a whole: a reader gets the
 * old bytes or the new bytes. `extensions/replicas/bucket/` has the implementations.
 */

/** Metadata of an object. */
export interface BucketHead {
  /**
   * Identifies this content under this key: other content has another tag. Opaque, to be used as `ifMatch` or
   * `ifNoneMatch` of the same bucket. Empty when a public bucket gives no tag, or an unreliable one.
   */
  readonly etag: string;
  /** Length of the whole object in bytes, also when a range was read. */
  readonly size: number;
  /**
   * Time of the last put in milliseconds since the epoch, by the clock of the server; often whole seconds.
   */
  readonly modifiedMs: number;
}

/** An object or a range of it. */
export interface BucketObject extends BucketHead {
  /** Exactly the requested bytes; no other reader has this array. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An object in a list. */
export interface BucketEntry extends BucketHead {
  readonly key: string;
}

/** Part of an object. It must be within the object, and not empty. */
export interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** End, exclusive. */
  readonly end: number;
}

/** Options of each call. */
export interface BucketCallOptions {
  /** Ends the call; it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a read. */
export interface BucketGetOptions extends BucketCallOptions {
  /** Reads a part. A range that is not within the object is refused as `broken`. */
  readonly range?: ByteRange | undefined;
  /** Returns "unchanged" when the object still has this tag. */
  readonly ifNoneMatch?: string | undefined;
  /** Most bytes of an answer; `GET_LIMIT_BYTES` by default. A larger answer is refused as `broken`. */
  readonly limitBytes?: number | undefined;
}

/** Options of a put. At most one of the conditions can be given. */
export interface BucketPutOptions extends BucketCallOptions {
  /** Puts only when there is no object under the key. */
  readonly ifNoneMatch?: "*" | undefined;
  /** Puts only when the object under the key has this tag. */
  readonly ifMatch?: string | undefined;
  /** `Content-Type` for readers of the bucket by HTTP. */
  readonly contentType?: string | undefined;
  /** `Cache-Control` for readers of the bucket by HTTP, such as a CDN. */
  readonly cacheControl?: string | undefined;
}

/**
 * Objects under keys. A key has the form of `checkBucketKey` (in `extensions/replicas/bucket/key.ts`); others
 * throw `RangeError`. A key cannot also be a folder: next to `a/b`, the object `a` cannot exist. All calls
 * reject with `BucketError` when the bucket fails. Calls over a network are tried several times, and end
 * within 10 seconds (a put takes longer in proportion to its bytes).
 */
export interface Bucket {
  /**
   * Reads an object or a part of it.
   *
   * @returns `undefined` when the object does not exist.
   */
  get(key: string, options?: BucketGetOptions): Promise<BucketObject | "unchanged" | undefined>;
  /**
   * Reads the metadata of an object.
   *
   * @returns `undefined` when the object does not exist.
   */
  head(key: string, options?: BucketCallOptions): Promise<BucketHead | undefined>;
  /**
   * Stores an object, replacing the one before. The call resolves when the bytes are durable by the rules of
   * the bucket. A put that fails as `unavailable` may still have been stored.
   *
   * A conditional put has one attempt, because a second one could find the result of the first. But some
   * runtimes repeat a request by themselves when a connection ends: then "conflict" can mean the caller's own
   * object. A caller that must know writes something unique into the object, and reads it.
   *
   * @returns The tag of the new object; "conflict" when the condition does not hold: nothing was stored then.
   */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options?: BucketPutOptions,
  ): Promise<{ readonly etag: string } | "conflict">;
  /**
   * Removes objects; absent keys are not an error. When it fails, some of the objects may have been removed.
   */
  delete(keys: readonly string[], options?: BucketCallOptions): Promise<void>;
  /**
   * Lists the objects whose keys begin with `prefix` (a key or its beginning; empty: all), in ascending order
   * of the keys. Pages are read while the caller iterates. Objects whose keys have another form are left out.
   */
  list(prefix: string, options?: BucketCallOptions): AsyncIterable<BucketEntry>;
  /**
   * Whether the bucket honours the conditions of puts. Some servers ignore them and always store. An S3
   * bucket tests it once with an object of its own, `PROBE_KEY`.
   */
  conditionalPuts(options?: BucketCallOptions): Promise<boolean>;
}

/**
 * Reason for a failed call. `denied`: missing permission, wrong credentials, an absent bucket, or a call that
 * this bucket does not have; another try does not help. `unavailable`: no answer in time, an error of the
 * server, a full disk; try again later. `broken`: an answer that does not match the request, or is too large.
 */
export type BucketObstacle = "denied" | "unavailable" | "broken";

/** A failed call of a bucket. The message names neither credentials nor the address of the bucket. */
export class BucketError extends Error {
  override readonly name = "BucketError";
  readonly obstacle: BucketObstacle;

  constructor(obstacle: BucketObstacle, message: string) {
    super(message);
    this.obstacle = obstacle;
  }
}
