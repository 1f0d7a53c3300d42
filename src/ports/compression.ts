/**
 * Compression of bytes that stay in memory, in any format that is quick to unpack: Zstandard (RFC 8878) on
 * runtimes that have it. Nothing is compressed without it.
 */

/** Packs bytes for the same process. Calls may be concurrent. */
export interface Compression {
  /**
   * Packs bytes: outside of this thread, or as a step where the runtime cannot. The bytes do not change
   * meanwhile.
   */
  pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** Unpacks bytes that were `length` bytes before they were packed. */
  unpack(packed: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer>;
}
