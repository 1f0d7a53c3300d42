/** Git's lock of a reference: a file `<reference>.lock`, which only one process can have made. */
import type { WritableFileSystem } from "../../ports/file_system.ts";
import { WriteError } from "../../ports/write_error.ts";
import type { RefFolders } from "./ref_folders.ts";

/** How long a lock that somebody else holds is waited for, in milliseconds. Nobody holds one for longer than a few file calls take. */
export const LOCK_LIMIT_MS = 5000;

/** The first pause before another attempt, in milliseconds; each further one is twice as long, up to {@link MAX_PAUSE_MS}. */
const FIRST_PAUSE_MS = 1;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** How often a folder is made anew that git removes because it is empty. */
export const MAX_FOLDER_LOSSES = 100;

/** Permissions of a reference and of its lock. */
export const REF_MODE = 0o666;

/** Resolves after some milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Waits on the machine's clock. */
export const pause: Pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets two that wait for each other's lock not meet again and again: somewhere between the half and the whole of a pause. */
const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

/**
 * Makes the lock of a reference, and the folders above it. The caller removes it.
 *
 * @param path Path of the repository.
 * @param folders Remembers the folders that were made.
 * @returns Path of the lock.
 * @throws {WriteError} `busy` when somebody else holds the lock for longer than {@link LOCK_LIMIT_MS}. It is never taken away: one that a crash
 *   has left must be removed by hand, as with git.
 */
export async function lockRef(
  fileSystem: WritableFileSystem,
  path: string,
  name: string,
  folders: RefFolders,
  wait: Pause,
): Promise<string> {
  const lock = `${path}/${name}.lock`;
  let waitedMs = 0;
  let losses = 0;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    folders.make();
    const file = fileSystem.create(lock, REF_MODE);
    if (typeof file === "object") {
      file.close();
      return lock;
    }
    if (file === "exists") {
      if (waitedMs >= LOCK_LIMIT_MS) {
        throw new WriteError("busy", `Another process holds ${lock}, or has left it there`);
      }
      const ms = jitter(pauseMs);
      waitedMs += ms;
      await wait(ms);
    } else if (++losses > MAX_FOLDER_LOSSES) {
      throw new WriteError("busy", `The folder of ${lock} is gone whenever it has been made`);
    }
  }
}
