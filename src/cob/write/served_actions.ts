/** Actions that a client may send: those of February 2024, or those of later programs, too. */
import type { Rules } from "../rules.ts";

/**
 * Actions that a dialect of the interface has. `all` includes actions, targets of patches and reactions that
 * were added after February 2024.
 */
export type ServedActions = "early" | "all";

/** Whether an action that was added after February 2024 may be written: all rules in force must know it. */
export function mayBeLater(rules: readonly Rules[], served: ServedActions): boolean {
  return served === "all" && rules.every(({ knowsLaterActions }) => knowsLaterActions);
}
