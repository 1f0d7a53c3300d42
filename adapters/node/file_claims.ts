/**
 * Claims to files that the operating system ends with the process, through `node:sqlite`: nothing else that all three runtimes have locks files. SQLite
 * also keeps apart those who claim a file under two names within one process, which the system does not.
 */
import { lstatSync } from "node:fs";
import process from "node:process";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { LruMap } from "../../src/cache/lru_map.ts";
import type { FileWriting } from "../../src/ports/file_system.ts";

/** Files that are kept open: to open one takes longer than all that is done under it. */
const MAX_KEPT_FILES = 16;

/** Nobody is waited for: Deno waits for five seconds unless told. The journal is in memory, else there would be a file of it. */
const SETTINGS = ["pragma busy_timeout = 0", "pragma journal_mode = memory"];

/**
 * Locks an empty file as a database that is being read, or written: the change stays in memory. Without one, a file that may only be read could be
 * claimed exclusively, too, and nobody would be kept out. Never by `exec`: on Deno its errors lack SQLite's code.
 */
const CLAIMS = {
  shared: ["begin", "pragma user_version"],
  exclusive: ["begin exclusive", "pragma user_version = 1"],
};

/** Low byte of SQLite's result codes that say that somebody else has the file: SQLITE_BUSY. */
const BUSY_CODE = 5;

/** A file that is open. */
interface ClaimedFile {
  /** Tells it from other files that have had its name. */
  readonly identity: string;
  readonly database: DatabaseSync;
  readonly claims: Readonly<Record<keyof typeof CLAIMS, readonly StatementSync[]>>;
  readonly end: StatementSync;
  isClaimed: boolean;
}

/** Claims of one user, such as a home API. The files stay open between claims, the last {@link MAX_KEPT_FILES} of them. */
export class FileClaims {
  readonly #files = new LruMap<string, ClaimedFile>(
    MAX_KEPT_FILES,
    () => 1,
    ({ database }) => database.close(),
  );

  /** Does something under a file as `FileWriting.claim` says. */
  claim<T>(
    path: string,
    kind: "shared" | "exclusive",
    action: () => T,
  ): { readonly value: T } | "busy" | undefined {
    const file = this.#find(path);
    if (file === "busy" || file === undefined) return file;
    try {
      for (const statement of file.claims[kind]) statement.all();
    } catch (error) {
      endClaim(file);
      if (isBusy(error)) return "busy";
      this.#drop(path, file);
      return undefined;
    }
    file.isClaimed = true;
    try {
      return { value: action() };
    } finally {
      file.isClaimed = false;
      if (!endClaim(file)) this.#drop(path, file);
    }
  }

  /** Closes all files. The next claim opens its file again. */
  close(): void {
    for (const { database } of this.#files.values()) database.close();
    this.#files.clear();
  }

  /** The file that has the name now, opened before or now; "busy" when it is claimed already. */
  #find(path: string): ClaimedFile | "busy" | undefined {
    const identity = identify(path);
    const known = this.#files.get(path);
    if (known?.isClaimed) return "busy";
    if (known !== undefined) {
      if (known.identity === identity) return known;
      this.#drop(path, known);
    }
    // SQLite would make a file that is not there.
    if (identity === undefined) return undefined;
    const opened = open(path, identity);
    if (typeof opened === "object") this.#files.set(path, opened);
    return opened;
  }

  #drop(path: string, { database }: ClaimedFile): void {
    this.#files.delete(path);
    database.close();
  }
}

/** Does something under a file as `FileWriting.claim` says, and leaves no file open. */
export const claimOnce: FileWriting["claim"] = (path, kind, action) => {
  const claims = new FileClaims();
  try {
    return claims.claim(path, kind, action);
  } finally {
    claims.close();
  }
};

function open(path: string, identity: string): ClaimedFile | "busy" | undefined {
  // Loaded on first need.
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    const opened = database = new DatabaseSync(path);
    for (const setting of SETTINGS) opened.prepare(setting).all();
    const prepare = (sql: readonly string[]) => sql.map((sql) => opened.prepare(sql));
    const claims = { shared: prepare(CLAIMS.shared), exclusive: prepare(CLAIMS.exclusive) };
    if (identify(path) !== identity) throw new Error(`${path} has been replaced`);
    return { identity, database, claims, end: opened.prepare("rollback"), isClaimed: false };
  } catch (error) {
    database?.close();
    return isBusy(error) ? "busy" : undefined;
  }
}

/** Ends a claim; false when there is none. */
function endClaim({ end }: ClaimedFile): boolean {
  try {
    end.all();
    return true;
  } catch {
    return false;
  }
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
