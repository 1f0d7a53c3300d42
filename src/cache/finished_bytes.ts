/** Finished bytes in bounded memory: what was made once for something that never changes, such as the answer on a git object. */
import { LruMap } from "./lru_map.ts";

/** Bytes that will never be others under their key. Shared between callers: never write to them. */
export interface Finished {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Header fields, names in lower case, when the bytes are the body of an answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Memory for finished bytes unless a host says otherwise, in bytes. */
export const DEFAULT_FINISHED_BYTES = 64 * 2 ** 20;

/** No entry takes more than this share of the memory: else one large answer would cost all the others. */
export const LARGEST_SHARE = 1 / 4;

/** Memory that an entry takes beside its bytes and texts, about. */
export const ENTRY_BYTES = 512;

/** Remembers finished bytes up to a bound and forgets what was used least recently. */
export class FinishedBytes {
  readonly #entries: LruMap<string, { readonly finished: Finished; readonly weight: number }>;
  readonly #largestWeight: number;

  /** @param capacity Bytes of memory, about; 0 remembers nothing. */
  constructor(capacity: number = DEFAULT_FINISHED_BYTES) {
    this.#entries = new LruMap(capacity, ({ weight }) => weight);
    this.#largestWeight = capacity * LARGEST_SHARE;
  }

  /** Whether bytes of that length have a chance to be remembered. */
  admits(length: number): boolean {
    return length + ENTRY_BYTES <= this.#largestWeight;
  }

  get(key: string): Finished | undefined {
    return this.#entries.get(key)?.finished;
  }

  /**
   * Remembers, unless it is too large.
   *
   * @param key Names all that the bytes depend on: what kind of bytes they are, the repository if it matters, full object ids, never short ones or names.
   */
  set(key: string, finished: Finished): void {
    const { bytes, headers } = finished;
    const weight = ENTRY_BYTES + bytes.length + 2 * (key.length + textLength(headers));
    if (weight > this.#largestWeight) return;
    // A view would hold on to all of its buffer.
    const own = bytes.length === bytes.buffer.byteLength ? finished : { ...finished, bytes: bytes.slice() };
    this.#entries.set(key, { finished: own, weight });
  }
}

function textLength(headers: Finished["headers"] = {}): number {
  return Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
