/** Node.js's cache folder, as far as Deno's permissions allow it: nobody is asked for more, and without them nothing is kept. */
import type { CacheFolder } from "../../mod.ts";
import { createCacheFolder as createFolder, usualCachePath as usualPath } from "../node/cache_folder.ts";

/** The folder at `path`; empty for ever when it may not be read and written. */
export function createCacheFolder(path: string): CacheFolder {
  return isGranted({ name: "read", path }) && isGranted({ name: "write", path })
    ? createFolder(path)
    : { read: () => undefined, write: () => {} };
}

/** Where the command keeps its cache unless told otherwise; nowhere when the variables that tell may not be read. */
export function usualCachePath(): string | undefined {
  return usualPath((variable) => isGranted({ name: "env", variable }) ? Deno.env.get(variable) : undefined);
}

function isGranted(permission: Deno.PermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}
