/** The commit from which two histories went apart. */
import type { CommitIndex } from "./commit_index.ts";

/**
 * The best common ancestor of two commits: one that is no ancestor of another common ancestor. Of several, as after merges crosswise, the newest
 * counts (as `git merge-base`); of those of one second the first in the history of `one`.
 *
 * @returns Its row; `undefined` when the commits have no history in common.
 */
export function findMergeBase(index: CommitIndex, one: number, two: number): number | undefined {
  if (index.contains(two, one)) return one;
  if (index.contains(one, two)) return two;
  const shared: number[] = [];
  const covered = new Uint8Array(index.size);
  for (let row = 0; row < index.size; row++) {
    if (!index.contains(one, row) || !index.contains(two, row)) continue;
    shared.push(row);
    // What a common ancestor has as a parent is a common ancestor, too, and not the best.
    for (const parent of index.parentsOf(row)) covered[parent] = 1;
  }
  const best = shared.filter((row) => covered[row] === 0);
  const newest = best.reduce((time, row) => Math.max(time, index.timeOf(row)), -Infinity);
  const candidates = new Set(best.filter((row) => index.timeOf(row) === newest));
  if (candidates.size > 1) {
    for (const row of index.walk(one)) if (candidates.has(row)) return row;
  }
  return candidates.values().next().value;
}
