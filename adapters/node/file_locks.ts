/**
 * File locks that the operating system releases when the process ends, through `node:sqlite`: no other API of
 * all three runtimes locks files. SQLite also keeps apart two names of one file within one process, which the
 * system does not. Each lock opens its file and closes it: that takes less than a tenth of a millisecond.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { isBusy } from "./sqlite.ts";

/** No waiting: Deno would wait five seconds. The journal is in memory: SQLite creates no file for it. */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Statements that lock an empty file like a database being read or written; the change stays in memory.
 * Without a change, a read-only file could be locked exclusively, and the lock would exclude nobody. Not run
 * by `exec`: on Deno its errors lack SQLite's code.
 */
const LOCKS = {
  shared: [...SETTINGS, "begin", "pragma user_version"],
  exclusive: [...SETTINGS, "begin exclusive", "pragma user_version = 1"],
};

/** See `FileWriting.withFileLock`. */
export const withFileLock: FileWriting["withFileLock"] = (path, kind, action) => {
  const locked = lock(path, kind);
  if (locked === undefined || locked === "busy") return locked;
  try {
    return { value: action() };
  } finally {
    locked.close();
  }
};

/**
 * Locks a file exclusively until the function that it returns is called, or the process ends. `"busy"` and
 * `undefined` as of `withFileLock`.
 */
export function holdFileLock(path: string): (() => void) | "busy" | undefined {
  const locked = lock(path, "exclusive");
  return locked === undefined || locked === "busy" ? locked : () => locked.close();
}

/** Locks a file until what is returned is closed, which undoes the change that an exclusive lock makes. */
function lock(path: string, kind: keyof typeof LOCKS): DatabaseSync | "busy" | undefined {
  const identity = identify(path);
  // SQLite would create an absent file.
  if (identity === undefined) return undefined;
  let database: DatabaseSync | undefined;
  try {
    // Loaded on first use.
    const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
    database = new DatabaseSync(path);
    for (const statement of LOCKS[kind]) database.prepare(statement).all();
    if (identify(path) !== identity) throw new Error(`${path} has been replaced`);
    return database;
  } catch (error) {
    database?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}

/** Device and inode number of a file; `undefined` when it does not exist or cannot be read. */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
