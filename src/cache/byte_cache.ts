/** A cache of bytes in bounded memory, such as answers about git objects. */
import { LARGEST_SHARE, TinyLfuMap } from "./tiny_lfu_map.ts";

/** Bytes in the cache or to be cached. They never change under their key, and nobody may modify them. */
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

/** Bytes in the cache, with their parts. */
interface Whole extends CachedBytes {
  readonly key: string;
  readonly parts: readonly CachedPart[];
  /** Memory of the entry in bytes. */
  readonly weight: number;
}

/** Where the bytes of a key are. */
interface Place {
  readonly whole: Whole;
  readonly start: number;
  readonly end: number;
}

/** Memory that an entry takes in addition to its bytes and texts, approximately. */
const ENTRY_BYTES = 512;

/**
 * Making an answer, or one of its parts, takes as long as making this many bytes more. When answers compete
 * for memory, small ones and ones with many parts count for more than their bytes.
 */
export const FIXED_WORTH = 64 * 1024;

/** Caches bytes up to a bound, by how often and how lately they were asked for. */
export class ByteCache {
  /** The bytes of all keys: of entries, and of their parts. */
  readonly #places = new Map<string, Place>();
  readonly #wholes: TinyLfuMap<Whole>;
  readonly #largestWeight: number;
  /** Calls of {@link get} that found bytes, and those that found none. */
  hits = 0;
  misses = 0;

  /** @param capacity Bytes of memory, approximately; 0 caches nothing. */
  constructor(capacity: number) {
    this.#largestWeight = capacity * LARGEST_SHARE;
    this.#wholes = new TinyLfuMap(capacity, {
      weigh: ({ weight }) => weight,
      worthOf: ({ bytes, parts }) => bytes.length + FIXED_WORTH * (1 + parts.length),
      onDrop: (whole) => this.#forget(whole),
    });
  }

  /** Whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  /** Number of entries. */
  get size(): number {
    return this.#wholes.size;
  }

  /** Approximate memory of all entries, in bytes. */
  get weight(): number {
    return this.#wholes.weight;
  }

  /** The bytes of a key. The bytes of a part belong to the whole, and their use is a use of the whole. */
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
   * Caches the bytes, unless they are too large. With the bytes their parts are cached, without a copy: a
   * part replaces the bytes that were cached under its key, and is dropped with the whole.
   *
   * @param key Everything that the bytes depend on: their kind, the repository, full object ids. Abbreviated
   *   ids and names of references must not be in it, since their meaning changes.
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

  /** Forgets the places of an entry and of its parts, unless other bytes have replaced them. */
  #forget(whole: Whole): void {
    for (const { key } of [whole, ...whole.parts]) {
      if (this.#places.get(key)?.whole === whole) this.#places.delete(key);
    }
  }
}

/** The bytes in a buffer of their own: a view of a larger one would retain all of it. */
function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/** Memory of an entry in addition to its bytes. */
function memoryAround(key: string, headers: CachedBytes["headers"], parts: readonly CachedPart[]): number {
  let texts = key.length;
  for (const name in headers) texts += name.length + headers[name]!.length;
  for (const part of parts) texts += part.key.length;
  return ENTRY_BYTES * (1 + parts.length) + 2 * texts;
}
