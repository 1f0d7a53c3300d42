/** Decompression of zlib streams in a repository, with checks of their declared sizes. */
import { unzlibSync } from "fflate";
import { DamagedError, TooLargeError } from "../errors.ts";
import { MAX_LINK_FACTOR, OBJECT_LIMITS } from "./object_limits.ts";
import type { Inflate } from "../ports/compression.ts";
import type { Task } from "../scheduling/task.ts";
import { unpackShort } from "./short_stream.ts";

/** Maximum size of decompressed content, in bytes: that of the largest intermediate object. */
export const MAX_UNPACKED_BYTES = MAX_LINK_FACTOR * Math.max(...Object.values(OBJECT_LIMITS)) + 2 ** 20;

/** Longer contents are decompressed in time slices where possible, in bytes. */
export const UNPACKED_AT_ONCE_BYTES = 2 ** 20;

/** Maximum compressed bytes between two looks at the clock. */
const MAX_SLICE_BYTES = 2 ** 16;

/**
 * Deflate takes at least two bits for 258 bytes, so no valid stream decompresses to more than this many times
 * its length.
 */
const MAX_RATIO = 1032;

/** Allowance per stream: frame, code tables, a few empty blocks. */
const OVERHEAD_BYTES = 1024;

/**
 * Compressed bytes that {@link unpackStart} examines: the tables of a block need less than 300, 64 symbols at
 * most 120.
 */
export const START_BYTES = 512;

/** Bytes of zlib's frame: two before the deflated data, a checksum of four after it. */
const [FRAME_BYTES, CHECKSUM_BYTES] = [6, 4];

/** Position of a stored block's data: after the byte with the type of the block, and four bytes of length. */
const STORED_DATA_AT = 7;

/**
 * Decompresses one whole zlib stream, `packed` from its first byte to its last, into exactly `size` bytes, or
 * throws {@link DamagedError}.
 */
export type Unpack = (packed: Uint8Array, size: number) => Uint8Array;

/**
 * Contents below this size, in bytes, are decompressed here, whatever inflater is given: a runtime's library
 * allocates memory per stream that is released late, and fflate takes a third more time.
 */
export const SMALL_BYTES = 1024;

/**
 * Decompresses with the given inflater, which must verify the stream's checksum; by default, and where a
 * small stream is not plainly sound, with fflate.
 */
export function createUnpack(inflate: Inflate = unzlib): Unpack {
  return (packed, size) => {
    checkPackedSize(packed.length, size);
    try {
      return size < SMALL_BYTES ? unpackSmall(packed, size) : inflate(packed, size);
    } catch (cause) {
      throw new DamagedError("A zlib stream cannot be unpacked", { cause });
    }
  };
}

/**
 * Refuses implausible sizes before memory is allocated.
 *
 * @throws {TooLargeError} when the content would be too large.
 * @throws {DamagedError} when no valid stream has these sizes.
 */
export function checkPackedSize(packedBytes: number, size: number): void {
  if (size > MAX_UNPACKED_BYTES) throw new TooLargeError(`Object is larger than ${MAX_UNPACKED_BYTES} bytes`);
  if (size > packedBytes * MAX_RATIO) {
    throw new DamagedError(`An object of ${size} bytes cannot be packed in ${packedBytes}`);
  }
  // Deflate's worst case without stored blocks is 9 bits per byte.
  if (packedBytes > size * 1.25 + OVERHEAD_BYTES) {
    throw new DamagedError(`An object of ${size} bytes does not take ${packedBytes} when packed`);
  }
}

/**
 * Decompresses one whole zlib stream into exactly `size` bytes in time slices.
 *
 * @throws {DamagedError} when the stream is malformed, or has more or less content.
 */
export async function unpackSlowly(
  packed: Uint8Array,
  size: number,
  task: Task,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  const { readable, writable } = new DecompressionStream("deflate");
  const writing = writeSlices(writable, packed, size);
  // The error is handled below, unless the reader fails first.
  writing.catch(() => {});
  const reader = readable.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > size) throw new RangeError(`The stream holds more than ${size} bytes`);
      bytes.set(value, filled);
      filled += value.length;
      releaseWhole(value);
      await task.yield();
    }
    await writing;
  } catch (cause) {
    reader.cancel().catch(() => {});
    throw new DamagedError("A zlib stream cannot be unpacked", { cause });
  }
  if (filled !== size) throw new DamagedError(`A zlib stream holds ${filled} bytes in place of ${size}`);
  return bytes;
}

/** Frees the memory of a piece of a stream, unless it is a part of a buffer that others may use. */
function releaseWhole({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Writes compressed bytes in slices; each one has about as much content as is decompressed at once. */
async function writeSlices(
  writable: WritableStream<BufferSource>,
  packed: Uint8Array,
  size: number,
): Promise<void> {
  const share = Math.ceil(packed.length * UNPACKED_AT_ONCE_BYTES / size);
  const length = Math.min(Math.max(share, START_BYTES), MAX_SLICE_BYTES);
  const writer = writable.getWriter();
  for (let at = 0; at < packed.length; at += length) {
    await writer.ready;
    await writer.write(packed.slice(at, at + length));
  }
  await writer.close();
}

/**
 * The first bytes of a stream's content, up to `length` (64 at most), without decompressing the rest. Zeros
 * or nothing follow the end of the content. The stream's checksum is not verified.
 */
export function unpackStart(packed: Uint8Array, length: number): Uint8Array {
  const isStored = (packed[2]! & 0b110) === 0;
  if (isStored) {
    const stored = packed[3]! | (packed[4]! << 8);
    return packed.subarray(STORED_DATA_AT, STORED_DATA_AT + Math.min(stored, length));
  }
  const out = new Uint8Array(length);
  try {
    // The end and the checksum of a truncated stream are missing, hence the exception.
    unzlibSync(packed.subarray(0, START_BYTES), { out });
  } catch {
    // The decompressed part is in `out`.
  }
  return out;
}

function unpackSmall(packed: Uint8Array, size: number): Uint8Array {
  const bytes = unpackShort(packed, size);
  return bytes !== undefined && hasChecksum(bytes, packed) ? bytes : unzlib(packed, size);
}

function unzlib(packed: Uint8Array, size: number): Uint8Array {
  if (packed.length < FRAME_BYTES) throw new RangeError("The stream is truncated");
  const bytes = unzlibSync(packed, { out: new Uint8Array(size) });
  if (bytes.length !== size) throw new RangeError(`Unpacked ${bytes.length} bytes in place of ${size}`);
  if (!hasChecksum(bytes, packed)) throw new RangeError("The checksum does not match");
  return bytes;
}

/** Whether the checksum at the end of a stream is that of its content. */
function hasChecksum(bytes: Uint8Array, packed: Uint8Array): boolean {
  const at = packed.length - CHECKSUM_BYTES;
  const high = packed[at]! << 8 | packed[at + 1]!;
  const low = packed[at + 2]! << 8 | packed[at + 3]!;
  return adler32(bytes) === high * 0x10000 + low;
}

/** Adler-32 of RFC 1950: two sums modulo 65521, reduced only as often as 31 bits require. */
function adler32(bytes: Uint8Array): number {
  const modulus = 65521;
  const stride = 3800;
  let a = 1;
  let b = 0;
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(at + stride, bytes.length);
    for (; at < end; at++) {
      a += bytes[at]!;
      b += a;
    }
    a %= modulus;
    b %= modulus;
  }
  return b * 0x10000 + a;
}
