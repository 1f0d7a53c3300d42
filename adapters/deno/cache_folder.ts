/** Node.js's cache folder, as far as Deno's permissions allow it: nobody is asked for more. */
import type { CacheFolder } from "../../mod.ts";
import { createCacheFolder as createFolder, usualCachePath as usualPath } from "../node/cache_folder.ts";
import { isGranted } from "./permission.ts";

/** The folder at `path`; when it may not be read and written, every call fails. */
export function createCacheFolder(path: string): CacheFolder {
  if (isUsable(path)) return createFolder(path);
  const refuse = () => {
    throw new Error(`Deno has no permission to read and write ${path}`);
  };
  return { read: refuse, write: refuse };
}

/** Where the command keeps its cache unless told otherwise; nowhere when that may not be read and written, or the variables not that tell. */
export function usualCachePath(): string | undefined {
  const path = usualPath((variable) =>
    isGranted({ name: "env", variable }) ? Deno.env.get(variable) : undefined
  );
  return path !== undefined && isUsable(path) ? path : undefined;
}

function isUsable(path: string): boolean {
  return isGranted({ name: "read", path }) && isGranted({ name: "write", path });
}
