/** Pauses in long work, in which others have their turn. */
import type { Pause } from "../diff/tree_diff.ts";

/** Time for which work goes on without a pause, in milliseconds: most comparisons that are made in place take less. */
export const TURN_MS = 10;

/**
 * What work in this process calls between its steps.
 *
 * @param now The clock, milliseconds.
 */
export function createPauses(now: () => number = () => performance.now()): Pause {
  let turnEnds = now() + TURN_MS;
  return () => {
    if (now() < turnEnds) return undefined;
    return new Promise((resume) =>
      setTimeout(() => {
        turnEnds = now() + TURN_MS;
        resume();
      }, 0)
    );
  };
}
