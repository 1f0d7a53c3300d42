/** A cache folder through `node:fs`, read and written by the machine's owner alone. */
import { chmod, lstat, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { CacheFolder } from "../../mod.ts";

/** Most bytes of files in the folder: the files written longest ago make room. */
export const MAX_CACHE_BYTES = 2 ** 29;

/** Drafts older than this, in milliseconds, were left behind by a process that ended while it wrote. */
export const MAX_DRAFT_AGE_MS = 3_600_000;

/** Mode of the folder: nobody but its owner can look into it. */
const PRIVATE_MODE = 0o700;
const NAME = /^[\w-][\w.-]*$/;
/** Ends of the names of our files in the folder, and of drafts. */
const SAVED = ".xylem";
const DRAFT = ".xylem.tmp";

/** The folder at `path`, made when something is written first. */
export function createCacheFolder(path: string, maxBytes: number = MAX_CACHE_BYTES): CacheFolder {
  return {
    async read(name) {
      const file = join(path, checked(name) + SAVED);
      try {
        return (await lstat(file)).isFile() ? new Uint8Array(await readFile(file)) : undefined;
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async write(name, bytes) {
      const file = join(path, checked(name) + SAVED);
      const draft = join(path, `${name}.${crypto.randomUUID()}${DRAFT}`);
      await makePrivateFolder(path);
      try {
        await writeFile(draft, bytes, { mode: 0o600, flag: "wx" });
        await rename(draft, file);
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {});
        throw error;
      }
      await makeRoom(path, maxBytes);
    },
  };
}

/**
 * Path of the command's cache folder unless told otherwise: `XDG_CACHE_HOME/xylem`, or `~/.cache/xylem`;
 * `undefined` when neither variable is set.
 */
export function usualCachePath(
  variable: (name: string) => string | undefined = variableOf,
): string | undefined {
  const cache = variable("XDG_CACHE_HOME");
  // One that is not absolute is to be ignored (XDG Base Directory Specification).
  if (cache?.startsWith("/")) return join(cache, "xylem");
  const home = variable("HOME");
  return home ? join(home, ".cache", "xylem") : undefined;
}

/** Permission bits of anybody but the owner of a folder, and the bit of folders that several users share. */
const FOREIGN_BITS = 0o077;
const SHARED_BIT = 0o1000;

/**
 * Makes a folder that the user alone can read. A folder of the user's own that was there before, made by
 * another program or as the parent of something else, is closed; one that users share, such as `/tmp`, stays
 * as it is.
 */
async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_MODE });
  const { mode, uid } = await stat(path);
  const isOwn = uid === process.getuid?.() && (mode & SHARED_BIT) === 0;
  if (isOwn && (mode & FOREIGN_BITS) !== 0) await chmod(path, PRIVATE_MODE);
}

function variableOf(name: string): string | undefined {
  return process.env[name];
}

function checked(name: string): string {
  if (!NAME.test(name)) {
    throw new TypeError(`Cannot keep "${name}": expected letters, digits, "-", "_" and "."`);
  }
  return name;
}

/** Removes the oldest files until the rest fits, and abandoned drafts. Files of other programs stay. */
async function makeRoom(path: string, maxBytes: number): Promise<void> {
  const files: { file: string; size: number; changedMs: number }[] = [];
  for (const name of await readdir(path)) {
    if (!name.endsWith(SAVED) && !name.endsWith(DRAFT)) continue;
    const file = join(path, name);
    const stat = await lstat(file).catch(() => undefined);
    if (!stat?.isFile()) continue;
    if (!name.endsWith(DRAFT)) files.push({ file, size: stat.size, changedMs: stat.mtimeMs });
    else if (stat.mtimeMs < Date.now() - MAX_DRAFT_AGE_MS) await rm(file, { force: true });
  }
  files.sort((a, b) => a.changedMs - b.changedMs);
  let total = files.reduce((sum, { size }) => sum + size, 0);
  for (const { file, size } of files) {
    if (total <= maxBytes) return;
    await rm(file, { force: true });
    total -= size;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
