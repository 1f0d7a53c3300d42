/**
 * File locks through `node:sqlite`, because no other API of all three runtimes can lock files. The operating
 * system releases a lock when the process ends. Locking opens and closes the file, which takes less than a
 * tenth of a millisecond.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { isBusy } from "./sqlite.ts";

/**
 * The first statement prevents any wait for a lock. The second statement keeps the journal in memory, so that
 * SQLite creates no journal file.
 */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Statements that lock an empty file for reading or for writing. The change of `user_version` is never
 * written to the file. Without this change, a read-only file could be locked exclusively without excluding
 * other processes. `exec` is not used, because on Deno the errors of `exec` lack SQLite's code.
 */
const LOCKS = {
  shared: [...SETTINGS, "begin", "pragma user_version"],
  exclusive: [...SETTINGS, "begin exclusive", "pragma user_version = 1"],
};

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
 * Locks a file exclusively until the returned function is called or the process ends. Returns `"busy"` or
 * `undefined` in the same cases as `withFileLock`.
 */
export function holdFileLock(path: string): (() => void) | "busy" | undefined {
  const locked = lock(path, "exclusive");
  return locked === undefined || locked === "busy" ? locked : () => locked.close();
}

/**
 * Locks a file until the returned database is closed. Closing the database undoes the change that an
 * exclusive lock makes.
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

/**
 * Returns the device and inode numbers of a regular file; `undefined` for any other path, or when the
 * metadata cannot be read.
 */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
