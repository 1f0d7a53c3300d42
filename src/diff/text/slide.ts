/**
 * Chooses one of several equivalent positions for a group of changed lines, such as a deleted function with
 * the blank line before it or after it. The rule was determined by tests of libgit2 with all small texts.
 */
import { areEqualLines, lengthOf, type Lines } from "./lines.ts";

/**
 * Maximum work for one text: the number of compared bytes divided by the number of bytes and lines of the
 * text. Usual texts need less than one.
 */
export const MAX_SLIDING_FACTOR = 16;
/** Number of bytes that may be compared in addition to {@link MAX_SLIDING_FACTOR}. */
const FREE_SLIDING_BYTES = 1024;

/**
 * Moves each group of marked lines down to the last position that is next to changes of the other text.
 * Without such a position, moves the group down as far as possible. Groups that meet are merged. Returns
 * `false` when moving takes too much work.
 */
export function slideGroups(
  text: Lines,
  marks: Uint8Array,
  otherMarks: Uint8Array,
  factor = MAX_SLIDING_FACTOR,
): boolean {
  const { count } = text;
  const opposite = changedGaps(otherMarks);
  let bytesLeft = FREE_SLIDING_BYTES + factor * (text.bytes.length + count);
  const areEqual = (a: number, b: number): boolean => {
    bytesLeft -= 1 + lengthOf(text, a);
    return bytesLeft > 0 && areEqualLines(text, a, text, b);
  };
  /** Number of unmarked lines before the group, which is its position in the other text. */
  let before = 0;
  for (let end = 0;;) {
    let start = marks.indexOf(1, end);
    if (start < 0 || bytesLeft <= 0) return bytesLeft > 0;
    before += start - end;
    for (end = start; marks[end] === 1;) end++;
    let size: number;
    let wanted: number | undefined;
    do {
      size = end - start;
      while (start > 0 && areEqual(start - 1, end - 1)) {
        marks[--start] = 1;
        marks[--end] = 0;
        before--;
        while (start > 0 && marks[start - 1] === 1) start--;
      }
      wanted = opposite[before] === 1 ? before : undefined;
      while (end < count && areEqual(start, end)) {
        marks[start++] = 0;
        marks[end++] = 1;
        before++;
        while (marks[end] === 1) end++;
        if (opposite[before] === 1) wanted = before;
      }
    } while (end - start !== size);
    for (; wanted !== undefined && before > wanted; before--) {
      marks[--start] = 1;
      marks[--end] = 0;
    }
  }
}

/**
 * Returns an array with an item for each number of unmarked lines. The item at index `n` is 1 if marked lines
 * follow directly after the first `n` unmarked lines, otherwise 0.
 */
function changedGaps(marks: Uint8Array): Uint8Array {
  const gaps = new Uint8Array(marks.length + 1);
  let unmarked = 0;
  for (const mark of marks) {
    if (mark === 1) gaps[unmarked] = 1;
    else unmarked++;
  }
  return gaps;
}
