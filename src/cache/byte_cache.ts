/** A cache of bytes with limited memory, for example of HTTP responses about git objects. */
import { LARGEST_SHARE, TinyLfuMap } from "./tiny_lfu_map.ts";

/**
 * Bytes that are in the cache or will be cached. The bytes of a key never change, and no caller may modify
 * them.
 */
export interface CachedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields of the HTTP response whose body consists of these bytes. Names are in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Bytes with a separate key, such as the bytes of a diff. They may be a part of longer bytes, such as the
 * bytes of a response.
 */
export interface KeyedBytes {
  readonly key: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** If set, the bytes are only the first or the last bytes of this key. */
  readonly end?: "first" | "last";
}

/** A part of cached bytes that has a separate key. */
export interface CachedPart {
  readonly key: string;
  /** Offsets of the first byte of the part, and of the byte after its last byte. */
  readonly start: number;
  readonly end: number;
}

/** Bytes in the cache, with their parts. */
interface Whole extends CachedBytes {
  readonly key: string;
  readonly parts: readonly CachedPart[];
  /** Memory of the entry, in bytes. */
  readonly weight: number;
}

/** Location of the bytes of a key in the bytes of an entry. */
interface Place {
  readonly whole: Whole;
  readonly start: number;
  readonly end: number;
}

/** Approximate memory of an entry without its bytes and texts, in bytes. */
const ENTRY_BYTES = 512;

/**
 * Fixed cost of creating a response, or one of its parts, expressed as the number of bytes that could be
 * created in the same time. Because of this cost, small responses and responses with many parts are worth
 * more than their size when responses compete for memory.
 */
export const FIXED_WORTH = 64 * 1024;

/** Caches bytes up to a limit. Bytes that are requested often or were requested recently are retained. */
export class ByteCache {
  /** Locations of the bytes of all keys, both of entries and of their parts. */
  readonly #places = new Map<string, Place>();
  readonly #wholes: TinyLfuMap<Whole>;
  readonly #largestWeight: number;
  /** How many calls of {@link get} found bytes (`hits`), and how many found no bytes (`misses`). */
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

  /** Approximate memory of all entries, in bytes. */
  get weight(): number {
    return this.#wholes.weight;
  }

  /**
   * Returns the bytes of a key. The bytes of a part are stored in the entry that contains the part. A use of
   * the part counts as a use of this entry.
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
   * Caches the bytes, unless they are too large. Their parts are cached as well, without a copy. A part
   * replaces the bytes that were cached under the key of the part, and is dropped together with the whole
   * entry.
   *
   * @param key Contains everything on which the bytes depend, which is their kind, the repository and full
   * object ids. The key must not contain abbreviated ids or names of references, because their meaning
   * changes.
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

  /** Removes the locations of an entry and of its parts, unless other bytes have replaced them. */
  #forget(whole: Whole): void {
    for (const { key } of [whole, ...whole.parts]) {
      if (this.#places.get(key)?.whole === whole) this.#places.delete(key);
    }
  }
}

/**
 * Returns the bytes in a separate buffer, because a view of a larger buffer would retain the whole buffer.
 */
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
