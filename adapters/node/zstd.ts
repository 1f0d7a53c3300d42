/** Zstandard (RFC 8878) through `node:zlib`. */
import zlib from "node:zlib";
import { Task } from "../../src/scheduling/task.ts";
import type { Compression } from "../../src/ports/compression.ts";
import { MIN_CHUNK_BYTES } from "./zlib.ts";

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
