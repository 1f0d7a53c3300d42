/**
 * The interface of a bucket. A bucket stores bytes under keys, like an object storage. Each object is
 * replaced as a whole, so a reader gets either the old bytes or the new bytes. The other files of
 * `extensions/replicas/bucket/` are the implementations.
 */

/** Metadata of an object. */
export interface BucketHead {
  /**
   * Identifies this content under this key. Different content has a different tag. The tag is opaque. It can
   * be used as `ifMatch` or `ifNoneMatch` in calls of the same bucket. It is empty when a public bucket gives
   * no tag, or an unreliable tag.
   */
  readonly etag: string;
  /** Length of the whole object in bytes, even when only a range was read. */
  readonly size: number;
  /**
   * Time of the last put in milliseconds since the epoch, by the clock of the server. Many servers give whole
   * seconds. It is 0 when a public bucket gives no time.
   */
  readonly modifiedMs: number;
}

/** The bytes of an object or of a range of it, with the metadata of the object. */
export interface BucketObject extends BucketHead {
  /** Exactly the requested bytes. No other reader has this array, so the caller may change it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** An object in a list of objects. */
export interface BucketEntry extends BucketHead {
  readonly key: string;
}

/** A range of bytes of an object. It must be within the object, and not empty. */
export interface ByteRange {
  /** Offset of the first byte. */
  readonly start: number;
  /** Offset of the end, exclusive. */
  readonly end: number;
}

/** Options that every call has. */
export interface BucketCallOptions {
  /** Aborts the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a read. */
export interface BucketGetOptions extends BucketCallOptions {
  /**
   * Reads only this part of the object. The call rejects with a `BucketError` (`broken`) if the range is not
   * within the object.
   */
  readonly range?: ByteRange | undefined;
  /** If the object still has this tag, the call returns "unchanged" instead of the bytes. */
  readonly ifNoneMatch?: string | undefined;
  /**
   * Maximum number of bytes to read; `GET_LIMIT_BYTES` by default. The call rejects with a `BucketError`
   * (`broken`) for a larger object, and with `RangeError` for a longer range.
   */
  readonly limitBytes?: number | undefined;
}

/** Options of a put. Only one of the two conditions can be given. */
export interface BucketPutOptions extends BucketCallOptions {
  /** Stores the bytes only if there is no object under the key. */
  readonly ifNoneMatch?: "*" | undefined;
  /** Stores the bytes only if the object under the key has this tag. */
  readonly ifMatch?: string | undefined;
  /** `Content-Type` of the object for clients that read the bucket by HTTP. */
  readonly contentType?: string | undefined;
  /** `Cache-Control` of the object for clients that read the bucket by HTTP, such as a CDN. */
  readonly cacheControl?: string | undefined;
}

/**
 * Stores objects under keys. `checkBucketKey` (in `extensions/replicas/bucket/key.ts`) defines valid keys; a
 * call with another key rejects with `RangeError`. A key cannot also be a folder, so the objects `a` and
 * `a/b` cannot both exist. All calls reject with `BucketError` when the bucket fails. A request over HTTP is
 * tried several times. A call with all its attempts ends within 10 seconds. For a put, this time grows in
 * proportion to the number of bytes.
 */
export interface Bucket {
  /**
   * Reads an object, or a range of its bytes.
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
   * Stores an object, and replaces the previous object under the key. The call resolves when the bytes are
   * durable by the rules of the bucket. When a put fails as `unavailable`, the object may still have been
   * stored.
   *
   * A conditional put is tried only once, because a second attempt could conflict with the object that the
   * first attempt stored. But some runtimes repeat a request by themselves when a connection ends. Then
   * "conflict" can mean that the first request has stored the caller's own object. A caller that must know
   * the difference writes a unique value into the object, and reads the object after a conflict.
   *
   * @returns The tag of the new object, or "conflict" when the condition is not met and nothing was stored.
   */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options?: BucketPutOptions,
  ): Promise<{ readonly etag: string } | "conflict">;
  /**
   * Removes objects. An absent key is not an error. If the call fails, some of the objects may have been
   * removed.
   */
  delete(keys: readonly string[], options?: BucketCallOptions): Promise<void>;
  /**
   * Lists the objects whose keys begin with `prefix`, in ascending order of the keys. `prefix` is a key, the
   * beginning of a key, or empty for all objects. Pages of the list are read while the caller iterates.
   * Objects without a valid key are left out.
   */
  list(prefix: string, options?: BucketCallOptions): AsyncIterable<BucketEntry>;
  /**
   * Checks whether the bucket honours the conditions of puts. Some servers ignore the conditions, and store
   * the object in any case. An S3 bucket tests this once with the object `PROBE_KEY`.
   */
  conditionalPuts(options?: BucketCallOptions): Promise<boolean>;
}

/**
 * Reason for a failed call:
 *
 * - `denied`: a permission is missing, the credentials are wrong, the bucket does not exist, or the bucket
 *   does not support the call. Another attempt does not help.
 * - `unavailable`: the server did not respond in time or failed, or a disk is full. A later attempt may
 *   succeed.
 * - `broken`: a response does not match the request, or is too large.
 */
export type BucketObstacle = "denied" | "unavailable" | "broken";

/** Error of a failed call. The message contains neither the credentials nor the URL or path of the bucket. */
export class BucketError extends Error {
  override readonly name = "BucketError";
  readonly obstacle: BucketObstacle;

  constructor(obstacle: BucketObstacle, message: string) {
    super(message);
    this.obstacle = obstacle;
  }
}
