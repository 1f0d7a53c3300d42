/** Divides the memory among all caches. */
import {
  type CacheName,
  FIXED_CACHES,
  type FixedCacheName,
  SHARED_CACHES,
  type SharedCache,
} from "./caches.ts";
import { type LruMap, LruRoom } from "./lru_map.ts";

/** Sizes that a host may choose. */
export interface MemoryOptions {
  /**
   * Bytes of all caches together, approximately; {@link DEFAULT_MEMORY_BYTES} by default,
   * {@link leastMemoryBytes} at least.
   */
  readonly totalBytes?: number | undefined;
  /** Bytes of the cache of answers, a part of `totalBytes`; 64 MiB by default, 0 for none. */
  readonly answersBytes?: number | undefined;
  /** Storage whose caches count in the sum: `home`, the default, or `bucket`. */
  readonly storageKind?: StorageKind | undefined;
}

/** Kind of a storage with caches of its own. */
export type StorageKind = "home" | "bucket";

/** Figures of a cache. */
export interface CacheFigures {
  /** Number of entries. */
  readonly size: number;
  /** Bytes of all entries together, approximately. */
  readonly weight: number;
  /** Look-ups that found a value, and those that found none. */
  readonly hits: number;
  readonly misses: number;
}

/** Caches of this thread that are in use. */
const watched = new Map<CacheName, WeakRef<CacheFigures>[]>();
/** Number of caches with one name from which on those that are gone are removed. */
let pruneFrom = 16;

/** Includes a cache in {@link cachesInUse} for as long as it is in use. */
export function watchCache<C extends CacheFigures>(name: CacheName, cache: C): C {
  const caches = watched.get(name) ?? [];
  if (caches.length >= pruneFrom) {
    const living = caches.filter((cache) => cache.deref() !== undefined);
    caches.splice(0, caches.length, ...living);
    pruneFrom = Math.max(pruneFrom, 2 * living.length);
  }
  caches.push(new WeakRef(cache));
  watched.set(name, caches);
  return cache;
}

/** The sums of all caches of this thread by name, for metrics. Caches within others count with these. */
export function cachesInUse(): ReadonlyMap<CacheName, CacheFigures> {
  const sums = new Map<CacheName, CacheFigures>();
  for (const [name, caches] of watched) {
    const sum = { size: 0, weight: 0, hits: 0, misses: 0 };
    for (const cache of caches.map((cache) => cache.deref()).filter((cache) => cache !== undefined)) {
      sum.size += cache.size;
      sum.weight += cache.weight;
      sum.hits += cache.hits;
      sum.misses += cache.misses;
    }
    sums.set(name, sum);
  }
  return sums;
}

const CACHES = Object.entries<SharedCache>(SHARED_CACHES);

/** Default memory of all caches of a service on a home together, in bytes. */
export const DEFAULT_MEMORY_BYTES: number = sum("home", ({ bytes }) => bytes);

/** Default memory of all caches of a service on a bucket together, in bytes. */
export const DEFAULT_BUCKET_MEMORY_BYTES: number = sum("bucket", ({ bytes }) => bytes);

/**
 * The least memory of all caches together, in bytes.
 *
 * @param answersBytes Bytes of the cache `answers`.
 */
export function leastMemoryBytes(answersBytes = 0, storageKind: StorageKind = "home"): number {
  return sum(storageKind, ({ leastBytes }) => leastBytes) - SHARED_CACHES.answers.leastBytes + answersBytes;
}

/**
 * The size of each cache. Every cache gets its smallest size; the rest of the memory is divided in the
 * proportions of the default. All maps with the name of one cache share its room.
 *
 * @example
 * ```ts
 * const memory = new Memory({ totalBytes: 256 * 2 ** 20 });
 * const docs = memory.map<Oid, IdentityDoc>("identities", weightOf);
 * ```
 */
export class Memory {
  readonly #shares: ReadonlyMap<string, number>;
  readonly #storageKind: StorageKind;
  readonly #rooms = new Map<CacheName, LruRoom>();

  /** @throws {TypeError} when the memory is less than the smallest sizes of all caches together. */
  constructor({ totalBytes, answersBytes, storageKind = "home" }: MemoryOptions = {}) {
    this.#storageKind = storageKind;
    for (const bytes of [totalBytes, answersBytes]) {
      if (bytes !== undefined && !(bytes >= 0)) throw new TypeError(`Cannot use ${bytes} bytes of memory`);
    }
    const least = leastMemoryBytes(answersBytes, storageKind);
    if (totalBytes !== undefined && totalBytes < least) {
      throw new TypeError(`Cannot use ${totalBytes} bytes of memory: all caches need ${least} together`);
    }
    // A given size of `answers` is not divided.
    const isDivided = (name: string) => name !== "answers" || answersBytes === undefined;
    const spare = sum(storageKind, ({ bytes, leastBytes }, name) => isDivided(name) ? bytes - leastBytes : 0);
    const factor = totalBytes === undefined ? 1 : (totalBytes - least) / spare;
    this.#shares = new Map(
      CACHES.map(([name, { bytes, leastBytes }]) => [
        name,
        isDivided(name) ? Math.floor(leastBytes + factor * (bytes - leastBytes)) : answersBytes ?? 0,
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

  /** An empty map in the cache with this name; `weigh` returns bytes, approximately. */
  map<K, V>(
    name: CacheName,
    weigh: (value: V, key: K) => number,
    onEvict?: (value: V) => void,
  ): LruMap<K, V> {
    return this.#room(name).map(weigh, onEvict);
  }

  /**
   * As {@link map}, but a value larger than the cache is cached, too, since making it again for each request
   * would take too long ({@link LruRoom.mapOfLarge}).
   */
  mapOfLarge<K, V>(
    name: CacheName,
    weigh: (value: V, key: K) => number,
    onEvict?: (value: V) => void,
  ): LruMap<K, V> {
    return this.#room(name).mapOfLarge(weigh, onEvict);
  }

  /** A new room for a cache within a value of another one. */
  roomWithin(name: CacheName): LruRoom {
    return new LruRoom(this.share(name));
  }

  #room(name: CacheName): LruRoom {
    let room = this.#rooms.get(name);
    if (room === undefined) {
      room = watchCache(name, new LruRoom(this.share(name)));
      this.#rooms.set(name, room);
    }
    return room;
  }
}

/**
 * An empty cache of a fixed size.
 *
 * @param bytes Another size.
 */
export function fixedCache<K, V>(
  name: FixedCacheName,
  weigh: (value: V, key: K) => number,
  bytes: number = FIXED_CACHES[name].bytes,
): LruMap<K, V> {
  return new LruRoom(bytes).mapOfLarge(weigh);
}

/** Memory of a refusal in addition to its texts, in bytes, approximately. */
const REFUSAL_BYTES = 256;

/** Weight of a message and its key in the cache `refusals`. */
export function weighRefusal(message: string, key: string): number {
  return REFUSAL_BYTES + 2 * (message.length + key.length);
}

function sum(kind: StorageKind, bytesOf: (cache: SharedCache, name: string) => number): number {
  return CACHES.filter(([, { within, storage = kind }]) => within === undefined && storage === kind)
    .reduce((all, [name, cache]) => all + (cache.count ?? 1) * bytesOf(cache, name), 0);
}

/**
 * Wraps a pure function so that it is called once for each object (`WeakMap`). It must not return
 * `undefined`. The result lives as long as the object, and counts as a part of it in the cache of the object.
 * Further arguments, such as a task, must not change the result.
 */
export function memoize<K extends object, V extends object | string, More extends readonly unknown[]>(
  make: (from: K, ...more: More) => V,
): (from: K, ...more: More) => V {
  const cached = new WeakMap<K, V>();
  return (from, ...more) => {
    let value = cached.get(from);
    if (value === undefined) cached.set(from, value = make(from, ...more));
    return value;
  };
}
