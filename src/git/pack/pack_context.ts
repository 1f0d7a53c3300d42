/** The caches that the packs of a storage share. */
import type { CacheName } from "../../cache/caches.ts";
import type { Memory } from "../../cache/memory.ts";
import { scheduler } from "../../scheduling/scheduler.ts";
import type { Unpack } from "../unpack.ts";
import type { CacheKey, PackContext } from "./pack_source.ts";
import { SharedObject } from "./slow_object.ts";

/**
 * Approximate memory of an object in the cache of delta bases in addition to its content, in bytes. The
 * content of most objects takes less memory than this.
 */
const DELTA_BASE_OVERHEAD_BYTES = 400;

/** Approximate memory of a cached kind, or of the cached reason why an object cannot be read, in bytes. */
const PLACE_BYTES = 128;

/**
 * Upper bounds of an offset and of the number of a pack. Below both bounds, a cache key can be an exact
 * number that combines offset and pack.
 */
const MAX_NUMBERED_PLACE = 2 ** 36;
const MAX_NUMBERED_PACKS = 2 ** 17;

let packsOpened = 0;

/** Returns a number that identifies a pack in cache keys. A number is never used again. */
export function nextPackNumber(): number {
  return packsOpened++;
}

/**
 * Returns the cache key of an offset, or of another number, in a pack. It is usually a number, because
 * creating a text takes longer than a lookup.
 *
 * @param pack The number from {@link nextPackNumber}.
 */
export function cacheKey(pack: number, place: number): CacheKey {
  return place < MAX_NUMBERED_PLACE && pack < MAX_NUMBERED_PACKS
    ? pack * MAX_NUMBERED_PLACE + place
    : `${pack}:${place}`;
}

/**
 * Creates the caches for packs.
 *
 * @param name Name of the cache whose memory they use.
 */
export function createPackContext(memory: Memory, name: CacheName, unpack: Unpack): PackContext {
  return {
    bases: memory.map(
      name,
      ({ bytes }) => bytes.length + DELTA_BASE_OVERHEAD_BYTES,
      (object) => object instanceof SharedObject && object.evict(),
    ),
    kinds: memory.map(name, () => PLACE_BYTES),
    damaged: memory.map(name, () => PLACE_BYTES),
    scheduler,
    unpack,
  };
}
