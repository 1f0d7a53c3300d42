/** A bucket in memory whose calls a test counts, stops, or lets others come between. */
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";

/** A call of a bucket. */
export interface BucketCall {
  readonly name: "get" | "head" | "put" | "delete" | "list";
  /** Key, keys with blanks between, or prefix. */
  readonly key: string;
  /** Bytes of a put. */
  readonly bytes: number;
}

/**
 * Runs before each call. An error that it throws ends the call, which has no effect then; one that it returns
 * is thrown after the call took effect.
 */
export type BeforeCall = (call: BucketCall) => Promise<Error | void> | Error | void;

/** Wraps a bucket so that a test hears of each call before it happens. */
export function wrapBucket(bucket: Bucket, before: BeforeCall, conditional = true): Bucket {
  async function call<T>(
    name: BucketCall["name"],
    key: string,
    bytes: number,
    run: () => Promise<T>,
  ): Promise<T> {
    const error = await before({ name, key, bytes });
    const result = await run();
    if (error instanceof Error) throw error;
    return result;
  }
  return {
    get: (key, options) => call("get", key, 0, () => bucket.get(key, options)),
    head: (key, options) => call("head", key, 0, () => bucket.head(key, options)),
    put(key, bytes, { ifMatch, ifNoneMatch, ...options } = {}) {
      const condition = !conditional
        ? {}
        : { ...(ifMatch && { ifMatch }), ...(ifNoneMatch && { ifNoneMatch }) };
      return call("put", key, bytes.length, () => bucket.put(key, bytes, { ...options, ...condition }));
    },
    delete: (keys, options) => call("delete", keys.join(" "), 0, () => bucket.delete(keys, options)),
    async *list(prefix, options) {
      await call("list", prefix, 0, () => Promise.resolve());
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
