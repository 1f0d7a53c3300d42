/** Unpacking the zlib streams of a repository, with the sizes they claim held against what is there. */
import { unzlibSync } from "fflate";
import { DamagedError } from "../../errors.ts";
import type { Inflate } from "../../ports/inflate.ts";

/** The largest object that is read, in bytes: its content must fit in memory in one piece. Kind and size are told of any. */
export const MAX_OBJECT_BYTES = 2 ** 30;

/** Deflate spends at least two bits on each 258 bytes, so no honest stream unpacks to more than this many times its length. */
const MAX_RATIO = 1032;

/** Room that every stream may take beyond its share: frame, code tables, a few useless blocks. */
const OVERHEAD_BYTES = 1024;

/** How many packed bytes {@link unpackStart} looks at: the tables of a block need less than 300, 64 symbols at most 120. */
export const START_BYTES = 512;

/** Bytes of zlib's frame: two before the deflated data, a checksum of four after. */
const FRAME_BYTES = 6;

/** The first byte with the type of a block, then the four that give a stored block's length. */
const STORED_DATA_AT = 7;

/** Unpacks one whole zlib stream, `packed` from its first byte to its last, into exactly `size` bytes, or throws {@link DamagedError}. */
export type Unpack = (packed: Uint8Array, size: number) => Uint8Array;

/**
 * Below this size, in bytes, fflate unpacks whatever inflater is given: as fast, where a machine's library is made ready for each stream anew and
 * leaves memory behind that is not given back for long.
 */
export const SMALL_BYTES = 1024;

/** Unpacks with the given inflater, which has to verify the stream's checksum. Default: fflate. */
export function createUnpack(inflate: Inflate = unzlib): Unpack {
  return (packed, size) => {
    checkPackedSize(packed.length, size);
    try {
      return size < SMALL_BYTES ? unzlib(packed, size) : inflate(packed, size);
    } catch (cause) {
      throw new DamagedError("A zlib stream cannot be unpacked", { cause });
    }
  };
}

/**
 * Refuses sizes that no honest writer produces, before memory is taken for them.
 *
 * @throws {DamagedError} when the content would be too large to be read, or cannot have been packed into so few or so many bytes.
 */
export function checkPackedSize(packedBytes: number, size: number): void {
  if (size > MAX_OBJECT_BYTES) throw new DamagedError(`An object of ${size} bytes is too large to be read`);
  if (size > packedBytes * MAX_RATIO) {
    throw new DamagedError(`An object of ${size} bytes cannot be packed in ${packedBytes}`);
  }
  // Deflate's worst case without stored blocks is 9 bits per byte.
  if (packedBytes > size * 1.25 + OVERHEAD_BYTES) {
    throw new DamagedError(`An object of ${size} bytes does not take ${packedBytes} when packed`);
  }
}

/**
 * The first bytes of what a zlib stream holds, up to `length` (64 at most), found without unpacking the rest; zeros or nothing
 * follow the end of the content. The stream's checksum is not verified.
 */
export function unpackStart(packed: Uint8Array, length: number): Uint8Array {
  const isStored = (packed[2]! & 0b110) === 0;
  if (isStored) {
    const stored = packed[3]! | (packed[4]! << 8);
    return packed.subarray(STORED_DATA_AT, STORED_DATA_AT + Math.min(stored, length));
  }
  const out = new Uint8Array(length);
  try {
    // The checksum, which fflate cuts off unread, is not within reach of a cut stream; neither is its end, hence the exception.
    unzlibSync(packed.subarray(0, START_BYTES), { out });
  } catch {
    // What could be unpacked is in `out`.
  }
  return out;
}

function unzlib(packed: Uint8Array, size: number): Uint8Array {
  if (packed.length < FRAME_BYTES) throw new RangeError("The stream is cut off");
  const bytes = unzlibSync(packed, { out: new Uint8Array(size) });
  if (bytes.length !== size) throw new RangeError(`Unpacked ${bytes.length} bytes in place of ${size}`);
  const sum = new DataView(packed.buffer, packed.byteOffset + packed.length - 4).getUint32(0);
  if (adler32(bytes) !== sum) throw new RangeError("The checksum does not fit");
  return bytes;
}

/** Checksum of RFC 1950: two sums modulo 65521, reduced only as often as 31 bits demand. */
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
