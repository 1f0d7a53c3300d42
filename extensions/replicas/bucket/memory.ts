/** A bucket in the memory of one process, for instance for tests. */
import type { Bucket, BucketEntry, BucketHead, BucketObject } from "./bucket.ts";
import { checkBucketKey, checkGet, checkKeyPrefix, checkPut, checkSize } from "./key.ts";

/** Creates an empty bucket in memory. Its size has no limit. */
export function createMemoryBucket({ now = Date.now }: { now?: () => number } = {}): Bucket {
  const objects = new Map<string, BucketObject>();
  let puts = 0;
  return {
    // deno-lint-ignore require-await -- throws as a rejection
    async get(key, options = {}) {
      checkGet(key, options);
      options.signal?.throwIfAborted();
      const object = objects.get(key);
      if (object === undefined) return undefined;
      if (object.etag === options.ifNoneMatch) return "unchanged";
      checkSize(key, object.size, options);
      return { ...headOf(object), bytes: object.bytes.slice(options.range?.start, options.range?.end) };
    },
    // deno-lint-ignore require-await -- throws as a rejection
    async head(key, { signal } = {}) {
      checkBucketKey(key);
      signal?.throwIfAborted();
      const object = objects.get(key);
      return object && headOf(object);
    },
    // deno-lint-ignore require-await -- throws as a rejection
    async put(key, bytes, options = {}) {
      checkPut(key, options);
      options.signal?.throwIfAborted();
      const before = objects.get(key);
      if (options.ifNoneMatch !== undefined && before !== undefined) return "conflict";
      if (options.ifMatch !== undefined && before?.etag !== options.ifMatch) return "conflict";
      const etag = `"${++puts}"`;
      objects.set(key, { etag, size: bytes.length, modifiedMs: now(), bytes: bytes.slice() });
      return { etag };
    },
    // deno-lint-ignore require-await -- throws as a rejection
    async delete(keys, { signal } = {}) {
      keys.forEach(checkBucketKey);
      signal?.throwIfAborted();
      for (const key of keys) objects.delete(key);
    },
    async *list(prefix, { signal } = {}) {
      checkKeyPrefix(prefix);
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
      for (const key of keys) {
        signal?.throwIfAborted();
        const object = objects.get(key);
        if (object !== undefined) yield { key, ...headOf(object) } satisfies BucketEntry;
      }
    },
    conditionalPuts: () => Promise.resolve(true),
  };
}

function headOf({ etag, size, modifiedMs }: BucketHead): BucketHead {
  return { etag, size, modifiedMs };
}
