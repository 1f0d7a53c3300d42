import type { Task } from "../scheduling/task.ts";
import type { Integer } from "../text/integers.ts";
import { type CommitGraph, isIn } from "./commit_graph.ts";

/** Number of commits that are processed in one step, which takes less than a millisecond. */
const ROWS_AT_ONCE = 4096;

/**
 * Finds the best common ancestor of two commits: a common ancestor that is not an ancestor of another common
 * ancestor. If several best ancestors exist, for instance after criss-cross merges, the newest is chosen, as
 * in `git merge-base`. If several have the same time, the first one in the history of `one` is chosen. The
 * search takes time linear in the number of commits, and yields in between.
 *
 * @returns The row of the ancestor; `undefined` when the commits have no common history.
 */
export async function findMergeBase(
  graph: CommitGraph,
  one: number,
  two: number,
  task: Task,
): Promise<number | undefined> {
  const ofOne = await graph.ancestors(one);
  const ofTwo = await graph.ancestors(two);
  if (isIn(ofTwo, one)) return one;
  if (isIn(ofOne, two)) return two;
  const { commits } = graph;
  const { size } = commits;
  const covered = new Uint8Array((size + 7) >> 3);
  // The parents of a common ancestor are also common ancestors, but never the best.
  for (let row = 0; row < size; row++) {
    if (row % ROWS_AT_ONCE === 0) await task.yield();
    if (!isIn(ofOne, row) || !isIn(ofTwo, row)) continue;
    for (let i = 0; i < commits.parentCount(row); i++) {
      const parent = commits.parentOf(row, i);
      if (parent < size) covered[parent >> 3]! |= 1 << (parent & 7);
    }
  }
  let newest: Integer = -Infinity;
  const candidates = new Set<number>();
  for (let row = 0; row < size; row++) {
    if (row % ROWS_AT_ONCE === 0) await task.yield();
    if (!isIn(ofOne, row) || !isIn(ofTwo, row) || isIn(covered, row)) continue;
    const time = commits.exactTimeOf(row);
    if (time < newest) continue;
    if (time > newest) candidates.clear();
    newest = time;
    candidates.add(row);
  }
  if (candidates.size > 1) {
    const walk = graph.walk(one);
    for (let position = 0;; position++) {
      const row = walk.at(position);
      if (row === undefined || candidates.has(row)) return row;
      if (position % ROWS_AT_ONCE === 0) await task.yield();
    }
  }
  return candidates.values().next().value;
}
