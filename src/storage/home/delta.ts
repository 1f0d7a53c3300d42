/** Deltas of packs: instructions that build one object from another. */
import { DamagedError } from "../../errors.ts";

/** Bytes that hold a delta's two sizes at most; of larger numbers no more is read. */
export const DELTA_START_BYTES = 20;

/** Shorter pieces are copied byte by byte, which takes less time than a view of them. */
const SHORT_BYTES = 48;

/** What an instruction counts beside the bytes that it copies. */
const INSTRUCTION_COST = 16;

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
  return new DeltaWork(base, delta).step(Infinity)!;
}

/** Builds an object in steps: the instructions are followed twice, first to learn whether they are sound. */
export class DeltaWork {
  readonly #base: Uint8Array;
  readonly #delta: Uint8Array;
  readonly #sizes: DeltaSizes;
  #at: number;
  #made = 0;
  readonly #allocate: (size: number) => Uint8Array;
  /** Absent until the instructions were found sound. */
  #result: Uint8Array | undefined;

  /**
   * @param allocate Gives the memory for the object, whatever it holds.
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
   * Does work worth that many bytes copied, about, or what is left of it.
   *
   * @returns The object, when it is made.
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

  /** Follows instructions; tells what is left of the work, or nothing while there are more of them. */
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
        // The low bits tell which bytes of offset (four) and length (three) are written out; the others are zero.
        source = base;
        from = length = 0;
        for (let i = 0; i < 4; i++) if (instruction & (1 << i)) from += delta[at++]! * 2 ** (8 * i);
        for (let i = 0; i < 3; i++) if (instruction & (0x10 << i)) length += delta[at++]! * 2 ** (8 * i);
        if (at > delta.length) throw new DamagedError("A delta is cut off");
        length ||= 0x10000;
      }
      work -= INSTRUCTION_COST;
      if (result === undefined) {
        if (from + length > source.length) throw new DamagedError("A delta copies what is not there");
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
