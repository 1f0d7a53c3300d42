/** Reads environment variables, and the paths that they contain. */
import { join } from "node:path";
import process from "node:process";
import { isGranted } from "../deno/permission.ts";

/** Reason in an error message when the environment variables name no home. */
export const NO_HOME_VARIABLE = "RAD_HOME and HOME are not set";

/** Checks whether an environment variable may be read. Only Deno can forbid reading environment variables. */
export function mayReadVariable(name: string): boolean {
  return !("Deno" in globalThis) || isGranted({ name: "env", variable: name });
}

/**
 * Returns the value of an environment variable. On Deno, a variable that may not be read is treated as
 * absent.
 */
export function readVariable(name: string): string | undefined {
  return mayReadVariable(name) ? process.env[name] : undefined;
}

/**
 * Returns the path of the Radicle home. It is the value of `RAD_HOME`. If this variable is not set, it is
 * `~/.radicle`. The home does not have to exist. Returns `undefined` when neither `RAD_HOME` nor `HOME` is
 * set.
 *
 * @throws {Error} when Deno forbids reading these variables. The message names the option of Deno that is
 *   required.
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
