/** zlib data through `node:zlib`. */
import { deflateSync, inflateSync } from "node:zlib";
import type { DeflateLevel } from "../../src/ports/compression.ts";

/**
 * Packs bytes into a zlib stream. The default level is fast rather than small, as for loose objects of git.
 */
export function deflate(bytes: Uint8Array, level: DeflateLevel = 1): Uint8Array {
  return deflateSync(bytes, { level });
}

/** Smallest chunk size that Node.js accepts. */
export const MIN_CHUNK_BYTES = 64;

/**
 * Unpacks a zlib stream into exactly `size` bytes. Ignores bytes after the stream, and verifies its checksum.
 *
 * @throws {Error} when the stream is broken, ends early, or holds more or less than `size` bytes.
 */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  // One chunk: there is no list of pieces to join, and no room for a stream that holds too much. When a chunk
  // is full, Node.js allocates another one before it searches for the end. The spare byte avoids that.
  const bytes = inflateSync(packed, {
    chunkSize: Math.max(size + 1, MIN_CHUNK_BYTES),
    maxOutputLength: Math.max(size, 1),
  });
  if (bytes.length !== size) throw new RangeError(`Unpacked ${bytes.length} bytes instead of ${size}`);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
