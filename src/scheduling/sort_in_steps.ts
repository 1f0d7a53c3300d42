/** Merge sort in steps, for very long arrays. */
import type { Steps } from "./task.ts";

/**
 * Number of items in a run. The JavaScript engine sorts each run without a pause. Then the runs are merged.
 */
const RUN_LENGTH = 64;

/** Number of items merged or compared in one step. A comparison may take microseconds. */
const STEP_LENGTH = 256;

/** Sorts items, stably. Returns the given array itself if it is already sorted. */
export function* sortInSteps<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  if (yield* isSorted(items, compare)) return items;
  const { length } = items;
  // Two arrays take turns, because new arrays for each pair of runs would create much garbage.
  let from = new Array<T>(length);
  let to = new Array<T>(length);
  for (let start = 0; start < length; start += RUN_LENGTH) {
    let at = start;
    for (const item of items.slice(start, start + RUN_LENGTH).sort(compare)) from[at++] = item;
    yield;
  }
  for (let run = RUN_LENGTH; run < length; run *= 2) {
    let at = 0;
    for (let start = 0; start < length; start += 2 * run) {
      const middle = Math.min(start + run, length);
      const end = Math.min(middle + run, length);
      for (let i = start, j = middle; i < middle || j < end;) {
        const takesFirst = j === end || i < middle && compare(from[i]!, from[j]!) <= 0;
        to[at++] = from[takesFirst ? i++ : j++]!;
        if (at % STEP_LENGTH === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function* isSorted<T>(items: readonly T[], compare: (a: T, b: T) => number): Steps<boolean> {
  for (let i = 1; i < items.length; i++) {
    if (compare(items[i - 1]!, items[i]!) > 0) return false;
    if (i % STEP_LENGTH === 0) yield;
  }
  return true;
}
