/** Finds the end of an entry of a pack, which is the start of the next entry. */
import { firstWhere } from "../../bytes/bytes.ts";
import type { Steps } from "../../scheduling/task.ts";

/** Length of a part of a pack, in bytes. */
const PART = 2 ** 16;
/**
 * A part with more starts than this number is sorted in linear time, with a table of all offsets. Only
 * malformed packs have such parts.
 */
const SHORT_PART = 2 ** 13;

/** Number of starts that one step divides. A step takes less than a millisecond. */
const STARTS_AT_ONCE = 2 ** 14;

/**
 * The starts of the entries of a pack in ascending order. To sort all starts of a large pack at once would
 * delay the first request that reads the pack. So the starts are first divided by parts of the pack, and each
 * part is sorted when it is needed.
 */
export class PackStarts {
  readonly #starts: Uint32Array | Float64Array;
  /** For each part, the index of its first start, followed by the number of all starts. */
  readonly #parts: Uint32Array;
  readonly #isSorted: Uint8Array;

  private constructor(starts: Uint32Array | Float64Array, parts: Uint32Array) {
    this.#starts = starts;
    this.#parts = parts;
    this.#isSorted = new Uint8Array(parts.length);
  }

  /**
   * Divides starts in steps.
   *
   * @param count Number of entries.
   * @param startOf Returns the start of the entry with a number. Entries may be numbered in any order.
   * @param packSize Size of the pack. Starts at or beyond it are left out.
   */
  static *divide(
    count: number,
    startOf: (entry: number) => number,
    packSize: number,
  ): Steps<PackStarts> {
    const parts = new Uint32Array(Math.ceil(packSize / PART) + 1);
    for (let i = 0; i < count; i++) {
      const start = startOf(i);
      if (start < packSize) parts[Math.floor(start / PART) + 1]!++;
      if (i % STARTS_AT_ONCE === STARTS_AT_ONCE - 1) yield;
    }
    for (let i = 1; i < parts.length; i++) parts[i]! += parts[i - 1]!;
    const next = parts.slice();
    const starts = new (packSize <= 2 ** 32 ? Uint32Array : Float64Array)(parts.at(-1)!);
    for (let i = 0; i < count; i++) {
      const start = startOf(i);
      if (start < packSize) starts[next[Math.floor(start / PART)]!++] = start;
      if (i % STARTS_AT_ONCE === STARTS_AT_ONCE - 1) yield;
    }
    return new PackStarts(starts, parts);
  }

  /**
   * Returns the start of the entry after the entry at `start`; `Infinity` for the last entry; `undefined`
   * when no entry starts at `start`.
   */
  after(start: number): number | undefined {
    let part = Math.floor(start / PART);
    if (!(part >= 0 && part + 1 < this.#parts.length)) return undefined;
    const starts = this.#sorted(part);
    const place = firstWhere(starts.length, (at) => starts[at]! > start);
    if (starts[place - 1] !== start) return undefined;
    if (place < starts.length) return starts[place];
    while (++part + 1 < this.#parts.length) {
      if (this.#parts[part + 1]! > this.#parts[part]!) return this.#sorted(part)[0];
    }
    return Infinity;
  }

  #sorted(part: number): Uint32Array | Float64Array {
    const starts = this.#starts.subarray(this.#parts[part], this.#parts[part + 1]);
    if (this.#isSorted[part] === 1) return starts;
    this.#isSorted[part] = 1;
    if (starts.length <= SHORT_PART) return starts.sort();
    const isStart = new Uint8Array(PART);
    for (let i = 0; i < starts.length; i++) isStart[starts[i]! % PART] = 1;
    let found = 0;
    for (let at = 0; at < PART; at++) if (isStart[at] === 1) starts[found++] = part * PART + at;
    // If there were duplicates, the last start is repeated to fill the array.
    return starts.fill(starts[found - 1]!, found);
  }
}
