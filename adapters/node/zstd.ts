/** Zstandard (RFC 8878) through `node:zlib`. */
import zlib from "node:zlib";
import type { Compression } from "../../src/ports/compression.ts";
import { MIN_CHUNK_BYTES } from "./zlib.ts";

const { constants } = zlib;

/** Level of Zstandard: fast rather than small. */
const LEVEL = 1;

/** Packs by Zstandard; absent on Node.js before 22.15, which does not have it. */
export const compression: Compression | undefined = typeof zlib.zstdCompress === "function"
  ? { pack, unpack }
  : undefined;

function pack(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
    zlib.zstdCompress(
      bytes,
      { params, pledgedSrcSize: bytes.length },
      (error, packed) => error ? reject(error) : resolve(asBytes(packed)),
    );
  });
}

function unpack(packed: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  // One chunk, and a spare byte, as in `inflate`.
  return asBytes(zlib.zstdDecompressSync(packed, { chunkSize: Math.max(length + 1, MIN_CHUNK_BYTES) }));
}

function asBytes(buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
