/** Reads environment variables, and the paths that they contain. */
import { join } from "node:path";
import process from "node:process";
import { isGranted } from "../deno/permission.ts";

/** Reason in an error message when the environment variables name no home. */
export const NO_HOME_VARIABLE = "RAD_HOME and HOME are not set";

/** Checks whether an environment variable may be read. Only Deno can forbid reading. */
export function mayReadVariable(name: string): boolean {
  return !("Deno" in globalThis) || isGranted({ name: "env", variable: name });
}

/** Returns the value of an environment variable. A variable that Deno may not read is treated as absent. */
export function readVariable(name: string): string | undefined {
  return mayReadVariable(name) ? process.env[name] : undefined;
}

/**
 * Returns the path of the Radicle home: `RAD_HOME`, or `~/.radicle` without this variable. The home does not
 * have to exist. Returns `undefined` when neither `RAD_HOME` nor `HOME` is set.
 *
 * @throws {Error} when Deno forbids reading these variables. The message names the required option of Deno.
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
