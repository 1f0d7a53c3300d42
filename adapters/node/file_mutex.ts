/**
 * Claims to files that the operating system ends with the process, through `node:sqlite`: nothing else that all three runtimes have locks files. SQLite
 * also keeps apart those who claim a file within one process, which the system does not.
 */
import { existsSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync } from "node:sqlite";

/**
 * Locks an empty file as a database that is being written; all of it stays in memory, the journal, too, and is dropped in the end. Nobody is waited for:
 * Deno waits for five seconds unless told. Without a change, `begin exclusive` would do with a file that may only be read, and keep out nobody. Never by
 * `exec`: on Deno its errors lack SQLite's code.
 */
const CLAIM = [
  "pragma busy_timeout = 0",
  "pragma journal_mode = memory",
  "begin exclusive",
  "pragma user_version = 1",
];

/** Low byte of SQLite's result codes that say that somebody else has the file: SQLITE_BUSY. */
const BUSY_CODE = 5;

/** Does something under a file as `FileWriting.exclusively` says. */
export function exclusively<T>(path: string, action: () => T): { readonly value: T } | "busy" | undefined {
  // SQLite would make it.
  if (!existsSync(path)) return undefined;
  // Loaded on first need.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    try {
      database = new DatabaseSync(path);
      for (const statement of CLAIM) database.prepare(statement).all();
    } catch (error) {
      return isBusy(error) ? "busy" : undefined;
    }
    return { value: action() };
  } finally {
    database?.close();
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === BUSY_CODE;
}
