/** zlib data through `node:zlib`. */
import { deflateSync, inflateSync } from "node:zlib";
import type { DeflateLevel } from "../../src/ports/compression.ts";

/** Packs bytes into a zlib stream: by default fast rather than small, as git packs loose objects. */
export function deflate(bytes: Uint8Array, level: DeflateLevel = 1): Uint8Array {
  return deflateSync(bytes, { level });
}

/** Node.js takes no smaller chunks. */
export const MIN_CHUNK_BYTES = 64;

/**
 * Unpacks a zlib stream into exactly `size` bytes; bytes after the stream are ignored, its checksum is
 * verified.
 *
 * @throws {Error} when the stream is broken, ends early, or holds more or less than `size` bytes.
 */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  // One chunk: no list of pieces to join, and no room for a stream that holds more than it should. When a
  // chunk is full, Node.js allocates another one before it looks for the end, hence the spare byte.
  const bytes = inflateSync(packed, {
    chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES),
    maxOutputLength: Math.max(size, 1),
  });
  if (bytes.length !== size) throw new RangeError(`Unpacked ${bytes.length} bytes in place of ${size}`);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
