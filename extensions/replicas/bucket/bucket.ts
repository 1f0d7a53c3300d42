/**
 * A bucket: bytes under keys, as object storages have them. Each object is replaced as a whole: a reader gets
 * the old bytes or the new bytes. `extensions/replicas/bucket/` has the implementations.
 */

/** Metadata of an object. */
export interface BucketHead {
  /**
   * Identifies this content under this key: other content has another tag. Opaque, to be given back as
   * `ifMatch` or `ifNoneMatch` of the same bucket. Empty when a public bucket names none, or none to be
   * relied on.
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
  /** Exactly the bytes that were asked for; no other reader has this array. */
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
  /** Answers "unchanged" when the object still has this tag. */
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
  /** `Content-Type` for those who read the bucket by HTTP. */
  readonly contentType?: string | undefined;
  /** `Cache-Control` for those who read the bucket by HTTP, such as a CDN. */
  readonly cacheControl?: string | undefined;
}

/**
 * Objects under keys. A key has the form of `checkBucketKey` (in `extensions/replicas/bucket/key.ts`); others
 * throw `RangeError`. A key cannot also be a folder: with `a/b` there is no object `a`. All calls reject with
 * `BucketError` when the bucket fails. Those over a network are tried again several times, and end within 10
 * seconds (a put takes longer in proportion to its bytes).
 */
export interface Bucket {
  /**
   * Reads an object or a part of it.
   *
   * @returns `undefined` when there is none.
   */
  get(key: string, options?: BucketGetOptions): Promise<BucketObject | "unchanged" | undefined>;
  /**
   * Reads the metadata of an object.
   *
   * @returns `undefined` when there is none.
   */
  head(key: string, options?: BucketCallOptions): Promise<BucketHead | undefined>;
  /**
   * Stores an object, replacing the one before. The call resolves when the bytes are durable by the rules of
   * the bucket. A put that fails as `unavailable` may have been stored nevertheless.
   *
   * A conditional put has one attempt, as a second one could meet the result of the first. But some runtimes
   * send a request again by themselves when a connection ends: "conflict" can then mean the caller's own
   * object. A caller that must know writes something of its own into the object, and reads it.
   *
   * @returns The tag of the new object; "conflict" when the condition does not hold: nothing was stored then.
   */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options?: BucketPutOptions,
  ): Promise<{ readonly etag: string } | "conflict">;
  /** Removes objects; absent keys are no error. When it fails, some of the objects may have been removed. */
  delete(keys: readonly string[], options?: BucketCallOptions): Promise<void>;
  /**
   * Lists the objects whose keys begin with `prefix` (a key or its beginning; empty: all), in ascending order
   * of the keys. Pages are read while the caller iterates. Objects whose keys have another form are left out.
   */
  list(prefix: string, options?: BucketCallOptions): AsyncIterable<BucketEntry>;
  /**
   * Whether the bucket honours the conditions of puts. Some servers ignore them and always store. An S3
   * bucket finds out by an object of its own, `PROBE_KEY`, once.
   */
  conditionalPuts(options?: BucketCallOptions): Promise<boolean>;
}

/**
 * Reason for a failed call. `denied`: missing permission, wrong credentials, no such bucket, or a call that
 * this bucket does not have; trying again is of no use. `unavailable`: no answer in time, an error of the
 * server, a full disk; try again later. `broken`: an answer that is not what was asked for, or too large.
 */
export type BucketObstacle = "denied" | "unavailable" | "broken";

/** A call of a bucket failed. The message names neither credentials nor the address of the bucket. */
export class BucketError extends Error {
  override readonly name = "BucketError";
  readonly obstacle: BucketObstacle;

  constructor(obstacle: BucketObstacle, message: string) {
    super(message);
    this.obstacle = obstacle;
  }
}
