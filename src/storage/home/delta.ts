/** Deltas of packs: instructions that build one object from another. */
import { DamagedError } from "../../errors.ts";
import { MAX_OBJECT_BYTES } from "./unpack.ts";

/** Bytes that hold a delta's two sizes at most; of larger numbers no more is read. */
export const DELTA_START_BYTES = 20;

/** What a delta says of itself before its instructions. */
export interface DeltaSizes {
  /** Bytes of the object it starts from. */
  readonly baseSize: number;
  /** Bytes of the object it makes. */
  readonly size: number;
  /** Where the instructions begin. */
  readonly at: number;
}

/**
 * Reads the sizes at a delta's start: numbers of seven bits a byte, the lowest first.
 *
 * @throws {DamagedError} when they are cut off or longer than any size of a file.
 */
export function readDeltaSizes(delta: Uint8Array): DeltaSizes {
  let at = 0;
  const next = () => {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = delta[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new DamagedError("A delta has no sizes");
  };
  return { baseSize: next(), size: next(), at };
}

/**
 * Builds the object that a delta describes.
 *
 * @throws {DamagedError} when the delta belongs to another base, copies from outside of it, or makes another size than it says. This
 *   is known before memory is taken for the result.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  const { baseSize, size, at: start } = readDeltaSizes(delta);
  if (baseSize !== base.length) throw new DamagedError("A delta belongs to another base");
  if (size > MAX_OBJECT_BYTES) throw new DamagedError(`An object of ${size} bytes is too large to be read`);
  let total = 0;
  run(delta, start, (from, length, fromBase) => {
    if (from + length > (fromBase ? base : delta).length) {
      throw new DamagedError("A delta copies what is not there");
    }
    total += length;
  });
  if (total !== size) throw new DamagedError(`A delta makes ${total} bytes in place of ${size}`);

  const result = new Uint8Array(size);
  let filled = 0;
  run(delta, start, (from, length, fromBase) => {
    result.set((fromBase ? base : delta).subarray(from, from + length), filled);
    filled += length;
  });
  return result;
}

/** Goes through the instructions: `step` learns which bytes come next, out of the base or out of the delta itself. */
function run(
  delta: Uint8Array,
  start: number,
  step: (from: number, length: number, fromBase: boolean) => void,
): void {
  for (let at = start; at < delta.length;) {
    const instruction = delta[at++]!;
    if (instruction === 0) throw new DamagedError("A delta has an unknown instruction");
    if (instruction < 0x80) {
      step(at, instruction, false);
      at += instruction;
      continue;
    }
    // The low bits tell which bytes of offset (four) and length (three) are written out; the others are zero.
    let from = 0;
    let length = 0;
    for (let i = 0; i < 4; i++) if (instruction & (1 << i)) from += delta[at++]! * 2 ** (8 * i);
    for (let i = 0; i < 3; i++) if (instruction & (0x10 << i)) length += delta[at++]! * 2 ** (8 * i);
    if (at > delta.length) throw new DamagedError("A delta is cut off");
    step(from, length || 0x10000, true);
  }
}
