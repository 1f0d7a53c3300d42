/** zlib data and Zstandard (RFC 8878) through `node:zlib`. */
import zlib from "node:zlib";
import { deflateSync, inflateSync } from "node:zlib";
import type { Compression, DeflateLevel } from "../../src/ports/compression.ts";
import { Task } from "../../src/scheduling/task.ts";

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

const { constants } = zlib;

/** Level of Zstandard: fast rather than small. */
const LEVEL = 1;

/** Packs by Zstandard; absent on Node.js before 22.15, which does not have it. */
export const compression: Compression | undefined = typeof zlib.zstdCompress === "function"
  ? { pack: "Deno" in globalThis ? packHere : pack, unpack }
  : undefined;

function pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    zlib.zstdCompress(
      bytes,
      optionsFor(bytes),
      (error, packed) => error ? reject(error) : resolve(asBytes(packed)),
    );
  });
}

const task = new Task("background");

/** Deno packs in this thread even where it is told to call back: here each call is a step. */
async function packHere(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  await task.yield();
  return asBytes(zlib.zstdCompressSync(bytes, optionsFor(bytes)));
}

function optionsFor({ length }: Uint8Array): zlib.ZstdOptions {
  return { params: { [constants.ZSTD_c_compressionLevel]: LEVEL }, pledgedSrcSize: length };
}

function unpack(packed: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  // One chunk, and a spare byte, as in `inflate`.
  return asBytes(zlib.zstdDecompressSync(packed, { chunkSize: Math.max(length + 1, MIN_CHUNK_BYTES) }));
}

function asBytes(buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
