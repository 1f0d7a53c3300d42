/**
 * Saves the address of a running service in the cache folder, for commands of the same user. The names of the
 * files depend on the path of the home that the service serves:
 *
 * ```text
 * service-<digest of the home's path>.xylem   the URL, sealed like all files of the folder
 * service-<digest of the home's path>.lock    empty; the service holds a file lock on it until it ends
 * ```
 *
 * If no process holds the lock, the service has ended, and another program may use its port.
 */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pauseFor } from "node:timers/promises";
import { createCacheFolder, FOREIGN_BITS, makePrivateFolder } from "./cache_folder.ts";
import { holdFileLock, withFileLock } from "./file_locks.ts";
import { userId } from "./user_id.ts";

/** Number of hexadecimal digits of the digest in the names of the files. */
const DIGEST_DIGITS = 32;
const LOCK = /^service-[0-9a-f]{32}\.lock$/;
/** Pattern of a valid saved URL, which has a host, a port and no path. */
const SAVED_URL = /^http:\/\/(?:[\w.-]{1,253}|\[[\w.:%]{2,64}\]):\d{1,5}$/;

/** Maximum number of attempts to take the lock. Another process may hold the lock for a moment. */
const LOCK_ATTEMPTS = 5;
/** Delay between two attempts, in milliseconds. */
const LOCK_PAUSE_MS = 20;

export interface Announcement {
  /** Makes the saved address invalid. The end of the process has the same effect. */
  close(): void;
}

/**
 * Keeps the locks of running services in memory, because a lock ends when its object is garbage-collected.
 */
const counting = new Set<Announcement>();

/**
 * Saves the address of a service until the service ends. Returns `undefined` if another service on the same
 * home has saved its address.
 *
 * @param folder Absolute path of the cache folder, which is made if necessary.
 * @param home Absolute path.
 * @throws {Error} when the address cannot be saved in the folder.
 */
export async function announceService(
  folder: string,
  home: string,
  url: string,
): Promise<Announcement | undefined> {
  const name = nameOf(home);
  await makePrivateFolder(folder);
  removeEnded(folder);
  const release = await holdLock(join(folder, `${name}.lock`));
  if (release === undefined) return undefined;
  try {
    await createCacheFolder(folder).write(name, new TextEncoder().encode(url));
  } catch (error) {
    release();
    throw error;
  }
  const announcement = {
    close() {
      if (counting.delete(announcement)) release();
    },
  };
  counting.add(announcement);
  return announcement;
}

/**
 * Returns the URL of the service that runs on a home; `undefined` when no service runs, the files are
 * damaged, or another user can access the files.
 *
 * @param folder Absolute path of the cache folder.
 * @param home Absolute path.
 */
export async function findService(folder: string, home: string): Promise<string | undefined> {
  try {
    const name = nameOf(home);
    const lock = join(folder, `${name}.lock`);
    const saved = join(folder, `${name}.xylem`);
    const isSafe = isPrivate(lstatSync(folder)) && [lock, saved].every((path) => isPrivate(lstatSync(path)));
    if (!isSafe || withFileLock(lock, "shared", () => {}) !== "busy") return undefined;
    const bytes = await createCacheFolder(folder).read(name);
    const url = new TextDecoder().decode(bytes);
    return SAVED_URL.test(url) ? url : undefined;
  } catch {
    return undefined;
  }
}

function nameOf(home: string): string {
  const digest = createHash("sha256").update(home).digest("hex");
  return `service-${digest.slice(0, DIGEST_DIGITS)}`;
}

/** Removes the files of services that have ended, and damaged files. */
function removeEnded(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => LOCK.test(name))) {
    const lock = join(folder, name);
    const remove = () => {
      rmSync(lock, { recursive: true, force: true });
      rmSync(lock.replace(/\.lock$/, ".xylem"), { recursive: true, force: true });
    };
    if (withFileLock(lock, "exclusive", remove) === undefined) remove();
  }
}

/**
 * Takes a lock. Returns a function that releases the lock; `undefined` when another process holds the lock.
 */
async function holdLock(path: string): Promise<(() => void) | undefined> {
  for (let attempt = 1;; attempt++) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) writeFileSync(path, "", { mode: 0o600 });
    const held = holdFileLock(path);
    if (typeof held === "function") return held;
    if (attempt < LOCK_ATTEMPTS) await pauseFor(LOCK_PAUSE_MS);
    else if (held === "busy") return undefined;
    else throw new Error(`${path} cannot be locked`);
  }
}

/** Checks whether a file or folder belongs to this user, and no other user can access it. */
function isPrivate({ uid, mode }: Stats): boolean {
  return uid === userId() && (mode & FOREIGN_BITS) === 0;
}
