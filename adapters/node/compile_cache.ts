/**
 * Lets Node.js save the compiled code of the command's modules in the cache folder, so that the next start
 * does not have to strip types, parse and compile again.
 * https://nodejs.org/api/module.html#module-compile-cache
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { isOwn } from "./user_id.ts";

/** Name of the folder for compiled code within the cache folder. */
export const COMPILE_CACHE_NAME = "compiled";

/**
 * Maximum size of the folder in bytes, about ten times the size that one version of the package needs. If the
 * folder is larger when a process ends, the process removes the whole folder, and the next start makes it
 * again.
 */
export const MAX_COMPILE_CACHE_BYTES = 2 ** 26;

/** Mode of the folder. Node.js executes the files in it, so other users must not be able to write them. */
const PRIVATE_MODE = 0o700;
/** Permission bits of all users except the owner. */
const FOREIGN_BITS = 0o077;
/** Write permission bits of all users except the owner. */
const FOREIGN_WRITE_BITS = 0o022;
/** The sticky bit of a folder, with which users may remove only their own files. */
const SHARED_BIT = 0o1000;

/** Members of `node:module` that are used here. The oldest releases do not have them. */
interface ModuleWithCache {
  enableCompileCache?(folder: string): unknown;
  /**
   * Returns the path of the folder in which this release of Node.js saves compiled code. It is inside the
   * folder that was given to `enableCompileCache`.
   */
  getCompileCacheDir?(): string | undefined;
}

/**
 * Makes Node.js save compiled code, and use the code that an earlier process has saved. The code of modules
 * that were imported before this call is not saved.
 *
 * Does nothing on other runtimes. Does nothing if the folder cannot be written, or if other users could write
 * it. Also does nothing if one of the variables `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` of
 * Node.js is set.
 *
 * Node.js checks that each saved file belongs to its module. It writes the files when the process ends. Each
 * file is written in one step, so several processes can share the folder.
 *
 * @param findCachePath Returns the path of the cache folder, which is made if it is missing. Called on
 *   Node.js only.
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
    return; // The next start only takes longer without the folder.
  }
  process.once("exit", () => removeIfUnusable(folder));
}

/**
 * Returns the environment variables with which a worker uses the same compiled code as this thread. Returns
 * no variables if this thread uses no saved code.
 */
export function compileCacheVariables(): Readonly<Record<string, string>> {
  if ("Deno" in globalThis || "Bun" in globalThis) return {};
  const { getCompileCacheDir }: ModuleWithCache = process.getBuiltinModule("node:module");
  const folder = getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Removes a folder if its files have more than `maxBytes` in total, or if it contains links, pipes or
 * devices. Reading some devices would never end, and reading a pipe would wait for its other end. Never
 * throws.
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
    // The folder is absent, or another process is removing it.
  }
}

/** Checks whether only this user and the system can replace files in a folder. */
function isSafe(path: string): boolean {
  const { mode, uid } = statSync(path);
  const isShared = (mode & SHARED_BIT) !== 0;
  return (isOwn(uid) || uid === 0) && (isShared || (mode & FOREIGN_WRITE_BITS) === 0);
}

/**
 * Removes the permissions of other users from a folder that belongs to the user. Returns `false` if the path
 * is not a folder or belongs to another user.
 */
function closeFolder(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory() || !isOwn(found.uid)) return false;
  if ((found.mode & FOREIGN_BITS) !== 0) chmodSync(path, PRIVATE_MODE);
  return true;
}
