/** A bucket in memory whose calls a test counts, stops, or lets others come between. */
import { createMemoryBucket } from "../../src/bucket/memory.ts";
import type { Bucket } from "../../src/ports/bucket.ts";

/** A call of a bucket. */
export interface BucketCall {
  readonly name: "get" | "head" | "put" | "delete" | "list";
  /** Key, keys with blanks between, or prefix. */
  readonly key: string;
  /** Bytes of a put. */
  readonly bytes: number;
}

/** Runs before each call; an error ends the call, which has no effect then. */
export type BeforeCall = (call: BucketCall) => Promise<void> | void;

/** Wraps a bucket so that a test hears of each call before it happens. */
export function wrapBucket(bucket: Bucket, before: BeforeCall, conditional = true): Bucket {
  const call = (name: BucketCall["name"], key: string, bytes = 0) => before({ name, key, bytes });
  return {
    async get(key, options) {
      await call("get", key);
      return await bucket.get(key, options);
    },
    async head(key, options) {
      await call("head", key);
      return await bucket.head(key, options);
    },
    async put(key, bytes, { ifMatch, ifNoneMatch, ...options } = {}) {
      await call("put", key, bytes.length);
      const condition = !conditional
        ? {}
        : { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) };
      return await bucket.put(key, bytes, { ...options, ...condition });
    },
    async delete(keys, options) {
      await call("delete", keys.join(" "));
      await bucket.delete(keys, options);
    },
    async *list(prefix, options) {
      await call("list", prefix);
      yield* bucket.list(prefix, options);
    },
    conditionalPuts: () => Promise.resolve(conditional),
  };
}

/** A bucket in memory on a clock of its own. */
export class ScriptedBucket {
  nowMs = 1_700_000_000_000;
  readonly inner: Bucket = createMemoryBucket({ now: () => this.nowMs });
  readonly calls: BucketCall[] = [];
  readonly bucket: Bucket = wrapBucket(this.inner, (call) => void this.calls.push(call));

  /** Calls since the last time, and forgets them. */
  take(): BucketCall[] {
    return this.calls.splice(0);
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.inner.list("")) keys.push(key);
    return keys;
  }
}
