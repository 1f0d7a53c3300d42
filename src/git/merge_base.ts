/** The commit from which two histories went apart. */
import { Turns } from "../time/turns.ts";
import { type CommitIndex, isIn } from "./commit_index.ts";

/** Commits that are looked at in one go: below a millisecond. */
const ROWS_AT_ONCE = 4096;

/**
 * The best common ancestor of two commits: one that is no ancestor of another common ancestor. Of several, as after merges crosswise, the newest
 * counts (as `git merge-base`); of those of one second the first in the history of `one`. Takes as many steps as there are commits, and lets
 * others through in between.
 *
 * @returns Its row; `undefined` when the commits have no history in common.
 */
export async function findMergeBase(
  index: CommitIndex,
  one: number,
  two: number,
): Promise<number | undefined> {
  const turns = new Turns();
  const [ofOne, ofTwo] = [await index.ancestors(one), await index.ancestors(two)];
  if (isIn(ofTwo, one)) return one;
  if (isIn(ofOne, two)) return two;
  const { size } = index;
  const covered = new Uint8Array((size + 7) >> 3);
  // What a common ancestor has as a parent is a common ancestor, too, and not the best.
  for (let row = 0; row < size; row++) {
    if (row % ROWS_AT_ONCE === 0) await turns.next();
    if (!isIn(ofOne, row) || !isIn(ofTwo, row)) continue;
    for (let i = 0; i < index.parentCount(row); i++) {
      const parent = index.parentOf(row, i);
      if (parent < size) covered[parent >> 3]! |= 1 << (parent & 7);
    }
  }
  let newest = -Infinity;
  const candidates = new Set<number>();
  for (let row = 0; row < size; row++) {
    if (row % ROWS_AT_ONCE === 0) await turns.next();
    if (!isIn(ofOne, row) || !isIn(ofTwo, row) || isIn(covered, row)) continue;
    const time = index.timeOf(row);
    if (time < newest) continue;
    if (time > newest) candidates.clear();
    newest = time;
    candidates.add(row);
  }
  if (candidates.size > 1) {
    const walk = index.walk(one);
    for (let position = 0;; position++) {
      const row = walk.at(position);
      if (row === undefined || candidates.has(row)) return row;
      if (position % ROWS_AT_ONCE === 0) await turns.next();
    }
  }
  return candidates.values().next().value;
}
