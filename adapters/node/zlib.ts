/** Compresses and decompresses zlib data through `node:zlib`. */
import { deflateSync, inflateSync } from "node:zlib";
import type { DeflateLevel } from "../../src/ports/compression.ts";

/**
 * Compresses bytes into a zlib stream. The default level prefers speed to a small size, as git does for loose
 * objects.
 */
export function deflate(bytes: Uint8Array, level: DeflateLevel = 1): Uint8Array {
  return deflateSync(bytes, { level });
}

/** Minimum chunk size that Node.js accepts, in bytes. */
export const MIN_CHUNK_BYTES = 64;

/**
 * Decompresses a zlib stream into exactly `size` bytes. Verifies the checksum of the stream, and ignores
 * bytes after the end of the stream.
 *
 * @throws {Error} when the stream is damaged, ends early, or contains more or less than `size` bytes.
 */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  // One chunk has room for the whole content, so no chunks have to be joined, and a stream with too much
  // content takes little memory. The extra byte prevents Node.js from allocating another chunk when the chunk
  // is full.
  const bytes = inflateSync(packed, {
    chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES),
    maxOutputLength: Math.max(size, 1),
  });
  if (bytes.length !== size) throw new RangeError(`Unpacked ${bytes.length} bytes instead of ${size}`);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
