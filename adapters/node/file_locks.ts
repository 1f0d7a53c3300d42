/**
 * File locks through `node:sqlite`. The operating system releases a lock when the process ends. SQLite is
 * used because no other API of all three runtimes can lock files. Within one process, SQLite also detects
 * that two paths lead to the same file, which the operating system does not detect. Each lock opens and
 * closes its file, which takes less than a tenth of a millisecond.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { isBusy } from "./sqlite.ts";

/**
 * The first statement prevents any wait for a lock, because Deno would wait for five seconds. The second
 * statement keeps the journal in memory, so that SQLite creates no journal file.
 */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Statements that lock an empty file as SQLite locks a database for reading or for writing. The change of
 * `user_version` is not written to the file. Without this change, a read-only file could be locked
 * exclusively, and that lock would not exclude any process. The statements are not run with `exec`, because
 * on Deno the errors of `exec` lack SQLite's code.
 */
const LOCKS = {
  shared: [...SETTINGS, "begin", "pragma user_version"],
  exclusive: [...SETTINGS, "begin exclusive", "pragma user_version = 1"],
};

/** Locks a file while an action runs. See `FileWriting.withFileLock`. */
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
  // An absent file is not locked, because SQLite would create it.
  if (identity === undefined) return undefined;
  let database: DatabaseSync | undefined;
  try {
    // SQLite is loaded here, so that programs without locks do not load it.
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
 * Returns the device and inode numbers of a regular file. Returns `undefined` when there is no regular file
 * at the path, or its metadata cannot be read.
 */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}
