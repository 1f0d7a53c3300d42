/**
 * Bytes made of something that never changes, such as the answer on a git object, cached in bounded memory.
 */
import { LruMap } from "./lru_map.ts";

/** Bytes that are always the same under their key. Shared between callers: never write to them. */
export interface CachedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields, names in lower case, when the bytes are the body of an answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** No entry takes more than this share of the memory: else one large answer would cost all the others. */
export const LARGEST_SHARE = 1 / 4;

/** Memory that an entry takes beside its bytes and texts, about. */
export const ENTRY_BYTES = 512;

/** Caches bytes up to a bound; drops the least recently used. */
export class ByteCache {
  readonly #entries: LruMap<string, { readonly cached: CachedBytes; readonly weight: number }>;
  readonly #largestWeight: number;

  /** @param capacity Bytes of memory, about; 0 caches nothing. */
  constructor(capacity: number) {
    this.#entries = new LruMap(capacity, ({ weight }) => weight);
    this.#largestWeight = capacity * LARGEST_SHARE;
  }

  /** Whether bytes of that length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  get(key: string): CachedBytes | undefined {
    return this.#entries.get(key)?.cached;
  }

  /**
   * Caches the bytes, unless they are too large.
   *
   * @param key Names all that the bytes depend on: what kind of bytes they are, the repository if it matters,
   *   full object ids, never short ones or names.
   */
  set(key: string, cached: CachedBytes): void {
    const { bytes, headers } = cached;
    const weight = ENTRY_BYTES + bytes.length + 2 * (key.length + textLength(headers));
    if (weight > this.#largestWeight) return;
    // A view would hold on to all of its buffer.
    const own = bytes.length === bytes.buffer.byteLength ? cached : { ...cached, bytes: bytes.slice() };
    this.#entries.set(key, { cached: own, weight });
  }
}

function textLength(headers: CachedBytes["headers"] = {}): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
