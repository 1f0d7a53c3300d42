/** Division of the memory among all caches, and results that live in what they are made of. */
import { type CacheName, SHARED_CACHES, type SharedCache, SMALL_TABLES, type TableName } from "./caches.ts";
import { LruMap } from "./lru_map.ts";

/** Sizes that a host may choose. */
export interface MemoryOptions {
  /**
   * Bytes of all caches together, approximately; {@link DEFAULT_MEMORY_BYTES} by default,
   * {@link leastMemoryBytes} at least.
   */
  readonly memoryBytes?: number | undefined;
  /** Bytes of the cache `answers`, a part of `memoryBytes`; its share by default, 0 for none. */
  readonly cacheBytes?: number | undefined;
  /** Storage whose caches count in the sum; `home` by default. */
  readonly storageKind?: StorageKind | undefined;
}

/** Kind of a storage with caches of its own. */
export type StorageKind = "home" | "bucket";

const CACHES = Object.entries<SharedCache>(SHARED_CACHES);

/** Default memory of all caches of a service on a home together, in bytes. */
export const DEFAULT_MEMORY_BYTES: number = sum("home", ({ bytes }) => bytes);

/** Default memory of all caches of a service on a bucket together, in bytes. */
export const DEFAULT_BUCKET_MEMORY_BYTES: number = sum("bucket", ({ bytes }) => bytes);

/**
 * The least memory of all caches together, in bytes.
 *
 * @param cacheBytes Bytes of the cache `answers`.
 */
export function leastMemoryBytes(cacheBytes = 0, storageKind: StorageKind = "home"): number {
  return sum(storageKind, ({ leastBytes }) => leastBytes) - SHARED_CACHES.answers.leastBytes + cacheBytes;
}

/**
 * The size of each cache. Every cache gets its smallest size; the rest of the memory is divided in the
 * proportions of the default.
 *
 * @example
 * ```ts
 * const memory = new Memory({ memoryBytes: 256 * 2 ** 20 });
 * const docs = memory.map<Oid, IdentityDoc>("documents", weightOf);
 * ```
 */
export class Memory {
  readonly #shares: ReadonlyMap<string, number>;
  readonly #storageKind: StorageKind;

  /** @throws {TypeError} when the memory is less than the smallest sizes of all caches together. */
  constructor({ memoryBytes, cacheBytes, storageKind = "home" }: MemoryOptions = {}) {
    this.#storageKind = storageKind;
    for (const bytes of [memoryBytes, cacheBytes]) {
      if (bytes !== undefined && !(bytes >= 0)) throw new TypeError(`Cannot use ${bytes} bytes of memory`);
    }
    const least = leastMemoryBytes(cacheBytes, storageKind);
    if (memoryBytes !== undefined && memoryBytes < least) {
      throw new TypeError(`Cannot use ${memoryBytes} bytes of memory: all caches need ${least} together`);
    }
    // A given size of `answers` is not divided.
    const isDivided = (name: string) => name !== "answers" || cacheBytes === undefined;
    const spare = sum(storageKind, ({ bytes, leastBytes }, name) => isDivided(name) ? bytes - leastBytes : 0);
    const factor = memoryBytes === undefined ? 1 : (memoryBytes - least) / spare;
    this.#shares = new Map(
      CACHES.map(([name, { bytes, leastBytes }]) => [
        name,
        isDivided(name) ? Math.floor(leastBytes + factor * (bytes - leastBytes)) : cacheBytes ?? 0,
      ]),
    );
  }

  /** Bytes of one cache with this name. */
  share(name: CacheName): number {
    return this.#shares.get(name)!;
  }

  /** Bytes of all caches together. */
  get bytes(): number {
    return sum(this.#storageKind, (_, name) => this.#shares.get(name)!);
  }

  /** An empty cache with this name; `weigh` returns bytes, approximately. */
  map<K, V>(name: CacheName, weigh: (value: V) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    return new LruMap(this.share(name), weigh, onEvict);
  }

  /**
   * As {@link map}, but a value larger than the whole cache is cached alone, since making it again for each
   * request would take too long.
   */
  mapOfLarge<K, V>(name: CacheName, weigh: (value: V) => number, onEvict?: (value: V) => void): LruMap<K, V> {
    const share = this.share(name);
    return new LruMap(share, (value) => Math.min(weigh(value), share), onEvict);
  }
}

/** An empty cache of so many bytes, of those of a publisher. A larger value is cached alone. */
export function publisherCache<K, V>(bytes: number, weigh: (value: V) => number): LruMap<K, V> {
  return new LruMap(bytes, (value) => Math.min(weigh(value), bytes));
}

/** An empty small table with this name. */
export function smallTable<K, V>(name: TableName, onEvict?: (value: V) => void): LruMap<K, V> {
  return new LruMap(SMALL_TABLES[name].entries, () => 1, onEvict);
}

function sum(kind: StorageKind, bytesOf: (cache: SharedCache, name: string) => number): number {
  return CACHES.filter(([, { within, storage = kind }]) => within === undefined && storage === kind)
    .reduce((all, [name, cache]) => all + (cache.count ?? 1) * bytesOf(cache, name), 0);
}

/**
 * Wraps a pure function so that it is called once for each object (`WeakMap`). It must not return
 * `undefined`. The result lives as long as the object, and counts as a part of it in the cache of the object.
 */
export function memoize<K extends object, V extends object | string>(make: (from: K) => V): (from: K) => V {
  const cached = new WeakMap<K, V>();
  return (from) => {
    let value = cached.get(from);
    if (value === undefined) cached.set(from, value = make(from));
    return value;
  };
}
