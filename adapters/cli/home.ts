/** The home that a command line means. */
import { resolve } from "node:path";
import { usualHome } from "./variables.ts";
import { demoHomePath } from "./demo.ts";

/** Options that name a home. */
export interface NamedHome {
  /** Path of a home as it was written. */
  readonly home?: string;
  /** Whether the demo home is meant. */
  readonly demo?: true;
}

/**
 * The absolute path of the home that was named, else of the usual one; it need not exist.
 *
 * @throws {Error} with a message for the operator without any.
 */
export function findHome({ home, demo }: NamedHome): string {
  const found = demo ? demoHomePath() : home ?? usualHome();
  if (found === undefined) throw new Error("No Radicle home was named: use --home DIR, RAD_HOME or --demo");
  return resolve(found);
}
