/**
 * A bucket that only one publisher changes. Objects that this publisher has put or read are cached, so that
 * they are not requested again. The bucket is changed only while this publisher holds the lease.
 */
import { fixedCache, type LruMap } from "../../../src/mod.ts";
import type {
  Bucket,
  BucketCallOptions,
  BucketEntry,
  BucketGetOptions,
  BucketHead,
  BucketObject,
  BucketPutOptions,
} from "../bucket/bucket.ts";
import type { Lease } from "./lease.ts";

/**
 * Maximum size of an object whose content is cached, in bytes. For a larger object only tag and size are
 * cached.
 */
const MAX_HELD_BYTES = 2 ** 21;
/** Approximate memory use of a cached object with its key, without its content, in bytes. */
const OBJECT_OVERHEAD_BYTES = 400;

interface KnownObject extends BucketHead {
  /**
   * The content. It is `undefined` for an object larger than {@link MAX_HELD_BYTES}, and for an object of
   * which only the metadata was read.
   */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * The bucket of one publisher. The `modifiedMs` of a cached object may be 0. Only the entries of a list
 * always have the right time.
 */
export class OwnBucket implements Bucket {
  readonly #inner: Bucket;
  readonly #lease: Pick<Lease, "check" | "confirm">;
  readonly #known: LruMap<string, KnownObject>;

  constructor(
    inner: Bucket,
    lease: Pick<Lease, "check" | "confirm">,
    limitBytes?: number,
  ) {
    this.#inner = inner;
    this.#lease = lease;
    this.#known = fixedCache(
      "knownObjects",
      ({ bytes }) => OBJECT_OVERHEAD_BYTES + (bytes?.length ?? 0),
      limitBytes,
    );
  }

  async get(key: string, options: BucketGetOptions = {}): Promise<BucketObject | "unchanged" | undefined> {
    const known = this.#known.get(key);
    if (known?.bytes !== undefined) {
      const { start, end } = options.range ?? {};
      return { ...known, bytes: known.bytes.slice(start, end) };
    }
    const found = await this.#inner.get(key, options);
    if (typeof found === "object" && options.range === undefined) {
      this.#remember(key, { ...found, bytes: found.bytes.slice() });
    }
    return found;
  }

  async head(key: string, options: BucketCallOptions = {}): Promise<BucketHead | undefined> {
    const known = this.#known.get(key) ?? await this.#inner.head(key, options);
    if (known !== undefined && !this.#known.has(key)) this.#remember(key, { ...known, bytes: undefined });
    return known;
  }

  /**
   * Puts an object if this publisher holds the lease. In two cases, the lease is read again after the put:
   * after a conflict, and after a put with `ifNoneMatch` that has stored a new object. The reason for the
   * second case is that a slow put may take effect after another publisher has taken the lease and has
   * removed the object. If this publisher has lost the lease, the new object is removed.
   *
   * @throws {LostLease}
   */
  async put(key: string, bytes: Uint8Array<ArrayBuffer>, options: BucketPutOptions = {}) {
    this.#lease.check();
    this.forget(key);
    const put = await this.#inner.put(key, bytes, options);
    if (put === "conflict") {
      await this.#lease.confirm();
      return put;
    }
    if (options.ifNoneMatch !== undefined) await this.#confirmNew(key, put.etag);
    this.#remember(key, { etag: put.etag, size: bytes.length, modifiedMs: 0, bytes: bytes.slice() });
    return put;
  }

  /** @throws {LostLease} */
  async delete(keys: readonly string[], options: BucketCallOptions = {}): Promise<void> {
    this.#lease.check();
    keys.forEach((key) => this.forget(key));
    await this.#inner.delete(keys, options);
  }

  list(prefix: string, options?: BucketCallOptions): AsyncIterable<BucketEntry> {
    return this.#inner.list(prefix, options);
  }

  conditionalPuts(options?: BucketCallOptions): Promise<boolean> {
    return this.#inner.conditionalPuts(options);
  }

  /** Removes an object from the cache. */
  forget(key: string): void {
    this.#known.delete(key);
  }

  /** Removes all objects whose keys begin with a prefix from the cache. */
  forgetBelow(prefix: string): void {
    for (const key of [...this.#known.keys()]) if (key.startsWith(prefix)) this.forget(key);
  }

  /**
   * Compares a cached object with the entry in a list of the bucket. If they differ, the object is removed
   * from the cache.
   */
  compare({ key, etag, size }: BucketEntry): "same" | "other" {
    const known = this.#known.get(key);
    if (known === undefined || known.etag === etag && known.size === size) return "same";
    this.forget(key);
    return "other";
  }

  /**
   * Checks that this publisher still has the lease after it has put a new object. If this check fails,
   * removes the new object, unless the bucket has another object under the key by now.
   */
  async #confirmNew(key: string, etag: string): Promise<void> {
    try {
      await this.#lease.confirm();
    } catch (error) {
      if ((await this.#inner.head(key))?.etag === etag) await this.#inner.delete([key]);
      throw error;
    }
  }

  #remember(key: string, { etag, size, modifiedMs, bytes }: KnownObject): void {
    const held = bytes !== undefined && bytes.length <= MAX_HELD_BYTES ? bytes : undefined;
    this.#known.set(key, { etag, size, modifiedMs, bytes: held });
  }
}
