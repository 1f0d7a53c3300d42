/** Pauses in long work, in which others have their turn. */
import type { Pause } from "../diff/tree_diff.ts";

/** Time for which work goes on without a pause, in milliseconds: most comparisons that are made in place take less. */
export const TURN_MS = 10;

/** Work has had all its turns. */
export class TurnsOver extends Error {
  override readonly name = "TurnsOver";
}

/**
 * What work in this process calls between its steps.
 *
 * @param turns How many turns it may take; then calls throw {@link TurnsOver}.
 * @param now The clock, milliseconds.
 */
export function createPauses(turns = Infinity, now: () => number = () => performance.now()): Pause {
  let left = turns - 1;
  let turnEnds = now() + TURN_MS;
  return () => {
    if (now() < turnEnds) return undefined;
    if (left-- <= 0) throw new TurnsOver("This takes longer than it may");
    return new Promise((resume) =>
      setTimeout(() => {
        turnEnds = now() + TURN_MS;
        resume();
      }, 0)
    );
  };
}
