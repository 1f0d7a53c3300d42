/**
 * File locks that the operating system releases when the process ends, through `node:sqlite`. No other API of
 * all three runtimes can lock files. Within one process, SQLite also detects that two names lead to the same
 * file, which the system does not. Each lock opens and closes its file, which takes less than a tenth of a
 * millisecond.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { isBusy } from "./sqlite.ts";

/**
 * Never waits for a lock: Deno would wait for five seconds. The journal is in memory, so that SQLite creates
 * no file for it.
 */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Statements that lock an empty file as SQLite locks a database that is read or written. The change stays in
 * memory. It is necessary: without it, a read-only file could be locked exclusively, and that lock would not
 * exclude anyone. The statements are not run with `exec`, because its errors lack SQLite's code on Deno.
 */
const LOCKS = {
  shared: [...SETTINGS, "begin", "pragma user_version"],
  exclusive: [...SETTINGS, "begin exclusive", "pragma user_version = 1"],
};

/** Locks a file while an action runs; see `FileWriting.withFileLock`. */
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
 * Locks a file exclusively until the returned function is called, or the process ends. Returns `"busy"` or
 * `undefined` in the same cases as `withFileLock`.
 */
export function holdFileLock(path: string): (() => void) | "busy" | undefined {
  const locked = lock(path, "exclusive");
  return locked === undefined || locked === "busy" ? locked : () => locked.close();
}

/**
 * Locks a file until the returned database is closed. Closing it undoes the change that an exclusive lock
 * makes.
 */
function lock(path: string, kind: keyof typeof LOCKS): DatabaseSync | "busy" | undefined {
  const identity = identify(path);
  // SQLite would create an absent file.
  if (identity === undefined) return undefined;
  let database: DatabaseSync | undefined;
  try {
    // Loaded here, so that programs without locks do not load SQLite.
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

/** Returns device and inode number of a file; `undefined` when the file does not exist or cannot be read. */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
