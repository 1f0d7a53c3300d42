/**
 * A lock among processes: a file that its holder touches every second. A file that was not touched for some
 * time was left behind by a killed process. Runs on every runtime, and on Node.js 20, without dependencies.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { setTimeout as pauseFor } from "node:timers/promises";

/** Interval of touches, and age after which an untouched file counts as left behind, in milliseconds. */
const TOUCH_MS = 1000, STALE_MS = 10_000;
/** Time between two attempts of a process that waits, in milliseconds. */
const LOOK_MS = 100;

/** Whether a process holds the lock in a file. */
export function isLocked(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < STALE_MS;
}

/**
 * Runs an action while this process holds the lock. The lock ends with the action, or with the process.
 *
 * @param wait Called once when another process holds it.
 */
export async function withLock(path, wait, action) {
  const token = crypto.randomUUID();
  mkdirSync(dirname(path), { recursive: true });
  let hasWaited = false;
  while (!await take(path, token)) {
    if (!hasWaited) wait();
    hasWaited = true;
    await pauseFor(LOOK_MS);
  }
  const touching = setInterval(() => touch(path), TOUCH_MS);
  const release = () => {
    // Another process may have taken the lock while this process was stopped.
    if (read(path) === token) rmSync(path, { force: true });
  };
  const end = (signal) => process.exit(signal === "SIGINT" ? 130 : 143);
  process.once("exit", release);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  try {
    return await action();
  } finally {
    clearInterval(touching);
    release();
    process.removeListener("exit", release);
    for (const signal of ["SIGINT", "SIGTERM"]) process.removeListener(signal, end);
  }
}

/** Whether this process holds the lock now. */
async function take(path, token) {
  try {
    writeFileSync(path, token, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
  if (isLocked(path)) return false;
  // Several processes may find the lock left behind. The process that replaces it last holds it.
  const draft = `${path}.${token}`;
  writeFileSync(draft, token);
  renameSync(draft, path);
  await pauseFor(TOUCH_MS);
  return read(path) === token;
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function touch(path) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // Another process has removed it.
  }
}
