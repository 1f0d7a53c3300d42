/**
 * Accesses the databases of a home through `node:sqlite`. Each call opens and closes the file, so that other
 * programs can replace the file.
 */
import { closeSync, existsSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../src/errors.ts";
import {
  DatabaseError,
  type DatabaseObstacle,
  type NodeDatabase,
  type Row,
  type Statement,
} from "../../src/ports/node_database.ts";
import { type Database, isBusy, loadSqlite, resultCode, usedOnce } from "./sqlite.ts";

/**
 * Low bytes of SQLite's result codes for denied access: SQLITE_PERM, SQLITE_READONLY, SQLITE_CANTOPEN,
 * SQLITE_AUTH.
 */
const DENIED_CODES: readonly number[] = [3, 8, 14, 23];

/** Error codes of the operating system and of Deno for denied access. */
const DENIED = new Set(["EACCES", "EPERM", "EROFS", "ERR_ACCESS_DENIED"]);

/**
 * Offset of the byte in an SQLite file that shows the kind of journal. The value {@link WRITE_AHEAD} means a
 * write-ahead log.
 */
const READ_VERSION_OFFSET = 19;
const WRITE_AHEAD = 2;

/**
 * Opens the database at a path.
 *
 * @param opensUrls Returns whether SQLite may get a URL instead of a path.
 */
export function createNodeDatabase(path: string, opensUrls: () => boolean = () => true): NodeDatabase {
  return {
    read: (query) =>
      guard(path, async () => {
        if (!existsSync(path)) return undefined;
        const database = await openForReading(path, opensUrls);
        try {
          return usedOnce(database, (opened) => run(opened, query));
        } catch (error) {
          if (error instanceof Error && error.message.startsWith("no such table")) return undefined;
          throw error;
        }
      }),
    write: (statements) =>
      guard(path, async () => {
        mkdirSync(dirname(path), { recursive: true });
        const { DatabaseSync } = await loadSqlite();
        usedOnce(new DatabaseSync(path), (opened) =>
          opened.transaction(() => {
            for (const statement of statements) run(opened, statement);
          }));
      }),
  };
}

/**
 * Opens a database for reading. If the database uses a write-ahead log, but the log file does not exist, no
 * process has the database open. Such a database is opened as immutable, because an ordinary reader would
 * have to create two files. If a node opens the database at the same moment, the next reader notices the
 * changed log.
 */
async function openForReading(path: string, opensUrls: () => boolean): Promise<DatabaseSync> {
  const { DatabaseSync } = await loadSqlite();
  if (opensUrls() && !existsSync(`${path}-wal`) && isWriteAhead(path)) {
    const url = pathToFileURL(path);
    url.searchParams.set("immutable", "1");
    try {
      return new DatabaseSync(url, { readOnly: true });
    } catch {
      // The failure is ignored. Opening the database below fails with the reason.
    }
  }
  return new DatabaseSync(path, { readOnly: true });
}

function isWriteAhead(path: string): boolean {
  const file = openSync(path, "r");
  try {
    const header = new Uint8Array(READ_VERSION_OFFSET + 1);
    return readSync(file, header) === header.length && header[READ_VERSION_OFFSET] === WRITE_AHEAD;
  } finally {
    closeSync(file);
  }
}

function run(database: Database, { sql, values = [] }: Statement): readonly Row[] {
  return database.run(sql, ...values);
}

async function guard<T>(path: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new DatabaseError(obstacleOf(error), `Cannot use ${path}: ${messageOf(error)}`, { cause: error });
  }
}

function obstacleOf(error: unknown): DatabaseObstacle {
  if (!(error instanceof Error)) return "broken";
  if (isBusy(error)) return "busy";
  const isDenied = DENIED_CODES.includes(resultCode(error)) || error.name === "NotCapable" ||
    "code" in error && DENIED.has(String(error.code)) || error.message.startsWith("unable to open");
  return isDenied ? "denied" : "broken";
}
