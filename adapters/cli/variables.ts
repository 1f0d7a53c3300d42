/** Environment variables, and the paths that they name. */
import { join } from "node:path";
import process from "node:process";
import { isGranted } from "../deno/permission.ts";

/** Why the environment names no home. */
export const NO_HOME_VARIABLE = "neither RAD_HOME nor HOME is set";

/** Whether an environment variable may be read, which only Deno refuses. */
export function mayReadVariable(name: string): boolean {
  return !("Deno" in globalThis) || isGranted({ name: "env", variable: name });
}

/** An environment variable; on Deno one that may not be read is one that is not set. */
export function readVariable(name: string): string | undefined {
  return mayReadVariable(name) ? process.env[name] : undefined;
}

/**
 * The Radicle home that the environment names: `RAD_HOME`, else `~/.radicle`, which need not exist;
 * `undefined` when neither `RAD_HOME` nor `HOME` is set.
 *
 * @throws {Error} with the option to run it with, when Deno forbids to read them.
 */
export function usualHome(): string | undefined {
  const named = readVariable("RAD_HOME");
  if (named) return named;
  const user = readVariable("HOME");
  if (user) return join(user, ".radicle");
  if (["RAD_HOME", "HOME"].every(mayReadVariable)) return undefined;
  throw new Error(
    "Deno lacks permissions: run it with --allow-env=RAD_HOME,HOME, or name the home with --home DIR",
  );
}
