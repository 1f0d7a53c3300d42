/**
 * Discards lines before the search for a shortest edit script: lines that the other text does not have
 * (unmatched), and, as libgit2 does, lines that it has very often (frequent) among unmatched ones, such as
 * braces and blank lines in the middle of new text.
 */

/** Lines before and after a frequent line that decide whether it is discarded. */
const WINDOW_LINES = 100;

/**
 * Unmatched lines around a frequent line, per frequent line there, above which it is discarded. The line
 * itself counts twice.
 */
const UNMATCHED_PER_FREQUENT = 3;

const ORDINARY = 0;
/** The other text has no such line. */
const UNMATCHED = 1;
/** The other text has many such lines. */
const FREQUENT = 2;

/**
 * Indexes of the differing lines that are not discarded. The thresholds were determined by tests of libgit2
 * with generated texts.
 *
 * @param numbers Ids of the differing lines.
 * @param counts Number of occurrences of each id in the whole other text.
 * @param textLines Number of lines in the whole text of the differing lines.
 */
export function linesToSearch(numbers: Int32Array, counts: Int32Array, textLines: number): Int32Array {
  const threshold = frequentFrom(textLines);
  const kinds = new Uint8Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const count = counts[numbers[i]!]!;
    if (count === 0) kinds[i] = UNMATCHED;
    else if (count >= threshold) kinds[i] = FREQUENT;
  }
  const remaining = new Int32Array(numbers.length);
  let length = 0;
  for (let i = 0; i < kinds.length; i++) {
    if (kinds[i] === ORDINARY || kinds[i] === FREQUENT && !isAmongUnmatched(kinds, i)) {
      remaining[length++] = i;
    }
  }
  return remaining.subarray(0, length);
}

/** The count that makes a line frequent: the least power of two above the square root of the line count. */
function frequentFrom(textLines: number): number {
  let threshold = 1;
  for (let left = textLines; left > 0; left = left >> 2) threshold *= 2;
  return threshold;
}

/**
 * Whether a frequent line has unmatched lines on both sides, without an ordinary line in between, and more
 * than {@link UNMATCHED_PER_FREQUENT} of them for each frequent line there.
 */
function isAmongUnmatched(kinds: Uint8Array, place: number): boolean {
  let frequent = 2;
  const unmatchedTowards = (step: 1 | -1): number => {
    let unmatched = 0;
    for (let distance = 1; distance <= WINDOW_LINES; distance++) {
      const kind = kinds[place + step * distance];
      if (kind === undefined || kind === ORDINARY) break;
      if (kind === UNMATCHED) unmatched++;
      else frequent++;
    }
    return unmatched;
  };
  const [before, after] = [unmatchedTowards(-1), unmatchedTowards(1)];
  return before > 0 && after > 0 && before + after > UNMATCHED_PER_FREQUENT * frequent;
}
