/** Pauses in comparisons that are made in this process, for others to have their turn. */
import type { Pause } from "../diff/diff_plan.ts";
import type { Turns } from "../time/turns.ts";

/** A comparison has had all its turns. */
export class TurnsOver extends Error {
  override readonly name = "TurnsOver";
}

/** What a comparison calls between its steps: it waits for its next turn when one is over, and fails with {@link TurnsOver} after so many of them. */
export function createPauses(turns: Turns, most: number, group?: string): Pause {
  let left = most - 1;
  return () => {
    const pause = turns.next(group);
    if (pause !== undefined && left-- <= 0) throw new TurnsOver("This takes longer than it may");
    return pause;
  };
}
