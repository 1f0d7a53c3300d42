/** Waiting for git's lock of a reference: a file `<reference>.lock`, created exclusively. */
import { WriteError } from "../../ports/write_error.ts";
import type { Held } from "./lock_files.ts";

/** Timeout for a lock of another process, in milliseconds. A lock is held only for a few file calls. */
export const LOCK_LIMIT_MS = 5000;

/**
 * First pause between attempts, in milliseconds; each further pause is twice as long, up to
 * {@link MAX_PAUSE_MS}.
 */
const FIRST_PAUSE_MS = 1;

/** Maximum pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** Maximum number of times a folder is created again after git has removed it as empty. */
export const MAX_FOLDER_LOSSES = 100;

/** Resolves after some milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Random jitter between half and all of a pause, so that two processes do not collide again and again. */
const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

/**
 * Retries an attempt that needs the lock of a reference.
 *
 * @param lock Path of the lock.
 * @param attempt Returns the result of `LockFiles.hold`.
 * @throws {WriteError} `busy` when another process holds the lock for longer than {@link LOCK_LIMIT_MS}. The
 *   lock of another program is never removed: after its crash, an operator has to remove it, as with git.
 */
export async function waitForLock<T>(lock: string, attempt: () => Promise<Held<T>>, wait: Pause): Promise<T> {
  let waitedMs = 0;
  let losses = 0;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const done = await attempt();
    if (typeof done === "object") return done.value;
    if (done === undefined) {
      if (++losses > MAX_FOLDER_LOSSES) {
        throw new WriteError("busy", `The folder of ${lock} is removed as soon as it is created`);
      }
      continue;
    }
    if (waitedMs >= LOCK_LIMIT_MS) {
      const what = done === "exists" ? "holds, or has left there" : "keeps everybody else from";
      throw new WriteError("busy", `Another process ${what} ${lock}`);
    }
    const ms = jitter(pauseMs);
    waitedMs += ms;
    await wait(ms);
  }
}
