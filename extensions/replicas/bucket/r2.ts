/** A bucket that a worker uses through a binding, as in Cloudflare R2. */
import { type Bucket, type BucketEntry, BucketError, type BucketHead, type BucketObject } from "./bucket.ts";
import { CALL_LIMIT_MS, Watch } from "./http_calls.ts";
import { checkBucketKey, checkGet, checkKeyPrefix, checkPut, checkSize, isBucketKey } from "./key.ts";

/** Maximum number of keys that one call of the binding removes. */
const DELETE_LIMIT = 1_000;

/** Metadata of an object, as the binding returns it. */
export interface R2LikeObject {
  readonly key: string;
  /** Tag without quotation marks. */
  readonly etag: string;
  /** Size of the whole object, in bytes. */
  readonly size: number;
  readonly uploaded: Date;
}

/**
 * An object with its content. When the condition of a read is not met, the binding returns an object without
 * `arrayBuffer`.
 */
export interface R2LikeBody extends R2LikeObject {
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Conditions of a call. The tags have no quotation marks. */
export interface R2LikeConditions {
  readonly etagMatches?: string;
  readonly etagDoesNotMatch?: string;
}

/** The part of an R2 binding (`env.BUCKET`) that this module uses. */
export interface R2LikeBucket {
  head(key: string): Promise<R2LikeObject | null>;
  get(
    key: string,
    options: { range?: { offset: number; length: number }; onlyIf?: R2LikeConditions },
  ): Promise<R2LikeBody | R2LikeObject | null>;
  put(
    key: string,
    value: Uint8Array<ArrayBuffer>,
    options: {
      onlyIf?: R2LikeConditions;
      httpMetadata?: { contentType?: string; cacheControl?: string };
    },
  ): Promise<R2LikeObject | null>;
  delete(keys: string[]): Promise<void>;
  list(options: { prefix?: string; cursor?: string }): Promise<
    { readonly objects: readonly R2LikeObject[]; readonly truncated: boolean; readonly cursor?: string }
  >;
}

/** Options of {@link createR2Bucket}. */
export interface R2Options {
  /** Prefix of all keys. It must be a valid key, without a final slash. Empty by default. */
  readonly prefix?: string | undefined;
  /** Timeout of a call of the binding, in milliseconds; `CALL_LIMIT_MS` by default. */
  readonly callMs?: number | undefined;
}

/**
 * Opens a bucket through the binding of a worker.
 *
 * @example
 * ```ts
 * export default {
 *   async fetch(request: Request, env: { RADICLE: R2LikeBucket }) {
 *     const object = await createR2Bucket(env.RADICLE).get("key");
 *     return new Response(typeof object === "object" ? object.bytes : null);
 *   },
 * };
 * ```
 * @throws {TypeError} for a prefix that cannot be used.
 */
export function createR2Bucket(binding: R2LikeBucket, options: R2Options = {}): Bucket {
  const { callMs = CALL_LIMIT_MS } = options;
  if (options.prefix && !isBucketKey(options.prefix)) {
    throw new TypeError(`Cannot use ${JSON.stringify(options.prefix)} as the prefix of a bucket`);
  }
  const prefix = options.prefix ? `${options.prefix}/` : "";
  /** Calls the binding with a timeout. When the call fails, `explain` may throw a more precise error. */
  const call = async <T>(
    what: string,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
    explain: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<T> => {
    signal?.throwIfAborted();
    const watch = new Watch({ endMs: performance.now() + callMs }, signal);
    const explained = async (error: unknown): Promise<never> => {
      if (!(error instanceof BucketError)) await explain();
      throw error;
    };
    try {
      return await watch.race(work().catch(explained));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof BucketError) throw error;
      const reason = watch.reason ?? "the binding fails";
      throw new BucketError("unavailable", `Cannot ${what} in the bucket: ${reason}`);
    } finally {
      watch.end();
    }
  };

  return {
    async get(key, { signal, ...getOptions } = {}) {
      checkGet(key, getOptions);
      const { range, ifNoneMatch } = getOptions;
      // Bindings handle a range beyond the object in different ways, so the code checks the size itself.
      const object = await call(`read "${key}"`, signal, async () => {
        const found = await binding.get(`${prefix}${key}`, {
          ...range && { range: { offset: range.start, length: range.end - range.start } },
          ...ifNoneMatch && { onlyIf: { etagDoesNotMatch: bare(ifNoneMatch) } },
        });
        if (found === null) return undefined;
        if (!("arrayBuffer" in found)) return "unchanged";
        checkSize(key, found.size, getOptions);
        return { ...headOf(found), bytes: new Uint8Array(await found.arrayBuffer()) } satisfies BucketObject;
      }, () => binding.head(`${prefix}${key}`).then((head) => head && checkSize(key, head.size, getOptions)));
      if (typeof object !== "object") return object;
      const length = range === undefined ? object.size : range.end - range.start;
      if (object.bytes.length === length) return object;
      throw new BucketError(
        "broken",
        `Cannot read "${key}" in the bucket: ${object.bytes.length} bytes instead of ${length}`,
      );
    },

    async head(key, { signal } = {}) {
      checkBucketKey(key);
      const head = await call(`read the header of "${key}"`, signal, () => binding.head(`${prefix}${key}`));
      return head === null ? undefined : headOf(head);
    },

    async put(key, bytes, putOptions = {}) {
      checkPut(key, putOptions);
      const { ifMatch, ifNoneMatch, contentType, cacheControl, signal } = putOptions;
      const onlyIf = ifMatch
        ? { etagMatches: bare(ifMatch) }
        : ifNoneMatch
        ? { etagDoesNotMatch: ifNoneMatch }
        : undefined;
      const put = () =>
        binding.put(`${prefix}${key}`, bytes, {
          ...onlyIf && { onlyIf },
          httpMetadata: {
            contentType: contentType ?? "application/octet-stream",
            ...cacheControl && { cacheControl },
          },
        });
      const object = await call(`put "${key}"`, signal, put);
      return object === null ? "conflict" : { etag: headOf(object).etag };
    },

    async delete(keys, { signal } = {}) {
      keys.forEach(checkBucketKey);
      signal?.throwIfAborted();
      for (let at = 0; at < keys.length; at += DELETE_LIMIT) {
        const some = keys.slice(at, at + DELETE_LIMIT).map((key) => `${prefix}${key}`);
        await call("remove objects", signal, () => binding.delete(some));
      }
    },

    async *list(below, { signal } = {}) {
      checkKeyPrefix(below);
      let cursor: string | undefined;
      do {
        const options = { prefix: `${prefix}${below}`, ...cursor !== undefined && { cursor } };
        const page = await call(`list "${below}"`, signal, () => binding.list(options));
        for (const object of page.objects) {
          const key = object.key.slice(prefix.length);
          if (isBucketKey(key)) yield { key, ...headOf(object) } satisfies BucketEntry;
        }
        cursor = page.truncated ? page.cursor : undefined;
      } while (cursor !== undefined);
    },

    conditionalPuts: () => Promise.resolve(true),
  };
}

function headOf({ etag, size, uploaded }: R2LikeObject): BucketHead {
  return { etag: `"${etag}"`, size, modifiedMs: uploaded.getTime() };
}

/** Returns the tag without its quotation marks. */
function bare(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
}
