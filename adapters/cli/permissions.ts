/** Permissions of the runtime that a command needs. Only Deno has them. */
import type { Needs } from "../deno/missing_permissions.ts";

/**
 * Checks what a command cannot do without.
 *
 * @returns One sentence on each permission whose absence costs something, all in one line; `undefined` when
 *   nothing is missing.
 * @throws {Error} with the options to run it with, when it cannot run.
 */
export async function checkPermissions(needs: Needs): Promise<string | undefined> {
  if (!("Deno" in globalThis)) return undefined;
  const { missingPermissions } = await import("../deno/missing_permissions.ts");
  const { required, optional } = missingPermissions(needs);
  if (required.length > 0) throw new Error(`Deno lacks permissions: run it with ${required.join(" ")}`);
  const losses = optional.map(({ options, loss }) => `without ${options.join(" ")} ${loss}`);
  return losses.length === 0 ? undefined : `Deno lacks permissions: ${losses.join("; ")}`;
}

/** Whether the files below a folder may be read and written. */
export async function mayUseFolder(path: string): Promise<boolean> {
  return !("Deno" in globalThis) || (await import("../deno/permission.ts")).mayUse(path);
}
