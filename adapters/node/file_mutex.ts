/**
 * Claims to files that the operating system ends with the process, through `node:sqlite`: nothing else that all three runtimes have locks files. SQLite
 * also keeps apart those who claim a file under two names within one process, which the system does not.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LruMap } from "../../src/cache/lru_map.ts";

/** Files that are kept open: to open one takes longer than all that is done under it. */
const MAX_KEPT_FILES = 16;

/** Nobody is waited for: Deno waits for five seconds unless told. The journal is in memory, else there would be a file of it. */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Locks an empty file as a database that is being written; the change stays in memory. Without one, a file that may only be read could be claimed, too,
 * and nobody would be kept out. Never by `exec`: on Deno its errors lack SQLite's code.
 */
const CLAIM = ["begin exclusive", "pragma user_version = 1"];

/** Low byte of SQLite's result codes that say that somebody else has the file: SQLITE_BUSY. */
const BUSY_CODE = 5;

/** An open file. */
interface Mutex {
  /** Tells it from other files that have had its name. */
  readonly identity: string;
  readonly database: DatabaseSync;
  readonly claim: readonly StatementSync[];
  readonly unclaim: StatementSync;
  isClaimed: boolean;
}

const kept = new LruMap<string, Mutex>(MAX_KEPT_FILES, () => 1, ({ database }) => database.close());

/** Does something under a file as `FileWriting.exclusively` says. */
export function exclusively<T>(path: string, action: () => T): { readonly value: T } | "busy" | undefined {
  const mutex = find(path);
  if (mutex === "busy" || mutex === undefined) return mutex;
  try {
    for (const statement of mutex.claim) statement.all();
  } catch (error) {
    drop(path, mutex);
    return isBusy(error) ? "busy" : undefined;
  }
  mutex.isClaimed = true;
  try {
    return { value: action() };
  } finally {
    mutex.isClaimed = false;
    if (!release(mutex)) drop(path, mutex);
  }
}

/** The file that has the name now, opened before or now; "busy" when this process has claimed it already. */
function find(path: string): Mutex | "busy" | undefined {
  const identity = identify(path);
  const known = kept.get(path);
  if (known?.isClaimed) return "busy";
  if (known !== undefined) {
    if (known.identity === identity) return known;
    drop(path, known);
  }
  // Not there: SQLite would make it.
  if (identity === undefined) return undefined;
  // Loaded on first need.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    for (const setting of SETTINGS) database.prepare(setting).all();
    const [unclaim, ...claim] = ["rollback", ...CLAIM].map((sql) => database!.prepare(sql));
    const mutex: Mutex = { identity, database, claim, unclaim: unclaim!, isClaimed: false };
    if (identify(path) !== identity) throw new Error(`${path} has been replaced`);
    kept.set(path, mutex);
    return mutex;
  } catch (error) {
    database?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}

/** Ends a claim; false when there is none. */
function release({ unclaim }: Mutex): boolean {
  try {
    unclaim.all();
    return true;
  } catch {
    return false;
  }
}

/** Closes a file. Its claim is ended before: SQLite may put off closing until the statements are collected. */
function drop(path: string, mutex: Mutex): void {
  kept.delete(path);
  release(mutex);
  mutex.database.close();
}

/** The number of the file that has a name; `undefined` when none has, or it cannot be told. */
function identify(path: string): string | undefined {
  try {
    const found = lstatSync(path, { bigint: true });
    return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  } catch {
    return undefined;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === BUSY_CODE;
}
