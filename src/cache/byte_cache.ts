/** A cache of bytes in bounded memory, such as answers about git objects. */
import type { HashKey } from "./keyed_hash.ts";
import { LARGEST_SHARE, TinyLfuMap } from "./tiny_lfu_map.ts";

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
  readonly key: string;
  readonly cached: CachedBytes;
  readonly parts: readonly CachedPart[];
  readonly weight: number;
}

/** A part of cached bytes. */
interface Part {
  readonly whole: Whole;
  readonly start: number;
  readonly end: number;
}

/** Memory that an entry takes in addition to its bytes and texts, approximately. */
export const ENTRY_BYTES = 512;

/**
 * Bytes that take as long to make as an answer, or each of its parts, takes beside its own bytes. When
 * answers compete for memory, small ones and those of many parts count for more than their bytes.
 */
export const FIXED_WORTH = 64 * 1024;

/** Caches bytes up to a bound, by how often and how lately they were asked for. */
export class ByteCache {
  readonly #entries: TinyLfuMap<Whole>;
  readonly #parts = new Map<string, Part>();
  readonly #largestWeight: number;

  /**
   * @param capacity Bytes of memory, approximately; 0 caches nothing.
   * @param hashKey As in {@link TinyLfuMap}.
   */
  constructor(capacity: number, hashKey?: HashKey) {
    this.#entries = new TinyLfuMap(capacity, {
      weigh: ({ weight }) => weight,
      worthOf: ({ weight, parts }) => weight + FIXED_WORTH * (1 + parts.length),
      onDrop: (whole) => this.#forgetParts(whole),
      hashKey,
    });
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
    const part = this.#parts.get(key);
    if (part === undefined) return this.#entries.get(key)?.cached;
    const { whole, start, end } = part;
    this.#entries.get(whole.key);
    return { bytes: whole.cached.bytes.subarray(start, end) };
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
    const texts = parts.reduce((sum, part) => sum + part.key.length, key.length + textLength(headers));
    const weight = ENTRY_BYTES * (1 + parts.length) + bytes.length + 2 * texts;
    if (weight > this.#largestWeight) return;
    // A view of a larger buffer would retain all of it.
    const own = bytes.length === bytes.buffer.byteLength ? cached : { ...cached, bytes: bytes.slice() };
    const whole = { key, cached: own, parts, weight };
    this.#parts.delete(key);
    this.#entries.set(key, whole);
    for (const { key: partKey, start, end } of parts) {
      this.#entries.delete(partKey);
      this.#parts.set(partKey, { whole, start, end });
    }
  }

  /** Forgets the parts of bytes that have been dropped. */
  #forgetParts(whole: Whole): void {
    for (const { key } of whole.parts) {
      if (this.#parts.get(key)?.whole === whole) this.#parts.delete(key);
    }
  }
}

function textLength(headers: CachedBytes["headers"] = {}): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
