/** What is left out of the comparison, since we and the real programs are known to differ there. To be empty. */
import type { Generation } from "../../support/programs.ts";

/** Names of oddities as `systematic.ts` has them, and of members of `Features`, by generation. */
export const LEFT_OUT: Readonly<Record<Generation, ReadonlySet<string>>> = {
  "0.10": new Set([]),
  newest: new Set([]),
};
