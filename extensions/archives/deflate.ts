/**
 * Compresses data with DEFLATE (RFC 1951) in steps. The compressed bytes are the same on every runtime,
 * because two responses with the same `ETag` must not differ. The compressors of the runtimes are up to twice
 * as fast, but make different bytes.
 */
import { Deflate, deflateSync, Gzip } from "fflate";
import { joinBytes, type Task } from "../../src/mod.ts";

/** Approximate memory of a compressor, in bytes. */
export const COMPRESSOR_BYTES = 512 * 1024;

/** Compression level. A higher level takes twice as long for data that can hardly be compressed. */
const LEVEL = 5;
/**
 * Maximum size of a file that is compressed in one step, in bytes. The step takes about a millisecond, and
 * needs less memory than a stream.
 */
const SMALL_BYTES = 16 * 1024;
/**
 * Number of bytes that are compressed before other requests may run. Compressing these bytes takes a few
 * milliseconds.
 */
const BYTES_AT_ONCE = 32 * 1024;

export async function deflate(bytes: Uint8Array, task: Task): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes;
  if (bytes.length <= SMALL_BYTES) return deflateSync(bytes, { level: LEVEL });
  const packed: Uint8Array[] = [];
  const stream = new Deflate({ level: LEVEL }, (piece) => packed.push(piece));
  await pushIn(stream, bytes, task);
  stream.push(new Uint8Array(0), true);
  return joinBytes(packed);
}

/** Compresses pieces of data in the gzip format (RFC 1952), without a file name and a time. */
export async function* gzipPieces(
  pieces: AsyncIterable<Uint8Array>,
  task: Task,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let packed: Uint8Array[] = [];
  const stream = new Gzip({ level: LEVEL, mtime: 0 }, (piece) => packed.push(piece));
  const take = () => {
    const piece = joinBytes(packed);
    packed = [];
    return piece;
  };
  for await (const piece of pieces) {
    await pushIn(stream, piece, task);
    if (packed.length > 0) yield take();
  }
  stream.push(new Uint8Array(0), true);
  yield take();
}

async function pushIn(
  stream: { push(bytes: Uint8Array): void },
  bytes: Uint8Array,
  task: Task,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    stream.push(bytes.subarray(at, at + BYTES_AT_ONCE));
    await task.yield();
  }
}
