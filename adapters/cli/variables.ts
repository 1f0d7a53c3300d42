/** Environment variables, and the paths that they name. */
import { join } from "node:path";
import process from "node:process";
import { isGranted } from "../deno/permission.ts";

/** An environment variable; on Deno one that may not be read is one that is not set. */
export function readVariable(name: string): string | undefined {
  if ("Deno" in globalThis && !isGranted({ name: "env", variable: name })) return undefined;
  return process.env[name];
}

/** The Radicle home that the environment names: `RAD_HOME`, else `~/.radicle`, which need not exist. */
export function usualHome(): string | undefined {
  const named = readVariable("RAD_HOME");
  if (named) return named;
  const user = readVariable("HOME");
  return user ? join(user, ".radicle") : undefined;
}
