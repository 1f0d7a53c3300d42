/** Decompresses the zlib streams of a repository, and verifies their declared sizes. */
import { DamagedError, TooLargeError } from "../errors.ts";
import { MAX_LINK_FACTOR, OBJECT_LIMITS } from "./objects.ts";
import type { Inflate } from "../ports/compression.ts";
import type { Task } from "../scheduling/task.ts";

/** Maximum size of decompressed content, in bytes: room for the largest allowed base of a delta. */
export const MAX_UNPACKED_BYTES = MAX_LINK_FACTOR * Math.max(...Object.values(OBJECT_LIMITS)) + 2 ** 20;

/** Size above which content is decompressed in time slices if possible, in bytes. */
export const UNPACKED_AT_ONCE_BYTES = 2 ** 20;

/** Minimum and maximum number of compressed bytes that are written between two checks of the time slice. */
const MIN_SLICE_BYTES = 512;
const MAX_SLICE_BYTES = 2 ** 16;

/**
 * Maximum ratio of the content to the length of its stream. Deflate needs at least two bits for 258 bytes.
 */
const MAX_RATIO = 1032;

/** Allowed overhead of a stream for its frame, code tables and a few empty blocks, in bytes. */
const OVERHEAD_BYTES = 1024;

/**
 * Returns the number of compressed bytes that suffices for the first `length` bytes of content. The tables of
 * a block need less than 300 bytes, and each byte of content at most two.
 */
export function startBytes(length: number): number {
  return 384 + 2 * length;
}

/** Size of the checksum after the deflated data, in bytes. */
const CHECKSUM_BYTES = 4;

/**
 * Decompresses one zlib stream into exactly `size` bytes. `packed` must contain the whole stream and nothing
 * else.
 *
 * @throws {DamagedError} when the stream is malformed, or its content has another size.
 */
export type Unpack = (packed: Uint8Array, size: number) => Uint8Array;

/**
 * Content below this size, in bytes, is always decompressed in this module. The library of a runtime
 * allocates memory for each stream and releases it late.
 */
const SMALL_BYTES = 1024;

/**
 * Creates a function that decompresses with the given inflater, which must verify the checksum of the stream.
 * Without an inflater, this module decompresses.
 */
export function createUnpack(inflate: Inflate = unpackHere): Unpack {
  return (packed, size) => {
    checkPackedSize(packed.length, size);
    try {
      return size < SMALL_BYTES ? unpackHere(packed, size) : inflate(packed, size);
    } catch (cause) {
      throw new DamagedError("A zlib stream cannot be unpacked", { cause });
    }
  };
}

/**
 * Refuses implausible sizes before memory is allocated.
 *
 * @throws {TooLargeError} when the content would be too large.
 * @throws {DamagedError} when a valid stream cannot have these sizes.
 */
export function checkPackedSize(packedBytes: number, size: number): void {
  if (size > MAX_UNPACKED_BYTES) throw new TooLargeError(`Object is larger than ${MAX_UNPACKED_BYTES} bytes`);
  if (size > packedBytes * MAX_RATIO) {
    throw new DamagedError(`An object of ${size} bytes cannot be packed in ${packedBytes}`);
  }
  // The worst case of deflate without stored blocks is 9 bits for each byte.
  if (packedBytes > size * 1.25 + OVERHEAD_BYTES) {
    throw new DamagedError(`An object of ${size} bytes does not take ${packedBytes} when packed`);
  }
}

/**
 * Decompresses one whole zlib stream into exactly `size` bytes in time slices.
 *
 * @throws {DamagedError} when the stream is malformed, or its content has another size.
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
  // An error of the writer is handled below, unless the reader fails first.
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
  if (filled !== size) throw new DamagedError(`A zlib stream holds ${filled} bytes instead of ${size}`);
  return bytes;
}

/** Frees the memory of a chunk, unless the chunk is a part of a larger buffer that other code may use. */
function releaseWhole({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

/** Writes compressed bytes in slices. The content of a slice is about as large as one step may decompress. */
async function writeSlices(
  writable: WritableStream<BufferSource>,
  packed: Uint8Array,
  size: number,
): Promise<void> {
  const share = Math.ceil(packed.length * UNPACKED_AT_ONCE_BYTES / size);
  const length = Math.min(Math.max(share, MIN_SLICE_BYTES), MAX_SLICE_BYTES);
  const writer = writable.getWriter();
  for (let at = 0; at < packed.length; at += length) {
    await writer.ready;
    await writer.write(packed.slice(at, at + length));
  }
  await writer.close();
}

/**
 * Decompresses only the first bytes of the content of a stream into `room`, and returns these bytes. If the
 * content is shorter than `room`, all of the content is returned. The result is empty when the stream is
 * malformed. The checksum is not verified.
 *
 * @param packed The stream, or its first {@link startBytes}.
 */
export function unpackStart(packed: Uint8Array, room: Uint8Array): Uint8Array {
  return room.subarray(0, Math.max(stream.read(packed, room), 0));
}

function unpackHere(packed: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  if (stream.read(packed, bytes) !== size) {
    throw new RangeError("The stream is malformed, or of another size");
  }
  const at = packed.length - CHECKSUM_BYTES;
  const high = packed[at]! << 8 | packed[at + 1]!;
  const low = packed[at + 2]! << 8 | packed[at + 3]!;
  if (adler32(bytes) !== high * 0x10000 + low) throw new RangeError("The checksum does not match");
  return bytes;
}

/**
 * Returns the Adler-32 checksum of RFC 1950. The modulo operation is only done as often as 31-bit integers
 * require.
 */
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

/**
 * Maximum length of the codes, in bits, that are resolved with one table lookup. Longer codes are rare, and
 * larger tables take longer to fill.
 */
const LITERAL_BITS = 9;
const DISTANCE_BITS = 6;
const LENGTH_BITS = 7;
/** Maximum length of a code, in bits. */
const MAX_BITS = 15;
/**
 * Minimum number of loaded bits before a code is read. This number suffices for the longest code, and for the
 * start of a block.
 */
const NEEDED_BITS = 17;

const LITERALS = 286;
const DISTANCES = 30;
const END_OF_BLOCK = 256;
/**
 * Kind of an uncompressed block. Before its content, the block has the length and the complement of the
 * length.
 */
const STORED = 0;
const STORED_LENGTH_BYTES = 4;
const FIXED_CODES = 1;
const OWN_CODES = 2;
const HEADER_BYTES = 2;

/** The order in which a stream lists the lengths of the codes for code lengths. */
const LENGTHS_ORDER = Uint8Array.of(16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15);
/** The first symbol that repeats a code length. */
const FIRST_REPEAT = 16;
/** Minimum number of repetitions, for each symbol that repeats a code length. */
const REPEAT_BASE = Uint8Array.of(3, 3, 11);
/** Number of extra bits that encode further repetitions, for each symbol that repeats a code length. */
const REPEAT_EXTRA = Uint8Array.of(2, 3, 7);
/**
 * Number of extra bits and minimum length, for each symbol of a length. The tables for distances are
 * analogous.
 */
const LENGTH_EXTRA = Uint8Array.from({ length: 29 }, (_, i) => i === 28 ? 0 : Math.max(0, (i >> 2) - 1));
const LENGTH_BASE = basesOf(LENGTH_EXTRA, 3);
LENGTH_BASE[28] = 258;
const DISTANCE_EXTRA = Uint8Array.from({ length: DISTANCES }, (_, i) => Math.max(0, (i >> 1) - 1));
const DISTANCE_BASE = basesOf(DISTANCE_EXTRA, 1);

function basesOf(extra: Uint8Array, first: number): Uint16Array {
  let next = first;
  return Uint16Array.from(extra, (bits) => (next += 1 << bits) - (1 << bits));
}

/** All numbers of {@link LITERAL_BITS} bits with their bits in reverse order. */
const REVERSED = Uint16Array.from({ length: 1 << LITERAL_BITS }, (_, number) => {
  let reversed = 0;
  for (let bit = 0; bit < LITERAL_BITS; bit++) reversed |= (number >> bit & 1) << (LITERAL_BITS - 1 - bit);
  return reversed;
});

/** A prefix code. Most codes use only a fifth of the symbols, so only the used symbols are processed. */
class Code {
  /**
   * A table for short codes, by the next bits of the stream. An item is the symbol times 16, plus the length
   * of its code, or zero if no short code matches.
   */
  readonly fast: Uint16Array;
  readonly #fastBits: number;
  /** Number of codes of each length. */
  readonly #counts = new Uint16Array(MAX_BITS + 1);
  /** The used symbols in ascending order: each symbol times 16, plus the length of its code. */
  readonly #used: Uint16Array;
  #usedCount = 0;
  /** The items of `#used` in the order of their codes. */
  readonly #symbols: Uint16Array;
  readonly #places = new Uint16Array(MAX_BITS + 1);

  constructor(symbols: number, fastBits: number) {
    this.fast = new Uint16Array(1 << fastBits);
    this.#fastBits = fastBits;
    this.#used = new Uint16Array(symbols);
    this.#symbols = new Uint16Array(symbols);
  }

  clear(): void {
    this.#usedCount = 0;
    this.#counts.fill(0);
  }

  /** Adds a symbol and the length of its code. Symbols must be added in ascending order. */
  add(symbol: number, bits: number): void {
    this.#used[this.#usedCount++] = symbol << 4 | bits;
    this.#counts[bits]!++;
  }

  /**
   * Assigns codes to the symbols. Returns whether the code is valid: every sequence of bits begins with
   * exactly one of the assigned codes.
   *
   * @param mayBeShort Whether the code is also valid without any symbol, or with only one symbol whose code
   *   has one bit.
   */
  finish(mayBeShort = false): boolean {
    const { fast } = this;
    const counts = this.#counts;
    const used = this.#used;
    const symbols = this.#symbols;
    const places = this.#places;
    const fastBits = this.#fastBits;
    const usedCount = this.#usedCount;
    let left = 1;
    for (let bits = 1, place = 0; bits <= MAX_BITS; bits++) {
      left = (left << 1) - counts[bits]!;
      if (left < 0) return false;
      places[bits] = place;
      place += counts[bits]!;
    }
    if (left > 0 && !(mayBeShort && (usedCount === 0 || usedCount === 1 && counts[1] === 1))) return false;
    for (let i = 0; i < usedCount; i++) symbols[places[used[i]! & 15]!++] = used[i]!;
    // The table is built for codes of one length, and doubled for each further length.
    let at = 0;
    let size = 1;
    let code = 0;
    fast[0] = 0;
    for (let bits = 1; bits <= fastBits; bits++, size *= 2) {
      for (let i = 0; i < size; i++) fast[size + i] = fast[i]!;
      code <<= 1;
      for (const end = at + counts[bits]!; at < end; at++) {
        fast[REVERSED[code++ << (LITERAL_BITS - bits)]!] = symbols[at]!;
      }
    }
    return true;
  }

  /**
   * Finds the symbol whose code matches the next bits, without the table. Returns the symbol times 16, plus
   * the length of its code; zero if no code matches.
   */
  slow(bits: number): number {
    for (let length = 1, code = 0, first = 0, place = 0; length <= MAX_BITS; length++) {
      code |= bits & 1;
      bits >>= 1;
      const count = this.#counts[length]!;
      if (code - first < count) return this.#symbols[place + code - first]!;
      place += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return 0;
  }
}

const fixedLiterals = new Code(288, LITERAL_BITS);
const fixedDistances = new Code(32, DISTANCE_BITS);
for (let symbol = 0; symbol < 288; symbol++) {
  fixedLiterals.add(symbol, symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8);
}
for (let symbol = 0; symbol < 32; symbol++) fixedDistances.add(symbol, 5);
fixedLiterals.finish();
fixedDistances.finish();

/**
 * Reads one stream at a time (RFC 1951), synchronously. Libraries allocate new tables for each stream, which
 * takes as long as reading a short stream, and most commits and small folders have only some hundred bytes.
 * This class uses the same tables for all streams.
 */
class Stream {
  readonly #ownLiterals = new Code(LITERALS, LITERAL_BITS);
  readonly #ownDistances = new Code(DISTANCES, DISTANCE_BITS);
  readonly #lengthsCode = new Code(LENGTHS_ORDER.length, LENGTH_BITS);
  readonly #lengths = new Uint8Array(LENGTHS_ORDER.length);
  #packed: Uint8Array = new Uint8Array(0);
  /** Offset of the next byte of the stream. */
  #next = 0;
  /** Bits that were loaded from the stream and have not been used. The lowest bit is used next. */
  #hold = 0;
  #held = 0;

  /**
   * Decompresses a stream into `bytes` until they are full, and returns the length of the content. If the
   * content is longer than `bytes`, returns their length + 1. Returns -1 when the stream is malformed or ends
   * early.
   */
  read(packed: Uint8Array, bytes: Uint8Array): number {
    const method = packed[0] ?? 0;
    const flags = packed[1] ?? 0;
    const isDeflate = (method & 0x0f) === 8 && method <= 0x78;
    if (!isDeflate || (flags & 0x20) !== 0 || (method << 8 | flags) % 31 !== 0) return -1;
    this.#packed = packed;
    this.#next = HEADER_BYTES;
    this.#hold = this.#held = 0;
    let filled = 0;
    for (let isLast = false; !isLast;) {
      this.#fill();
      isLast = this.#take(1) === 1;
      const kind = this.#take(2);
      if (kind === OWN_CODES && this.#readCodes()) {
        filled = this.#readBlock(this.#ownLiterals, this.#ownDistances, bytes, filled);
      } else if (kind === FIXED_CODES) {
        filled = this.#readBlock(fixedLiterals, fixedDistances, bytes, filled);
      } else if (kind === STORED) {
        filled = this.#copyBlock(bytes, filled);
      } else {
        return -1;
      }
      if (filled < 0) return -1;
      if (filled > bytes.length) break;
    }
    const rest = packed.length - this.#next + (this.#held >> 3);
    return rest < (filled > bytes.length ? 0 : CHECKSUM_BYTES) ? -1 : filled;
  }

  /** Copies an uncompressed block. Returns the same values as {@link #readBlock}. */
  #copyBlock(bytes: Uint8Array, filled: number): number {
    const packed = this.#packed;
    const at = this.#next - (this.#held >> 3) + STORED_LENGTH_BYTES;
    this.#hold = this.#held = 0;
    if (at > packed.length) return -1;
    const length = packed[at - 4]! | packed[at - 3]! << 8;
    const check = packed[at - 2]! | packed[at - 1]! << 8;
    const copied = packed.subarray(at, at + Math.min(length, bytes.length - filled));
    bytes.set(copied, filled);
    this.#next = at + copied.length;
    if ((length ^ check) !== 0xffff) return -1;
    return filled + Math.min(length, copied.length + 1);
  }

  #fill(): void {
    while (this.#held < NEEDED_BITS) {
      this.#hold |= (this.#packed[this.#next++] ?? 0) << this.#held;
      this.#held += 8;
    }
  }

  #take(bits: number): number {
    const value = this.#hold & (1 << bits) - 1;
    this.#hold >>= bits;
    this.#held -= bits;
    return value;
  }

  /** Reads the code tables at the start of a block. Returns `false` if a code is not valid. */
  #readCodes(): boolean {
    const code = this.#lengthsCode;
    const ownLiterals = this.#ownLiterals;
    const ownDistances = this.#ownDistances;
    const literals = this.#take(5) + 257;
    const distances = this.#take(5) + 1;
    const listed = this.#take(4) + 4;
    if (literals > LITERALS || distances > DISTANCES) return false;
    const lengths = this.#lengths.fill(0);
    for (let i = 0; i < listed; i++) {
      this.#fill();
      lengths[LENGTHS_ORDER[i]!] = this.#take(3);
    }
    code.clear();
    for (let i = 0; i < lengths.length; i++) if (lengths[i]! > 0) code.add(i, lengths[i]!);
    if (!code.finish()) return false;
    ownLiterals.clear();
    ownDistances.clear();
    let hasEnd = false;
    for (let at = 0, last = 0, count = literals + distances; at < count;) {
      this.#fill();
      const entry = code.fast[this.#hold & (1 << LENGTH_BITS) - 1]!;
      this.#take(entry & 15);
      const symbol = entry >> 4;
      let end = at + 1;
      if (symbol < FIRST_REPEAT) {
        last = symbol;
      } else {
        const kind = symbol - FIRST_REPEAT;
        end = at + REPEAT_BASE[kind]! + this.#take(REPEAT_EXTRA[kind]!);
        if (end > count || kind === 0 && at === 0) return false;
        if (kind !== 0) last = 0;
      }
      if (last === 0) at = end;
      for (; at < end; at++) {
        if (at === END_OF_BLOCK) hasEnd = true;
        if (at < literals) ownLiterals.add(at, last);
        else ownDistances.add(at - literals, last);
      }
    }
    return hasEnd && ownLiterals.finish(true) && ownDistances.finish(true);
  }

  /**
   * Reads a block into `bytes`, starting at `filled`. Returns the offset after the block, or the same special
   * values as {@link read}.
   */
  #readBlock(literals: Code, distances: Code, bytes: Uint8Array, filled: number): number {
    const packed = this.#packed;
    const fastLiterals = literals.fast;
    const fastDistances = distances.fast;
    const size = bytes.length;
    // The state of the stream is in local variables, which take half of the time of members.
    let next = this.#next;
    let hold = this.#hold;
    let held = this.#held;
    for (;;) {
      for (; held < NEEDED_BITS; held += 8) hold |= (packed[next++] ?? 0) << held;
      const entry = fastLiterals[hold & (1 << LITERAL_BITS) - 1]! || literals.slow(hold);
      const symbol = entry >> 4;
      hold >>= entry & 15;
      held -= entry & 15;
      if (symbol < END_OF_BLOCK) {
        if (entry === 0) return -1;
        if (filled === size) {
          filled++;
          break;
        }
        bytes[filled++] = symbol;
        continue;
      }
      if (symbol === END_OF_BLOCK) break;
      const ofLength = symbol - END_OF_BLOCK - 1;
      if (ofLength >= LENGTH_BASE.length) return -1;
      for (; held < NEEDED_BITS; held += 8) hold |= (packed[next++] ?? 0) << held;
      const lengthBits = LENGTH_EXTRA[ofLength]!;
      const end = filled + LENGTH_BASE[ofLength]! + (hold & (1 << lengthBits) - 1);
      hold >>= lengthBits;
      held -= lengthBits;
      for (; held < NEEDED_BITS; held += 8) hold |= (packed[next++] ?? 0) << held;
      const place = fastDistances[hold & (1 << DISTANCE_BITS) - 1]! || distances.slow(hold);
      const ofDistance = place >> 4;
      if (place === 0 || ofDistance >= DISTANCES) return -1;
      hold >>= place & 15;
      held -= place & 15;
      for (; held < NEEDED_BITS; held += 8) hold |= (packed[next++] ?? 0) << held;
      const distanceBits = DISTANCE_EXTRA[ofDistance]!;
      const distance = DISTANCE_BASE[ofDistance]! + (hold & (1 << distanceBits) - 1);
      hold >>= distanceBits;
      held -= distanceBits;
      if (distance > filled) return -1;
      const stop = Math.min(end, size);
      for (; filled < stop; filled++) bytes[filled] = bytes[filled - distance]!;
      if (end > size) {
        filled++;
        break;
      }
    }
    this.#next = next;
    this.#hold = hold;
    this.#held = held;
    return filled;
  }
}

const stream = new Stream();
