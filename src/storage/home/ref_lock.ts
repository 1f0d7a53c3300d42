/** How git's lock of a reference is waited for: a file `<reference>.lock`, which only one process can have made. */
import { WriteError } from "../../ports/write_error.ts";
import type { Held } from "./own_locks.ts";

/** How long a lock that somebody else holds is waited for, in milliseconds. Nobody holds one for longer than a few file calls take. */
export const LOCK_LIMIT_MS = 5000;

/** The first pause before another attempt, in milliseconds; each further one is twice as long, up to {@link MAX_PAUSE_MS}. */
const FIRST_PAUSE_MS = 1;

/** The longest pause, in milliseconds. */
const MAX_PAUSE_MS = 100;

/** How often a folder is made anew that git removes because it is empty. */
export const MAX_FOLDER_LOSSES = 100;

/** Resolves after some milliseconds. */
export type Pause = (ms: number) => Promise<void>;

/** Waits on the machine's clock. */
export const pause: Pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Lets two that wait for each other's lock not meet again and again: somewhere between the half and the whole of a pause. */
const jitter = (ms: number): number => ms * (0.5 + Math.random() / 2);

/**
 * Attempts something that needs the lock of a reference, until that is free.
 *
 * @param lock Path of the lock.
 * @param attempt Answers as `OwnLocks.hold`.
 * @throws {WriteError} `busy` when somebody else holds the lock for longer than {@link LOCK_LIMIT_MS}. What another program holds is never taken away: a
 *   lock that its crash has left must be removed by hand, as with git.
 */
export async function waitForLock<T>(lock: string, attempt: () => Promise<Held<T>>, wait: Pause): Promise<T> {
  let waitedMs = 0;
  let losses = 0;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const done = await attempt();
    if (typeof done === "object") return done.value;
    if (done === undefined) {
      if (++losses > MAX_FOLDER_LOSSES) {
        throw new WriteError("busy", `The folder of ${lock} is gone whenever it has been made`);
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
