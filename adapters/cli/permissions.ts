/** Checks whether a command has the permissions that it needs. Only Deno has permissions. */
import type { Needs } from "../deno/missing_permissions.ts";

/**
 * Returns one line with the missing permissions and the features that need them; `undefined` when no
 * permission is missing.
 *
 * @throws {Error} when the command cannot run. The message names the required options of `deno run`.
 */
export async function checkPermissions(needs: Needs): Promise<string | undefined> {
  if (!("Deno" in globalThis)) return undefined;
  const { missingPermissions } = await import("../deno/missing_permissions.ts");
  const { required, optional } = missingPermissions(needs);
  if (required.length > 0) throw new Error(`Deno lacks permissions: run it with ${required.join(" ")}`);
  const losses = optional.map(({ options, loss }) => `without ${options.join(" ")} ${loss}`);
  return losses.length === 0 ? undefined : `Deno lacks permissions: ${losses.join("; ")}`;
}

/** Checks whether the files below a folder may be read and written. */
export async function mayUseFolder(path: string): Promise<boolean> {
  return !("Deno" in globalThis) || (await import("../deno/permission.ts")).mayUse(path);
}
