/** A cache of bytes in bounded memory, such as answers about git objects. */
import { LruMap } from "./lru_map.ts";

/** Cached bytes, which never change under their key. Callers share them and must not modify them. */
export interface CachedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields of an answer whose body the bytes are; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Largest share of the memory for one entry, so that a large answer does not evict all the others. */
export const LARGEST_SHARE = 1 / 4;

/** Memory that an entry takes in addition to its bytes and texts, approximately. */
export const ENTRY_BYTES = 512;

/** Caches bytes up to a bound; drops the least recently used entries. */
export class ByteCache {
  readonly #entries: LruMap<string, { readonly cached: CachedBytes; readonly weight: number }>;
  readonly #largestWeight: number;

  /** @param capacity Bytes of memory, approximately; 0 caches nothing. */
  constructor(capacity: number) {
    this.#entries = new LruMap(capacity, ({ weight }) => weight);
    this.#largestWeight = capacity * LARGEST_SHARE;
  }

  /** Whether bytes of this length are small enough to be cached. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  get(key: string): CachedBytes | undefined {
    return this.#entries.get(key)?.cached;
  }

  /**
   * Caches the bytes, unless they are too large.
   *
   * @param key Everything that the bytes depend on: their kind, the repository, full object ids. Abbreviated
   *   ids and names of references are no keys, since their meaning changes.
   */
  set(key: string, cached: CachedBytes): void {
    const { bytes, headers } = cached;
    const weight = ENTRY_BYTES + bytes.length + 2 * (key.length + textLength(headers));
    if (weight > this.#largestWeight) return;
    // A view of a larger buffer would retain all of it.
    const own = bytes.length === bytes.buffer.byteLength ? cached : { ...cached, bytes: bytes.slice() };
    this.#entries.set(key, { cached: own, weight });
  }
}

function textLength(headers: CachedBytes["headers"] = {}): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
