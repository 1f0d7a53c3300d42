/** Divides the cache memory among all caches. */
import {
  type CacheName,
  FIXED_CACHES,
  type FixedCacheName,
  SHARED_CACHES,
  type SharedCache,
} from "./caches.ts";
import { type LruMap, LruRoom } from "./lru_map.ts";

/** Sizes of the caches, which a host may choose. */
export interface MemoryOptions {
  /**
   * Approximate total size of all caches, in bytes; {@link DEFAULT_MEMORY_BYTES} by default, and at least
   * {@link leastMemoryBytes}.
   */
  readonly totalBytes?: number | undefined;
  /**
   * Size of the cache of responses (`answers`), in bytes, as a part of `totalBytes`. The default is 64 MiB,
   * and 0 disables the cache.
   */
  readonly answersBytes?: number | undefined;
  /** Kind of storage: `home` (the default) or `bucket`. Each kind has some separate caches. */
  readonly storageKind?: StorageKind | undefined;
}

export type StorageKind = "home" | "bucket";

export interface CacheFigures {
  readonly size: number;
  /** Approximate total size of all entries, in bytes. */
  readonly weight: number;
  /** Number of look-ups that found a value (`hits`) or no value (`misses`). */
  readonly hits: number;
  readonly misses: number;
}

/** Caches of this thread that are in use. */
const watched = new Map<CacheName, WeakRef<CacheFigures>[]>();
/** Number of caches of one name at which {@link watched} is cleaned up. */
let pruneFrom = 16;

/** Includes a cache in {@link cachesInUse} until the cache is garbage-collected. */
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

/**
 * Returns for each name the sums of all caches of this thread, for metrics. A cache inside a value of another
 * cache counts towards the size of the other cache.
 */
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

/** Default total cache memory of a service that reads a home, in bytes. */
export const DEFAULT_MEMORY_BYTES: number = sum("home", ({ bytes }) => bytes);

/** Default total cache memory of a service that reads a bucket, in bytes. */
export const DEFAULT_BUCKET_MEMORY_BYTES: number = sum("bucket", ({ bytes }) => bytes);

/**
 * Returns the smallest possible total size of all caches, in bytes.
 *
 * @param answersBytes Size of the cache `answers`, in bytes.
 */
export function leastMemoryBytes(answersBytes = 0, storageKind: StorageKind = "home"): number {
  return sum(storageKind, ({ leastBytes }) => leastBytes) - SHARED_CACHES.answers.leastBytes + answersBytes;
}

/**
 * Computes the size of each cache. Every cache gets its smallest size and a share of the remaining memory, in
 * proportion to its default size. All maps with the same name share one capacity.
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

  /** @throws {TypeError} when the memory is less than the total of the smallest sizes of all caches. */
  constructor({ totalBytes, answersBytes, storageKind = "home" }: MemoryOptions = {}) {
    this.#storageKind = storageKind;
    for (const bytes of [totalBytes, answersBytes]) {
      if (bytes !== undefined && !(bytes >= 0)) throw new TypeError(`Cannot use ${bytes} bytes of memory`);
    }
    const least = leastMemoryBytes(answersBytes, storageKind);
    if (totalBytes !== undefined && totalBytes < least) {
      throw new TypeError(`Cannot use ${totalBytes} bytes of memory: all caches need ${least} together`);
    }
    // The size of `answers` is not changed if the host has chosen it.
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

  /** Returns the size of each cache with this name, in bytes. */
  share(name: CacheName): number {
    return this.#shares.get(name)!;
  }

  get bytes(): number {
    return sum(this.#storageKind, (_, name) => this.#shares.get(name)!);
  }

  /** Creates a map with the capacity of the cache `name`. `weigh` returns an approximate number of bytes. */
  map<K, V>(
    name: CacheName,
    weigh: (value: V, key: K) => number,
    onEvict?: (value: V) => void,
  ): LruMap<K, V> {
    return this.#room(name).map(weigh, onEvict);
  }

  /**
   * Does the same as {@link map}, but also caches a value that is larger than the cache, because creating the
   * value for each request would take too long ({@link LruRoom.mapOfLarge}).
   */
  mapOfLarge<K, V>(
    name: CacheName,
    weigh: (value: V, key: K) => number,
    onEvict?: (value: V) => void,
  ): LruMap<K, V> {
    return this.#room(name).mapOfLarge(weigh, onEvict);
  }

  /** Creates the capacity of a cache inside a value of another cache. */
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
 * Creates a cache of a fixed size.
 *
 * @param bytes Size of the cache, in bytes. The default is the size in {@link FIXED_CACHES}.
 */
export function fixedCache<K, V>(
  name: FixedCacheName,
  weigh: (value: V, key: K) => number,
  bytes: number = FIXED_CACHES[name].bytes,
): LruMap<K, V> {
  return new LruRoom(bytes).mapOfLarge(weigh);
}

/** Approximate memory of a refusal without its key and its message, in bytes. */
const REFUSAL_BYTES = 256;

/** Returns the size of a message and its key for the cache `refusals`. */
export function weighRefusal(message: string, key: string): number {
  return REFUSAL_BYTES + 2 * (message.length + key.length);
}

function sum(kind: StorageKind, bytesOf: (cache: SharedCache, name: string) => number): number {
  return CACHES.filter(([, { within, storage = kind }]) => within === undefined && storage === kind)
    .reduce((all, [name, cache]) => all + (cache.count ?? 1) * bytesOf(cache, name), 0);
}

/**
 * Returns a function that computes a result only once for each object, with `make`. The result must not be
 * `undefined`, and must not depend on further arguments, such as a task.
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
