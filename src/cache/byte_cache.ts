/** A cache of bytes in bounded memory, such as answers about git objects. */
import { LruMap } from "./lru_map.ts";

/** Cached bytes, which never change under their key. Callers share them and must not modify them. */
export interface CachedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields of an answer whose body the bytes are; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes with a key of their own, such as a diff. They may be a part of longer bytes, such as an answer. */
export interface KeyedBytes {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** With it, the bytes are only the first or the last ones of this key. */
  readonly end?: "first" | "last";
}

/** A part of cached bytes that has a key of its own. */
export interface CachedPart {
  readonly key: string;
  /** First byte of the part, and the byte after its last one. */
  readonly start: number;
  readonly end: number;
}

/** Bytes in the cache. */
interface Whole {
  readonly cached: CachedBytes;
  /** Tells apart bytes that are cached under the same key one after the other. */
  readonly number: number;
  readonly weight: number;
}

/** A part of the bytes that were cached with this key and number. */
interface Part {
  readonly wholeKey: string;
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** Largest share of the memory for one entry, so that a large answer does not evict all the others. */
export const LARGEST_SHARE = 1 / 4;

/** Memory that an entry takes in addition to its bytes and texts, approximately. */
export const ENTRY_BYTES = 512;

/** Caches bytes up to a bound; drops the least recently used entries. */
export class ByteCache {
  readonly #entries: LruMap<string, Whole | Part>;
  readonly #largestWeight: number;
  #count = 0;

  /** @param capacity Bytes of memory, approximately; 0 caches nothing. */
  constructor(capacity: number) {
    this.#entries = new LruMap(capacity, ({ weight }) => weight);
    this.#largestWeight = capacity * LARGEST_SHARE;
  }

  /** Whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  /** Approximate memory of all entries, in bytes. */
  get weight(): number {
    return this.#entries.weight;
  }

  /** The bytes of a key. The bytes of a part are a view of the bytes that it belongs to. */
  get(key: string): CachedBytes | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || "cached" in entry) return entry?.cached;
    const whole = this.#entries.get(entry.wholeKey);
    if (whole !== undefined && "cached" in whole && whole.number === entry.number) {
      return { bytes: whole.cached.bytes.subarray(entry.start, entry.end) };
    }
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * Caches the bytes, unless they are too large. With the bytes their parts are cached, without a copy: a
   * part replaces the bytes that were cached under its key, and is dropped with the whole.
   *
   * @param key Everything that the bytes depend on: their kind, the repository, full object ids. Abbreviated
   *   ids and names of references are no keys, since their meaning changes.
   */
  set(key: string, cached: CachedBytes, parts: readonly CachedPart[] = []): void {
    const { bytes, headers } = cached;
    const weight = ENTRY_BYTES + bytes.length + 2 * (key.length + textLength(headers));
    if (weight > this.#largestWeight) return;
    // A view of a larger buffer would retain all of it.
    const own = bytes.length === bytes.buffer.byteLength ? cached : { ...cached, bytes: bytes.slice() };
    const number = this.#count++;
    this.#entries.set(key, { cached: own, number, weight });
    for (const { key: partKey, start, end } of parts) {
      const weight = ENTRY_BYTES + 2 * partKey.length;
      this.#entries.set(partKey, { wholeKey: key, number, start, end, weight });
    }
  }
}

function textLength(headers: CachedBytes["headers"] = {}): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
