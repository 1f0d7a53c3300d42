/**
 * Where the entries of a pack begin, in ascending order. An index lists them by object id; sorting those of a
 * large pack at once would hold up the first request that reads it. So they are divided into parts of the
 * pack at first, and each part is sorted when it is needed.
 */

/** Bits of a place within its part of the pack. */
const PART_BITS = 16;
/** Longer parts, which only malformed packs have, are sorted by their digits: that takes linear time. */
const SHORT_PART = 2 ** 13;

/** The starts of a pack's entries, numbers below 2³². */
export class PackStarts {
  readonly #starts: Uint32Array<ArrayBuffer>;
  /** Where each part begins among the starts; one more at the end. */
  readonly #parts: Uint32Array;
  readonly #isSorted: Uint8Array;

  /**
   * @param count Number of entries.
   * @param startOf The start of the entry with a number, in any order.
   */
  constructor(count: number, startOf: (entry: number) => number) {
    let last = 0;
    for (let i = 0; i < count; i++) last = Math.max(last, startOf(i));
    const parts = new Uint32Array((last >>> PART_BITS) + 2);
    for (let i = 0; i < count; i++) parts[(startOf(i) >>> PART_BITS) + 1]!++;
    for (let i = 1; i < parts.length; i++) parts[i]! += parts[i - 1]!;
    const next = parts.slice();
    this.#starts = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const start = startOf(i);
      this.#starts[next[start >>> PART_BITS]!++] = start;
    }
    this.#parts = parts;
    this.#isSorted = new Uint8Array(parts.length);
  }

  /**
   * The start of the entry that follows the one at `start`, `Infinity` after the last; `undefined` when none
   * begins at `start`.
   */
  after(start: number): number | undefined {
    let part = start >>> PART_BITS;
    if (part + 1 >= this.#parts.length) return undefined;
    const starts = this.#sorted(part);
    const place = placeAfter(starts, start);
    if (place === undefined) return undefined;
    if (place < starts.length) return starts[place];
    while (++part + 1 < this.#parts.length) {
      if (this.#parts[part + 1]! > this.#parts[part]!) return this.#sorted(part)[0];
    }
    return Infinity;
  }

  #sorted(part: number): Uint32Array {
    const starts = this.#starts.subarray(this.#parts[part], this.#parts[part + 1]);
    if (this.#isSorted[part] === 1) return starts;
    this.#isSorted[part] = 1;
    if (starts.length <= SHORT_PART) return starts.sort();
    starts.set(sortByDigits(starts));
    return starts;
  }
}

/** The place behind a start in an ascending list of starts; `undefined` when the list does not have it. */
export function placeAfter(starts: Uint32Array | Float64Array, start: number): number | undefined {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= start) low = middle + 1;
    else high = middle;
  }
  return starts[low - 1] === start ? low : undefined;
}

/** Sorts by eleven bits at a time, lowest first. */
function sortByDigits(numbers: Uint32Array<ArrayBuffer>): Uint32Array {
  let [from, to] = [numbers.slice(), new Uint32Array(numbers.length)];
  for (const shift of [0, 11, 22]) {
    const places = new Uint32Array(2 ** 11 + 1);
    for (let i = 0; i < from.length; i++) places[(from[i]! >>> shift & 0x7ff) + 1]!++;
    for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
    for (let i = 0; i < from.length; i++) to[places[from[i]! >>> shift & 0x7ff]!++] = from[i]!;
    [from, to] = [to, from];
  }
  return from;
}
