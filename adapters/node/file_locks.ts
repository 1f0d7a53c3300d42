/**
 * File locks that the operating system releases when the process ends, through `node:sqlite`: no other API of
 * all three runtimes locks files. SQLite also keeps apart two names of one file within one process, which the
 * system does not.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { smallTable } from "../../src/cache/memory.ts";
import type { FileWriting } from "../../src/ports/file_system.ts";
import { isBusy } from "./sqlite.ts";

/**
 * No waiting: Deno would wait five seconds. The journal is in memory, so that SQLite creates no file for it.
 */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Statements that lock an empty file like a database being read or written; the change stays in memory.
 * Without a change, a read-only file could be locked exclusively, and the lock would exclude nobody. Not run
 * by `exec`: on Deno its errors lack SQLite's code.
 */
const LOCKS = {
  shared: ["begin", "pragma user_version"],
  exclusive: ["begin exclusive", "pragma user_version = 1"],
};

/** An open file. */
interface LockedFile {
  /** Distinguishes it from other files that have had its name. */
  readonly identity: string;
  readonly database: DatabaseSync;
  readonly begin: Readonly<Record<keyof typeof LOCKS, readonly StatementSync[]>>;
  readonly end: StatementSync;
  isLocked: boolean;
}

/**
 * File locks of one user, such as a home API. The last files stay open between locks, since opening one takes
 * longer than the actions under its lock.
 */
export class FileLocks {
  readonly #files = smallTable<string, LockedFile>("lockFiles", ({ database }) => database.close());

  /** See `FileWriting.withFileLock`. */
  withFileLock<T>(
    path: string,
    kind: "shared" | "exclusive",
    action: () => T,
  ): { readonly value: T } | "busy" | undefined {
    const file = this.#find(path);
    if (file === "busy" || file === undefined) return file;
    try {
      for (const statement of file.begin[kind]) statement.all();
    } catch (error) {
      unlock(file);
      if (isBusy(error)) return "busy";
      this.#drop(path, file);
      return undefined;
    }
    file.isLocked = true;
    try {
      return { value: action() };
    } finally {
      file.isLocked = false;
      if (!unlock(file)) this.#drop(path, file);
    }
  }

  /** Closes all files. The next lock reopens its file. */
  close(): void {
    for (const { database } of this.#files.values()) database.close();
    this.#files.clear();
  }

  /** The file with this name now, opened if necessary; "busy" when it is locked already. */
  #find(path: string): LockedFile | "busy" | undefined {
    const identity = identify(path);
    const known = this.#files.get(path);
    if (known?.isLocked) return "busy";
    if (known !== undefined) {
      if (known.identity === identity) return known;
      this.#drop(path, known);
    }
    // SQLite would create an absent file.
    if (identity === undefined) return undefined;
    const opened = open(path, identity);
    if (typeof opened === "object") this.#files.set(path, opened);
    return opened;
  }

  #drop(path: string, { database }: LockedFile): void {
    this.#files.delete(path);
    database.close();
  }
}

/** Like {@link FileLocks.withFileLock}, but leaves no file open. */
export const withFileLockOnce: FileWriting["withFileLock"] = (path, kind, action) => {
  const locks = new FileLocks();
  try {
    return locks.withFileLock(path, kind, action);
  } finally {
    locks.close();
  }
};

function open(path: string, identity: string): LockedFile | "busy" | undefined {
  // Loaded on first use.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    const opened = database = new DatabaseSync(path);
    for (const setting of SETTINGS) opened.prepare(setting).all();
    const prepare = (sql: readonly string[]) => sql.map((sql) => opened.prepare(sql));
    const begin = { shared: prepare(LOCKS.shared), exclusive: prepare(LOCKS.exclusive) };
    if (identify(path) !== identity) throw new Error(`${path} has been replaced`);
    return { identity, database, begin, end: opened.prepare("rollback"), isLocked: false };
  } catch (error) {
    database?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}

/** Releases the lock; returns `false` when there is none. */
function unlock({ end }: LockedFile): boolean {
  try {
    end.all();
    return true;
  } catch {
    return false;
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
