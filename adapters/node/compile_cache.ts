/**
 * Lets Node.js save the compiled code of modules in the cache folder, so that the next start is faster.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { isOwn } from "./user_id.ts";

/** Name of the folder for compiled code within the cache folder. */
export const COMPILE_CACHE_NAME = "compiled";

/**
 * Maximum size of the folder in bytes, about ten times the size of the compiled code of one version. A
 * process that finds a larger folder when it ends removes the folder.
 */
export const MAX_COMPILE_CACHE_BYTES = 2 ** 26;

/** Mode of the folder. Node.js executes the files, so other users must not be able to write to the folder. */
const PRIVATE_MODE = 0o700;
/** Permission bits of all users except the owner. */
const FOREIGN_BITS = 0o077;
/** Write permission bits of all users except the owner. */
const FOREIGN_WRITE_BITS = 0o022;
/** The sticky bit of a folder. With this bit, users can remove only their own files. */
const SHARED_BIT = 0o1000;

interface ModuleWithCache {
  enableCompileCache?(folder: string): unknown;
  /**
   * Returns the path of the folder for this release of Node.js, inside the folder of `enableCompileCache`.
   */
  getCompileCacheDir?(): string | undefined;
}

/**
 * Makes Node.js save compiled code, and use the code that an earlier process has saved. Modules that were
 * imported before this call are not saved.
 *
 * Has no effect on other runtimes, or when one of the variables `NODE_COMPILE_CACHE` and
 * `NODE_DISABLE_COMPILE_CACHE` is set. Has no effect when the folder cannot be written, or when other users
 * could write to the folder.
 *
 * Node.js checks that each saved file belongs to its module, and writes each file in one step. So several
 * processes can share the folder.
 *
 * @param findCachePath Returns the path of the cache folder, which is made if it is missing. Called on
 * Node.js only.
 */
export function enableCompileCache(findCachePath: () => string | undefined): void {
  if ("Deno" in globalThis || "Bun" in globalThis) return;
  const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: disabled } = process.env;
  const { enableCompileCache: enable }: ModuleWithCache = process.getBuiltinModule("node:module");
  if (chosen || disabled || enable === undefined) return;
  const cachePath = findCachePath();
  if (cachePath === undefined) return;
  const folder = join(cachePath, COMPILE_CACHE_NAME);
  try {
    mkdirSync(cachePath, { recursive: true, mode: PRIVATE_MODE });
    if (!isSafe(cachePath)) return;
    removeIfUnusable(folder);
    mkdirSync(folder, { recursive: true, mode: PRIVATE_MODE });
    if (!closeFolder(folder)) return;
    enable(folder);
  } catch {
    return; // Without the folder, the next start only takes longer.
  }
  process.once("exit", () => removeIfUnusable(folder));
}

/**
 * Returns environment variables so that a worker uses the same compiled code. Returns no variables if this
 * thread uses no saved code.
 */
export function compileCacheVariables(): Readonly<Record<string, string>> {
  if ("Deno" in globalThis || "Bun" in globalThis) return {};
  const { getCompileCacheDir }: ModuleWithCache = process.getBuiltinModule("node:module");
  const folder = getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Removes a folder if its files have more than `maxBytes` in total, or if it contains links, pipes or
 * devices, because reading a pipe or a device may never end. Never throws.
 */
export function removeIfUnusable(folder: string, maxBytes: number = MAX_COMPILE_CACHE_BYTES): void {
  try {
    let total = 0;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      total += entry.isFile() ? lstatSync(join(entry.parentPath, entry.name)).size : Infinity;
    }
    if (total > maxBytes) rmSync(folder, { recursive: true, force: true });
  } catch {
    // The folder does not exist, or another process is removing it.
  }
}

/** Checks whether only this user and the system can replace files in a folder. */
function isSafe(path: string): boolean {
  const { mode, uid } = statSync(path);
  const isShared = (mode & SHARED_BIT) !== 0;
  return (isOwn(uid) || uid === 0) && (isShared || (mode & FOREIGN_WRITE_BITS) === 0);
}

/**
 * Removes the permissions of other users from a folder of this user. Returns `false` if the path is not a
 * folder or belongs to another user.
 */
function closeFolder(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory() || !isOwn(found.uid)) return false;
  if ((found.mode & FOREIGN_BITS) !== 0) chmodSync(path, PRIVATE_MODE);
  return true;
}
