/** A cache of bytes with limited memory, such as HTTP responses about git objects. */
import { LARGEST_SHARE, TinyLfuMap } from "./tiny_lfu_map.ts";

/** Bytes of a cache entry. The bytes of a key never change, and no caller may modify them. */
export interface CachedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields of the HTTP response with these bytes as its body. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes with a separate key, such as a diff inside a response. */
export interface KeyedBytes {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** `first` or `last` if the bytes are only the beginning or the end of the bytes of the key. */
  readonly end?: "first" | "last";
}

/** A part of cached bytes that has a separate key. */
export interface CachedPart {
  readonly key: string;
  /** Offsets of the start and the end of the part. */
  readonly start: number;
  readonly end: number;
}

interface Whole extends CachedBytes {
  readonly key: string;
  readonly parts: readonly CachedPart[];
  readonly weight: number;
}

/** Position of the bytes of a key in an entry. */
interface Place {
  readonly whole: Whole;
  readonly start: number;
  readonly end: number;
}

/** Approximate memory of an entry without its bytes and texts, in bytes. */
const ENTRY_BYTES = 512;

/**
 * Fixed cost of creating a response or a part of a response, as the number of bytes that could be created in
 * the same time. With this cost, a small response is worth more than its size.
 */
export const FIXED_WORTH = 64 * 1024;

/** Caches bytes. When the memory is full, bytes that are used often stay in the cache. */
export class ByteCache {
  /** Position of the bytes of each key. */
  readonly #places = new Map<string, Place>();
  readonly #wholes: TinyLfuMap<Whole>;
  readonly #largestWeight: number;
  /** Number of calls of {@link get} that found bytes (`hits`) or no bytes (`misses`). */
  hits = 0;
  misses = 0;

  /** @param capacity Approximate memory of the cache, in bytes. With 0, nothing is cached. */
  constructor(capacity: number) {
    this.#largestWeight = capacity * LARGEST_SHARE;
    this.#wholes = new TinyLfuMap(capacity, {
      weigh: ({ weight }) => weight,
      worthOf: ({ bytes, parts }) => bytes.length + FIXED_WORTH * (1 + parts.length),
      onDrop: (whole) => this.#forget(whole),
    });
  }

  /** Checks whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  get size(): number {
    return this.#wholes.size;
  }

  get weight(): number {
    return this.#wholes.weight;
  }

  /**
   * Returns the bytes of a key; `undefined` if they are not cached. Reading a part counts as a use of the
   * entry that contains the part.
   */
  get(key: string): CachedBytes | undefined {
    const place = this.#places.get(key);
    this.#wholes.get(place?.whole.key ?? key);
    if (place === undefined) {
      this.misses++;
      return undefined;
    }
    this.hits++;
    const { whole, start, end } = place;
    return whole.key === key ? whole : { bytes: whole.bytes.subarray(start, end) };
  }

  /**
   * Caches bytes under a key, and their parts under the keys of the parts, without a copy. Bytes that are too
   * large are not cached. Parts are dropped together with the whole entry.
   *
   * @param key Contains everything on which the bytes depend: their kind, the repository and full object ids.
   * The key must not contain abbreviated ids or names of references, because their meaning changes.
   */
  set(key: string, { bytes, headers }: CachedBytes, parts: readonly CachedPart[] = []): void {
    const weight = bytes.length + memoryAround(key, headers, parts);
    if (weight > this.#largestWeight) return;
    const whole: Whole = { key, bytes: ownBytes(bytes), ...headers && { headers }, parts, weight };
    for (const place of [...parts, { key, start: 0, end: bytes.length }]) {
      this.#delete(place.key);
      this.#places.set(place.key, { whole, start: place.start, end: place.end });
    }
    this.#wholes.set(key, whole);
  }

  #delete(key: string): void {
    const whole = this.#places.get(key)?.whole;
    this.#places.delete(key);
    if (whole?.key !== key) return;
    this.#wholes.delete(key);
    this.#forget(whole);
  }

  #forget(whole: Whole): void {
    for (const { key } of [whole, ...whole.parts]) {
      if (this.#places.get(key)?.whole === whole) this.#places.delete(key);
    }
  }
}

/** Returns the bytes in a separate buffer, because a view would keep the whole larger buffer in memory. */
function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Returns the memory of an entry without its bytes, in bytes. */
function memoryAround(key: string, headers: CachedBytes["headers"], parts: readonly CachedPart[]): number {
  let texts = key.length;
  for (const name in headers) texts += name.length + headers[name]!.length;
  for (const part of parts) texts += part.key.length;
  return ENTRY_BYTES * (1 + parts.length) + 2 * texts;
}
