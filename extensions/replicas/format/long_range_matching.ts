/**
 * Long-range matching: replaces repeated bytes of a block before it is compressed. Deflate finds a match at
 * most 32 KiB back, but versions of a file or folder are further apart in a block.
 *
 * ```text
 * u32 size of the steps in bytes | steps | literals
 * step: varint number of literals to take | varint number of bytes to copy | varint distance back, from 1
 * ```
 *
 * The literals that remain after the last step are the end of the result. A varint has seven bits in each
 * byte, the lowest bits first.
 */
import { DamagedError, firstWhere } from "../../../src/mod.ts";

/** Size of the first field, which gives the size of the steps, in bytes. */
const STEPS_LENGTH_BYTES = 4;
/**
 * Minimum length of a match that is replaced, in bytes. This is more than the length of an id, and more than
 * the length of the step that copies the match.
 */
export const LEAST_MATCH_BYTES = 24;
/** Size of the window whose hash is used to find matches, in bytes. */
const WINDOW = 16;
/**
 * Distance between two windows whose offsets are put into the hash table, in bytes. So a match of at least
 * this length plus {@link WINDOW} contains a window from the table, unless a later window has replaced that
 * window in the table.
 */
const STRIDE = 4;
const TABLE_BITS = 17;
/**
 * Multiplier of the rolling hash, an odd number. `LEAVING` is this multiplier to the power of {@link WINDOW}.
 * With it, the byte that leaves the window is removed from the hash.
 */
const FACTOR = 0x2c1b3c6d;
const LEAVING = power(FACTOR, WINDOW);
/** Memory use of a piece of {@link MatchedBytes}, in bytes. */
const PIECE_BYTES = 8;
/** Multiplier that spreads the hashes over the table (Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1;

/**
 * Replaces repeated bytes. The result depends only on the bytes.
 *
 * @returns `undefined` when the result would not be shorter.
 */
export function replaceMatches(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const steps: number[] = [];
  const literals = new Uint8Array(bytes.length);
  let literalBytes = 0;
  const places = new Int32Array(2 ** TABLE_BITS).fill(-1);
  /** End of the bytes that steps and literals already describe. */
  let done = 0;
  let hash = 0;
  for (let i = 0; i < Math.min(WINDOW, bytes.length); i++) hash = Math.imul(hash, FACTOR) + bytes[i]! | 0;
  for (let at = 0; at + WINDOW <= bytes.length; at++) {
    const slot = Math.imul(hash, SPREAD) >>> 32 - TABLE_BITS;
    const place = places[slot]!;
    if (place >= 0 && at >= done) {
      let length = 0;
      while (at + length < bytes.length && bytes[place + length] === bytes[at + length]) length++;
      let before = 0;
      while (at - before > done && place > before && bytes[place - before - 1] === bytes[at - before - 1]) {
        before++;
      }
      if (length + before >= LEAST_MATCH_BYTES) {
        const start = at - before;
        literals.set(bytes.subarray(done, start), literalBytes);
        literalBytes += start - done;
        pushVarint(steps, start - done);
        pushVarint(steps, length + before);
        pushVarint(steps, at - place);
        done = at + length;
      }
    }
    if (at % STRIDE === 0) places[slot] = at;
    if (at + WINDOW < bytes.length) {
      hash = Math.imul(hash, FACTOR) + bytes[at + WINDOW]! - Math.imul(LEAVING, bytes[at]!) | 0;
    }
  }
  literals.set(bytes.subarray(done), literalBytes);
  literalBytes += bytes.length - done;
  const length = STEPS_LENGTH_BYTES + steps.length + literalBytes;
  if (length >= bytes.length) return undefined;
  const result = new Uint8Array(length);
  new DataView(result.buffer).setUint32(0, steps.length);
  result.set(steps, STEPS_LENGTH_BYTES);
  result.set(literals.subarray(0, literalBytes), STEPS_LENGTH_BYTES + steps.length);
  return result;
}

/**
 * Restores the bytes that {@link replaceMatches} has replaced. Memory and work are at most proportional to
 * the length of `coded` plus the length of the result.
 *
 * @param size Expected length of the result, in bytes.
 * @throws {DamagedError} when the result has another length, or when a step refers to bytes that do not
 *   exist.
 */
export function restoreMatches(coded: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  readSteps(coded, size, (source, literals, length, distance) => {
    bytes.set(coded.subarray(source, source + literals), at);
    at += literals;
    if (distance >= length) bytes.copyWithin(at, at - distance, at - distance + length);
    else for (let i = 0; i < length; i++) bytes[at + i] = bytes[at + i - distance]!;
    at += length;
  });
  return bytes;
}

/**
 * Returns the same bytes as {@link restoreMatches}, but each part is restored only when it is read. So the
 * time to read one object of a block depends on the size of the object, not of the block. And the block takes
 * memory for its literals, not for the repeated bytes. If the list of pieces would take more memory than this
 * saves, all bytes are restored at once.
 *
 * @throws {DamagedError} as {@link restoreMatches}.
 */
export function partsWithMatches(coded: Uint8Array, size: number): MatchedBytes | Uint8Array<ArrayBuffer> {
  const pieces = new Pieces(Math.floor((size - coded.length) / PIECE_BYTES));
  readSteps(coded, size, (source, literals, length, distance) => {
    if (pieces.areTooMany) return;
    pieces.add(source, literals);
    pieces.repeat(pieces.end - distance, length);
  });
  return pieces.areTooMany ? restoreMatches(coded, size) : new MatchedBytes(coded, pieces);
}

/** Restored bytes, described by pieces. Each piece is a range of the literals. */
export class MatchedBytes {
  readonly #coded: Uint8Array;
  /** Offset of each piece in the restored bytes; the last element is the length of the restored bytes. */
  readonly #starts: Uint32Array;
  /** Offset of each piece in the coded bytes. */
  readonly #sources: Uint32Array;

  constructor(coded: Uint8Array, { starts, sources, end }: Pieces) {
    this.#coded = coded;
    this.#starts = new Uint32Array([...starts, end]);
    this.#sources = new Uint32Array(sources);
  }

  get length(): number {
    return this.#starts.at(-1)!;
  }

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return this.#coded.length + PIECE_BYTES * this.#sources.length;
  }

  /** Returns a copy of the bytes from `start` to `end`, exclusive. `start` must not be greater than `end`. */
  slice(start: number, end: number): Uint8Array<ArrayBuffer> {
    const coded = this.#coded;
    const starts = this.#starts;
    const sources = this.#sources;
    const bytes = new Uint8Array(end - start);
    let piece = firstWhere(sources.length, (piece) => starts[piece]! > start) - 1;
    for (let at = start; at < end; piece++) {
      const source = sources[piece]! + at - starts[piece]!;
      const next = Math.min(end, starts[piece + 1]!);
      bytes.set(coded.subarray(source, source + next - at), at - start);
      at = next;
    }
    return bytes;
  }
}

/** Collects the pieces. A piece consists only of literals. */
class Pieces {
  readonly starts: number[] = [];
  readonly sources: number[] = [];
  readonly #limit: number;
  /** End of the last piece in the restored bytes. */
  end = 0;

  /** @param limit Maximum number of pieces. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether there are more pieces than the limit. The list is then incomplete. */
  get areTooMany(): boolean {
    return this.sources.length > this.#limit;
  }

  /**
   * Adds a range of the coded bytes. If it directly follows the range of the last piece, it extends that
   * piece.
   */
  add(source: number, length: number): void {
    const last = this.sources.length - 1;
    const follows = last >= 0 && this.sources[last]! + this.end - this.starts[last]! === source;
    if (length > 0 && !follows) {
      this.starts.push(this.end);
      this.sources.push(source);
    }
    this.end += length;
  }

  /**
   * Repeats restored bytes. The range of the repeated bytes begins before the end of the last piece, and may
   * extend beyond this end.
   */
  repeat(from: number, length: number): void {
    const { starts, sources } = this;
    const stop = from + length;
    let piece = firstWhere(starts.length, (piece) => starts[piece]! > from) - 1;
    for (let at = from; at < stop && !this.areTooMany; piece++) {
      const next = Math.min(stop, starts[piece + 1] ?? this.end);
      this.add(sources[piece]! + at - starts[piece]!, next - at);
      at = next;
    }
  }
}

/**
 * Reads the steps. The literals after the last step are reported as a step that copies nothing.
 *
 * @param onStep Called with the offset of the literals, their number, and the length and the distance of the
 *   match that follows them. All values are within bounds.
 * @throws {DamagedError} as {@link restoreMatches}.
 */
function readSteps(
  coded: Uint8Array,
  size: number,
  onStep: (source: number, literals: number, length: number, distance: number) => void,
): void {
  const stepBytes = coded.length < STEPS_LENGTH_BYTES
    ? Infinity
    : new DataView(coded.buffer, coded.byteOffset, coded.length).getUint32(0);
  const stepsEnd = STEPS_LENGTH_BYTES + stepBytes;
  if (stepsEnd > coded.length) throw broken();
  let step = STEPS_LENGTH_BYTES;
  let literal = stepsEnd;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      if (step >= stepsEnd) throw broken();
      const byte = coded[step++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw broken();
  };
  while (step < stepsEnd) {
    const literals = varint();
    const length = varint();
    const distance = varint();
    if (literals > coded.length - literal || literals + length > size - at) throw broken();
    if (distance === 0 || distance > at + literals) throw broken();
    onStep(literal, literals, length, distance);
    literal += literals;
    at += literals + length;
  }
  if (coded.length - literal !== size - at) throw broken();
  onStep(literal, size - at, 0, 0);
}

function pushVarint(bytes: number[], value: number): void {
  let left = value;
  for (; left >= 0x80; left >>>= 7) bytes.push(left & 0x7f | 0x80);
  bytes.push(left);
}

function power(factor: number, exponent: number): number {
  let result = 1;
  for (let i = 0; i < exponent; i++) result = Math.imul(result, factor);
  return result;
}

function broken(): DamagedError {
  return new DamagedError("The matches of a block are damaged");
}
