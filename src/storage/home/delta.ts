/** Deltas of packs: instructions that build an object from its base. */
import { DamagedError } from "../../errors.ts";

/** Maximum length of a delta's two sizes; longer numbers are refused. */
export const DELTA_START_BYTES = 20;

/** Shorter pieces are copied byte by byte, which is faster than creating a view. */
const SHORT_BYTES = 48;

/** Cost of an instruction, besides the bytes that it copies. */
const INSTRUCTION_COST = 16;

/** The header of a delta. */
export interface DeltaSizes {
  /** Size of the base, in bytes. */
  readonly baseSize: number;
  /** Size of the result, in bytes. */
  readonly size: number;
  /** Position of the first instruction. */
  readonly at: number;
}

/**
 * Reads the sizes at a delta's start: numbers of seven bits per byte, lowest first.
 *
 * @throws {DamagedError} when they are truncated, or larger than any file.
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
 * Applies a delta to its base.
 *
 * @throws {DamagedError} when the delta belongs to another base, copies from outside of it, or has another
 *   size than it declares. This is checked before memory is allocated for the result.
 */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Uint8Array {
  return new DeltaWork(base, delta).step(Infinity)!;
}

/** Applies a delta in steps, in two passes: the first one validates the instructions. */
export class DeltaWork {
  readonly #base: Uint8Array;
  readonly #delta: Uint8Array;
  readonly #sizes: DeltaSizes;
  #at: number;
  #made = 0;
  readonly #allocate: (size: number) => Uint8Array;
  /** `undefined` until the instructions are validated. */
  #result: Uint8Array | undefined;

  /**
   * @param allocate Allocates the result; the memory need not be zeroed.
   * @throws {DamagedError} when the delta belongs to another base.
   */
  constructor(
    base: Uint8Array,
    delta: Uint8Array,
    allocate: (size: number) => Uint8Array = (size) => new Uint8Array(size),
  ) {
    this.#base = base;
    this.#delta = delta;
    this.#allocate = allocate;
    this.#sizes = readDeltaSizes(delta);
    this.#at = this.#sizes.at;
    if (this.#sizes.baseSize !== base.length) throw new DamagedError("A delta belongs to another base");
  }

  /**
   * Does about as much work as copying this many bytes takes, or the rest.
   *
   * @returns The object, when it is complete.
   * @throws {DamagedError}
   */
  step(work: number): Uint8Array | undefined {
    if (this.#result === undefined) {
      const left = this.#follow(work);
      if (left === undefined) return undefined;
      const { size, at } = this.#sizes;
      if (this.#made !== size) {
        throw new DamagedError(`A delta makes ${this.#made} bytes in place of ${size}`);
      }
      this.#result = this.#allocate(size);
      this.#at = at;
      this.#made = 0;
      work = left;
    }
    return this.#follow(work) === undefined ? undefined : this.#result;
  }

  /** Runs instructions; returns the remaining work at the end of a pass, `undefined` before. */
  #follow(work: number): number | undefined {
    const delta = this.#delta;
    const base = this.#base;
    const result = this.#result;
    let at = this.#at;
    let made = this.#made;
    while (at < delta.length) {
      if (work <= 0) {
        this.#at = at;
        this.#made = made;
        return undefined;
      }
      const instruction = delta[at++]!;
      if (instruction === 0) throw new DamagedError("A delta has an unknown instruction");
      let source = delta;
      let from = at;
      let length = instruction;
      if (instruction < 0x80) {
        at += instruction;
      } else {
        // The low bits select the bytes of offset (four) and length (three) that are present; absent ones are
        // zero.
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
    this.#at = at;
    this.#made = made;
    return work;
  }
}
