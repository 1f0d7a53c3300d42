/** A bucket through a worker's own binding, as in Cloudflare R2. */
import { type Bucket, type BucketEntry, BucketError, type BucketHead, type BucketObject } from "./bucket.ts";
import { CALL_LIMIT_MS, Watch } from "./http_calls.ts";
import { checkBucketKey, checkGet, checkKeyPrefix, checkPut, checkSize, isBucketKey } from "./key.ts";

/** Keys that one call removes. */
const DELETE_LIMIT = 1_000;

/** Metadata of an object, as a binding returns them. */
export interface R2LikeObject {
  readonly key: string;
  /** Tag without quotation marks. */
  readonly etag: string;
  /** Bytes of the whole object. */
  readonly size: number;
  readonly uploaded: Date;
}

/** An object with its content. Without `arrayBuffer`, the condition of the read did not hold. */
export interface R2LikeBody extends R2LikeObject {
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Conditions of a call; tags without quotation marks. */
export interface R2LikeConditions {
  readonly etagMatches?: string;
  readonly etagDoesNotMatch?: string;
}

/** The used part of an R2 binding (`env.BUCKET`). */
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
  /** Beginning of all keys, itself of the form of a key, without a final slash; empty by default. */
  readonly prefix?: string | undefined;
  /** Milliseconds of a call of the binding; `CALL_LIMIT_MS` by default. */
  readonly callMs?: number | undefined;
}

/**
 * Opens the binding of a worker.
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
  /** Waits for a call of the binding. After a failure, `explain` throws a better error if it can. */
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
      // Bindings react differently to a range beyond the object, so the size is checked afterwards.
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

/** A tag without its quotation marks. */
function bare(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
}
