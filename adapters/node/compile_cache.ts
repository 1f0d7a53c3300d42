/**
 * Compiled code of the command's modules, saved by Node.js in the cache folder: the next start finds it there
 * in place of stripping types, parsing and compiling. https://nodejs.org/api/module.html#module-compile-cache
 */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { isOwn } from "./user_id.ts";

/** Name of the folder in the cache folder. */
export const COMPILE_CACHE_NAME = "compiled";

/**
 * Maximum size of the folder in bytes, some ten times what one version of the package needs: a process that
 * ends with a larger one removes the whole folder, and the next start makes it again.
 */
export const MAX_COMPILE_CACHE_BYTES = 2 ** 26;

/** Mode of the folder: code that others could write there would be executed. */
const PRIVATE_MODE = 0o700;
/** Permissions of all users but the owner. */
const FOREIGN_BITS = 0o077;
/** Permissions to write of all users but the owner. */
const FOREIGN_WRITE_BITS = 0o022;
/** The sticky bit: users may remove only their own files. */
const SHARED_BIT = 0o1000;

/** The members of `node:module` that are needed; the oldest releases lack them. */
interface ModuleWithCache {
  enableCompileCache?(folder: string): unknown;
  /** The folder of this release of Node.js in the folder that was given. */
  getCompileCacheDir?(): string | undefined;
}

/**
 * Has Node.js save compiled code, and use what an earlier process has saved. Modules that have been imported
 * before are left out. Does nothing where the folder cannot be written, or others could write it, on other
 * runtimes, and when the variables of Node.js itself (`NODE_COMPILE_CACHE`, `NODE_DISABLE_COMPILE_CACHE`) say
 * how it is to be done. Node.js checks each file against its module. It writes files when the process ends,
 * each in one step, so that processes may share them.
 *
 * @param findCachePath Finds the path of the cache folder, which is made when it is missing. Asked on Node.js
 *   only.
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
    return; // A start without it takes longer, that is all.
  }
  process.once("exit", () => removeIfUnusable(folder));
}

/** Environment variables by which a worker uses the same compiled code as this thread; none without any. */
export function compileCacheVariables(): Readonly<Record<string, string>> {
  if ("Deno" in globalThis || "Bun" in globalThis) return {};
  const { getCompileCacheDir }: ModuleWithCache = process.getBuiltinModule("node:module");
  const folder = getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Removes a folder whose files have more than `maxBytes`, or which has links, pipes or devices: Node.js would
 * read one without end, and wait for another. Never throws.
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
    // It is absent, or another process removes it.
  }
}

/** Whether nobody but this user and the system can replace what is in a folder. */
function isSafe(path: string): boolean {
  const { mode, uid } = statSync(path);
  const isShared = (mode & SHARED_BIT) !== 0;
  return (isOwn(uid) || uid === 0) && (isShared || (mode & FOREIGN_WRITE_BITS) === 0);
}

/** Closes a folder of the user's own to others; whether it is the user's own. */
function closeFolder(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory() || !isOwn(found.uid)) return false;
  if ((found.mode & FOREIGN_BITS) !== 0) chmodSync(path, PRIVATE_MODE);
  return true;
}
