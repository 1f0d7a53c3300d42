/** Deltas of packs (pack-format of git): instructions that build an object from its base. */
import { DamagedError } from "../../errors.ts";
import { runSync, type Steps } from "../../scheduling/task.ts";

/** Number of bytes of work on a delta between two checks of the time slice. */
export const DELTA_STEP_BYTES = 2 ** 20;

/** Maximum length of the two sizes at the start of a delta, in bytes. Longer numbers are refused. */
export const DELTA_START_BYTES = 20;

/** Shorter pieces, in bytes, are copied byte by byte, which is faster than creating a view. */
const SHORT_BYTES = 48;

/** Cost of an instruction in addition to the bytes that it copies, in bytes. */
const INSTRUCTION_COST = 16;

/** The header of a delta. */
export interface DeltaSizes {
  /** Size of the base, in bytes. */
  readonly baseSize: number;
  /** Size of the result, in bytes. */
  readonly size: number;
  /** Offset of the first instruction. */
  readonly at: number;
}

/**
 * Reads the two sizes at the start of a delta. Each is a number of seven bits per byte, the lowest bits
 * first.
 *
 * @throws {DamagedError} when a size is cut off, or is larger than any file.
 */
export function readDeltaSizes(delta: Uint8Array): DeltaSizes {
  const sizes = [0, 0];
  let at = 0;
  for (let number = 0, scale = 1; number < 2;) {
    const byte = delta[at++];
    if (byte === undefined || scale > 2 ** 49) throw new DamagedError("A delta has no sizes");
    sizes[number]! += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) {
      number++;
      scale = 1;
    }
  }
  return { baseSize: sizes[0]!, size: sizes[1]!, at };
}

/** Applies a delta to its base in one step, see {@link applyDeltaInSteps}. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  return runSync(applyDeltaInSteps(base, delta));
}

/**
 * Applies a delta to its base in two passes. The first pass only validates the instructions.
 *
 * @throws {DamagedError} when the delta belongs to another base, copies from outside of the base, or makes
 *   another size than it declares. This is checked before memory is allocated for the result.
 */
export function* applyDeltaInSteps(base: Uint8Array, delta: Uint8Array): Steps<Uint8Array> {
  const { baseSize, size, at: start } = readDeltaSizes(delta);
  if (baseSize !== base.length) throw new DamagedError("A delta belongs to another base");
  /** The result; `undefined` in the first pass. */
  let result: Uint8Array | undefined;
  for (let work = DELTA_STEP_BYTES;;) {
    let made = 0;
    for (let at = start; at < delta.length;) {
      if (work <= 0) {
        work = DELTA_STEP_BYTES;
        yield;
      }
      const instruction = delta[at++]!;
      if (instruction === 0) throw new DamagedError("A delta has an unknown instruction");
      let source = delta;
      let from = at;
      let length = instruction;
      if (instruction < 0x80) {
        at += instruction;
      } else {
        // The low bits of the instruction tell which bytes of the offset (four) and of the length (three)
        // follow. The other bytes are zero.
        source = base;
        from = length = 0;
        for (let i = 0; i < 4; i++) if (instruction & (1 << i)) from += delta[at++]! * 2 ** (8 * i);
        for (let i = 0; i < 3; i++) if (instruction & (0x10 << i)) length += delta[at++]! * 2 ** (8 * i);
        if (at > delta.length) throw new DamagedError("A delta is truncated");
        length ||= 0x10000;
      }
      work -= INSTRUCTION_COST;
      if (result === undefined) {
        if (from + length > source.length) throw new DamagedError("A delta copies from outside of its base");
        made += length;
        continue;
      }
      work -= length;
      if (length >= SHORT_BYTES) {
        result.set(source.subarray(from, from + length), made);
        made += length;
      } else {
        for (const end = made + length; made < end;) result[made++] = source[from++]!;
      }
    }
    if (result !== undefined) return result;
    if (made !== size) throw new DamagedError(`A delta makes ${made} bytes instead of ${size}`);
    result = new Uint8Array(size);
  }
}
