/**
 * Finds a shortest edit script between the lines of two texts by the algorithm of E. W. Myers, "An O(ND)
 * Difference Algorithm and Its Variations" (Algorithmica 1, 1986), in linear space (section 4b).
 *
 * Of several shortest scripts, finds the same script as libgit2. Therefore the order of the searches is
 * fixed, as determined by tests: the forward search comes before the backward search, both searches go
 * through the diagonals from the highest to the lowest, and the texts are split where the searches first
 * meet.
 */
import { assignLineIds } from "./line_ids.ts";
import type { ComparedLines } from "./lines.ts";
import { linesToSearch } from "./discard.ts";
import { slideGroups } from "./slide.ts";

/** Marks of lines: 1 for a deleted or added line, otherwise 0. */
export interface LineMarks {
  readonly deleted: Uint8Array;
  readonly added: Uint8Array;
}

/**
 * Maximum number of steps of a search from each end. A script may have up to twice as many changed lines, not
 * counting discarded lines. Above 256 steps libgit2 uses heuristics that this module does not have.
 */
export const MAX_SEARCH_STEPS = 250;

/**
 * Marks the lines that differ. Returns `undefined` when the texts differ too much, or when comparing takes
 * too much work.
 */
export function compareLines(texts: ComparedLines): LineMarks | undefined {
  const { old, new: now, first, oldEnd, newEnd } = texts;
  const marks: LineMarks = { deleted: new Uint8Array(old.count), added: new Uint8Array(now.count) };
  marks.deleted.fill(1, first, oldEnd);
  marks.added.fill(1, first, newEnd);
  if (first < oldEnd && first < newEnd) {
    const numbers = assignLineIds(texts);
    if (numbers === undefined) return undefined;
    const oldLines = linesToSearch(numbers.old, numbers.newCounts, old.count);
    const newLines = linesToSearch(numbers.new, numbers.oldCounts, now.count);
    const search = new Search(oldLines.ids, newLines.ids);
    if (!search.mark(0, oldLines.ids.length, 0, newLines.ids.length)) return undefined;
    setAt(marks.deleted, first, oldLines.places, search.deleted);
    setAt(marks.added, first, newLines.places, search.added);
  }
  const isSlid = slideGroups(old, marks.deleted, marks.added) && slideGroups(now, marks.added, marks.deleted);
  return isSlid ? marks : undefined;
}

/** Copies the marks of the searched lines to the marks of all lines. */
function setAt(marks: Uint8Array, first: number, places: Int32Array, found: Uint8Array): void {
  for (let i = 0; i < places.length; i++) marks[first + places[i]!] = found[i]!;
}

/** Values for diagonals that the forward or the backward search has not reached. */
const [BEFORE_ALL, BEHIND_ALL] = [-(2 ** 30), 2 ** 30];

/** Searches a shortest edit script between two arrays of line ids. */
class Search {
  readonly deleted: Uint8Array;
  readonly added: Uint8Array;
  readonly #old: Int32Array;
  readonly #new: Int32Array;
  /** Maximum number of steps from each end, at most {@link MAX_SEARCH_STEPS}. */
  readonly #steps: number;
  /** Furthest `x` of the search on each diagonal. The search begins on the diagonal at index `#steps + 1`. */
  readonly #forward: Int32Array;
  readonly #backward: Int32Array;

  constructor(old: Int32Array, now: Int32Array) {
    this.#old = old;
    this.#new = now;
    this.#steps = Math.min(MAX_SEARCH_STEPS, old.length + now.length + 1 >> 1);
    this.#forward = new Int32Array(2 * this.#steps + 3);
    this.#backward = new Int32Array(2 * this.#steps + 3);
    this.deleted = new Uint8Array(old.length);
    this.added = new Uint8Array(now.length);
  }

  /**
   * Marks the differing ids in parts of both arrays. Returns `false` when too many ids differ. Each call
   * halves the script, so the recursion depth is logarithmic.
   */
  mark(oldStart: number, oldEnd: number, newStart: number, newEnd: number): boolean {
    const [old, now] = [this.#old, this.#new];
    while (oldStart < oldEnd && newStart < newEnd && old[oldStart] === now[newStart]) {
      oldStart++;
      newStart++;
    }
    while (oldStart < oldEnd && newStart < newEnd && old[oldEnd - 1] === now[newEnd - 1]) {
      oldEnd--;
      newEnd--;
    }
    if (oldStart === oldEnd || newStart === newEnd) {
      this.deleted.fill(1, oldStart, oldEnd);
      this.added.fill(1, newStart, newEnd);
      return true;
    }
    const meeting = this.#meet(oldStart, oldEnd, newStart, newEnd);
    if (meeting === undefined) return false;
    const { x, y } = meeting;
    return this.mark(oldStart, x, newStart, y) && this.mark(x, oldEnd, y, newEnd);
  }

  /**
   * Returns the point on a shortest script where the searches from both ends meet: `x` is the index in the
   * old array, `y` the index in the new array. Returns `undefined` after too many steps.
   */
  #meet(
    oldStart: number,
    oldEnd: number,
    newStart: number,
    newEnd: number,
  ): { x: number; y: number } | undefined {
    const [old, now, forward, backward] = [this.#old, this.#new, this.#forward, this.#backward];
    // The number of a diagonal is x - y. Each search counts from the diagonal where it begins.
    const [firstDiagonal, lastDiagonal] = [oldStart - newStart, oldEnd - newEnd];
    const [lowest, highest] = [oldStart - newEnd, oldEnd - newStart];
    const isOdd = ((lastDiagonal - firstDiagonal) & 1) !== 0;
    const middle = this.#steps + 1;
    const [toForward, toBackward] = [middle - firstDiagonal, middle - lastDiagonal];
    forward.fill(BEFORE_ALL);
    backward.fill(BEHIND_ALL);
    forward[middle + 1] = oldStart;
    backward[middle - 1] = oldEnd;
    for (let step = 0; step <= this.#steps; step++) {
      const [forwardTop, forwardBottom] = [firstDiagonal + step, firstDiagonal - step];
      const [backwardTop, backwardBottom] = [lastDiagonal + step, lastDiagonal - step];
      for (let diagonal = forwardTop; diagonal >= forwardBottom; diagonal -= 2) {
        if (diagonal > highest || diagonal < lowest) continue;
        const at = diagonal + toForward;
        const [deleting, adding] = [forward[at - 1]! + 1, forward[at + 1]!];
        let x = adding - diagonal > newEnd || deleting > adding && deleting <= oldEnd ? deleting : adding;
        let y = x - diagonal;
        if (x < oldStart || x > oldEnd) {
          forward[at] = BEFORE_ALL;
          continue;
        }
        while (x < oldEnd && y < newEnd && old[x] === now[y]) {
          x++;
          y++;
        }
        forward[at] = x;
        if (
          isOdd && diagonal < backwardTop && diagonal > backwardBottom &&
          x >= backward[diagonal + toBackward]!
        ) {
          return { x, y };
        }
      }
      for (let diagonal = backwardTop; diagonal >= backwardBottom; diagonal -= 2) {
        if (diagonal > highest || diagonal < lowest) continue;
        const at = diagonal + toBackward;
        const [deleting, adding] = [backward[at + 1]! - 1, backward[at - 1]!];
        let x = adding - diagonal < newStart || deleting < adding && deleting >= oldStart ? deleting : adding;
        let y = x - diagonal;
        if (x < oldStart || x > oldEnd) {
          backward[at] = BEHIND_ALL;
          continue;
        }
        while (x > oldStart && y > newStart && old[x - 1] === now[y - 1]) {
          x--;
          y--;
        }
        backward[at] = x;
        if (
          !isOdd && diagonal <= forwardTop && diagonal >= forwardBottom && x <= forward[diagonal + toForward]!
        ) {
          return { x, y };
        }
      }
    }
    return undefined;
  }
}
