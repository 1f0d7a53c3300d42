/**
 * Discards lines before the search for a shortest edit script. Unmatched lines, which the other text does not
 * have, are discarded. Frequent lines among unmatched lines are discarded as in libgit2, such as braces and
 * blank lines in the middle of new text.
 */

/** Number of lines before and after a frequent line that decide whether it is discarded. */
const WINDOW_LINES = 100;

/**
 * Number of unmatched lines for each frequent line. If the lines around a frequent line have more unmatched
 * lines, the frequent line is discarded. The discarded line itself counts as two frequent lines.
 */
const UNMATCHED_PER_FREQUENT = 3;

/** Kind of a line that is neither unmatched nor frequent. */
const ORDINARY = 0;
/** Kind of a line that the other text does not have. */
const UNMATCHED = 1;
/** Kind of a line that the other text has very often. */
const FREQUENT = 2;

export interface SearchedLines {
  /** Indexes of the remaining lines in the list of differing lines. */
  readonly places: Int32Array;
  readonly ids: Int32Array;
}

/**
 * Returns the differing lines that are not discarded. The thresholds were determined by tests of libgit2 with
 * generated texts.
 *
 * @param numbers Ids of the differing lines of one text.
 * @param counts Number of occurrences of each id in the other text.
 * @param textLines Number of lines in the whole text to which the differing lines belong.
 */
export function linesToSearch(numbers: Int32Array, counts: Int32Array, textLines: number): SearchedLines {
  const threshold = frequentFrom(textLines);
  const kinds = new Uint8Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const count = counts[numbers[i]!]!;
    if (count === 0) kinds[i] = UNMATCHED;
    else if (count >= threshold) kinds[i] = FREQUENT;
  }
  const isDiscarded = discardedAmong(kinds);
  const [places, ids] = [new Int32Array(numbers.length), new Int32Array(numbers.length)];
  let length = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === UNMATCHED || kinds[i] === FREQUENT && isDiscarded(i)) continue;
    places[length] = i;
    ids[length++] = numbers[i]!;
  }
  return { places: places.subarray(0, length), ids: ids.subarray(0, length) };
}

/**
 * Returns the minimum number of occurrences of a frequent line: the first power of two above the square root
 * of the line count.
 */
function frequentFrom(textLines: number): number {
  let threshold = 1;
  for (let left = textLines; left > 0; left = left >> 2) threshold *= 2;
  return threshold;
}

/**
 * Returns a predicate that checks whether to discard a frequent line. The frequent line must have unmatched
 * lines on both sides, without an ordinary line in between, and more than {@link UNMATCHED_PER_FREQUENT}
 * unmatched lines for each frequent line. Each call takes constant time.
 */
function discardedAmong(kinds: Uint8Array): (place: number) => boolean {
  const { length } = kinds;
  /** Number of unmatched lines before each index. */
  const unmatched = new Int32Array(length + 1);
  /**
   * For each index, `starts` has the index after the previous ordinary line, and `ends` has the index of the
   * next ordinary line.
   */
  const [starts, ends] = [new Int32Array(length), new Int32Array(length)];
  for (let i = 0, start = 0; i < length; i++) {
    unmatched[i + 1] = unmatched[i]! + (kinds[i] === UNMATCHED ? 1 : 0);
    starts[i] = start;
    if (kinds[i] === ORDINARY) start = i + 1;
  }
  for (let i = length - 1, end = length; i >= 0; i--) {
    if (kinds[i] === ORDINARY) end = i;
    ends[i] = end;
  }
  return (place) => {
    const start = Math.max(starts[place]!, place - WINDOW_LINES);
    const end = Math.min(ends[place]!, place + WINDOW_LINES + 1);
    const before = unmatched[place]! - unmatched[start]!;
    const after = unmatched[end]! - unmatched[place]!;
    const frequent = end - start - before - after + 1;
    return before > 0 && after > 0 && before + after > UNMATCHED_PER_FREQUENT * frequent;
  };
}
