/** Merge sort in steps, for very long arrays. */
import type { Task } from "./task.ts";

/** Items sorted in one step: a few milliseconds. */
const RUN_LENGTH = 2048;

/** Items merged, or compared with their predecessor, between checks of the task. */
const STEP_LENGTH = 4096;

/** Sorts items, stably. Returns the given array itself if it is already sorted. */
export async function sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  task: Task,
): Promise<readonly T[]> {
  if (await isSorted(items, compare, task)) return items;
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    runs.push(items.slice(start, start + RUN_LENGTH).sort(compare));
    await task.yield();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(await merge(runs[i]!, runs[i + 1] ?? [], compare, task));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function isSorted<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  task: Task,
): Promise<boolean> {
  for (let i = 1; i < items.length; i++) {
    if (compare(items[i - 1]!, items[i]!) > 0) return false;
    if (i % STEP_LENGTH === 0) await task.yield();
  }
  return true;
}

async function merge<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  task: Task,
): Promise<T[]> {
  const merged: T[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const takesA = j === b.length || i < a.length && compare(a[i]!, b[j]!) <= 0;
    merged.push(takesA ? a[i++]! : b[j++]!);
    if (merged.length % STEP_LENGTH === 0) await task.yield();
  }
  return merged;
}
