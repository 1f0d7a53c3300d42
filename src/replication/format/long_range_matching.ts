/**
 * Long-range matching: replaces repeated bytes of a block before it is compressed. Deflate matches 32 KiB
 * back at most, and versions of a file or folder lie further apart.
 *
 * ```text
 * u32 bytes of the steps | steps | literals
 * step: varint literals taken next | varint bytes copied | varint distance back, from 1
 * ```
 *
 * Literals follow the last step to the end. A varint has seven bits in each byte, the lowest first.
 */
import { DamagedError } from "../../errors.ts";

/** Bytes of the length before the steps. */
const STEPS_LENGTH_BYTES = 4;
/** Shortest match that is taken out, in bytes: it is longer than an id, and than the step that copies it. */
export const LEAST_MATCH_BYTES = 24;
/** Bytes by which matches are found. */
const WINDOW = 16;
/** At every so many bytes a place is put into the table: a match of the sum of both numbers is found. */
const STRIDE = 4;
const TABLE_BITS = 17;
/** Multiplier of the rolling hash, odd, and its power that belongs to the byte that leaves the window. */
const FACTOR = 0x2c1b3c6d;
const LEAVING = power(FACTOR, WINDOW);
/** Spreads hashes over the table (Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1;

/**
 * Replaces matches; the same for the same bytes.
 *
 * @returns `undefined` when the result is not shorter.
 */
export function replaceMatches(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const steps: number[] = [];
  const literals = new Uint8Array(bytes.length);
  let literalBytes = 0;
  const places = new Int32Array(2 ** TABLE_BITS).fill(-1);
  /** End of what has been written. */
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
 * Puts matches back.
 *
 * @param size The length of the result, in bytes: memory and work are at most in proportion to both lengths.
 * @throws {DamagedError} when the result has another length, or a step leads out of what is there.
 */
export function restoreMatches(coded: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const stepBytes = coded.length < STEPS_LENGTH_BYTES
    ? Infinity
    : new DataView(coded.buffer, coded.byteOffset, coded.length).getUint32(0);
  const stepsEnd = STEPS_LENGTH_BYTES + stepBytes;
  if (stepsEnd > coded.length) throw broken();
  const bytes = new Uint8Array(size);
  let [step, literal, at] = [STEPS_LENGTH_BYTES, stepsEnd, 0];
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
    bytes.set(coded.subarray(literal, literal + literals), at);
    literal += literals;
    at += literals;
    if (distance === 0 || distance > at) throw broken();
    if (distance >= length) bytes.copyWithin(at, at - distance, at - distance + length);
    else for (let i = 0; i < length; i++) bytes[at + i] = bytes[at + i - distance]!;
    at += length;
  }
  if (coded.length - literal !== size - at) throw broken();
  bytes.set(coded.subarray(literal), at);
  return bytes;
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
