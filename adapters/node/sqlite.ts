/** Runs statements and transactions through `node:sqlite`, and finds the kind of an error from its code. */
import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, SqlValue } from "../../src/ports/node_database.ts";

/** Low bytes of result codes when another connection uses the database: BUSY, LOCKED, PROTOCOL. */
const BUSY_CODES: readonly number[] = [5, 6, 15];
/** Low bytes of result codes for a damaged file: CORRUPT, NOTADB. */
const DAMAGE_CODES: readonly number[] = [11, 26];

/** Statements that are not cached, because they run only once or depend on earlier statements. */
const ONCE = /^(pragma|create|begin|commit|rollback)/;

/** Loads SQLite when it is first used, because Node.js 22 shows a warning when SQLite is loaded. */
export function loadSqlite(): Promise<typeof import("node:sqlite")> {
  return sqlite ??= import("node:sqlite");
}

let sqlite: Promise<typeof import("node:sqlite")> | undefined;

/** An open database. Never uses `exec`, because on Deno the errors of `exec` lack SQLite's code. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #path: string | undefined;
  readonly #inode: number | undefined;
  readonly #prepared = new Map<string, StatementSync>();

  /**
   * @param path Path of the database file; `undefined` for a database in memory.
   * @param busyMs Timeout of a wait for another process, in milliseconds. All requests wait during this time.
   * A statement sets the timeout, because Deno ignores the option `timeout`.
   */
  constructor(database: DatabaseSync, path?: string, busyMs = 0) {
    this.#database = database;
    this.#path = path;
    this.#inode = path === undefined ? undefined : inodeOf(path);
    try {
      this.run(`pragma busy_timeout = ${busyMs}`);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether the path still leads to the open file. Another process may have replaced the file. */
  get isThere(): boolean {
    return this.#path === undefined || inodeOf(this.#path) === this.#inode;
  }

  run(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      if (!ONCE.test(sql)) this.#prepared.set(sql, statement);
    }
    return statement.all(...values);
  }

  /** Runs a statement, and returns the first column of its first row as a number. */
  number(sql: string, ...values: readonly SqlValue[]): number {
    return Number(Object.values(this.run(sql, ...values)[0] ?? {})[0]);
  }

  /** Runs a step in a transaction with an immediate write lock. An error rolls the transaction back. */
  transaction<T>(step: () => T): T {
    this.run("begin immediate");
    try {
      const result = step();
      this.run("commit");
      return result;
    } catch (error) {
      try {
        this.run("rollback");
      } catch {
        // SQLite has already rolled the transaction back.
      }
      throw error;
    }
  }

  /** Returns a description of the first damage that SQLite finds; `undefined` for an intact file. */
  findDamage(): string | undefined {
    const [verdict] = this.run("pragma integrity_check(1)");
    const message = Object.values(verdict ?? {})[0];
    return message === "ok" ? undefined : String(message);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }
}

/** Runs one step on a database, and closes the database. */
export function usedOnce<T>(database: DatabaseSync, step: (database: Database) => T): T {
  const opened = new Database(database);
  try {
    return step(opened);
  } finally {
    opened.close();
  }
}

/** Returns the low byte of SQLite's result code; 0 for an error that has no result code. */
export function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}

/** Checks whether an error means that another connection is using the database. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.includes(resultCode(error));
}

/** Checks whether an error of SQLite means that a file is damaged or is not a database. */
export function isDamageCode(error: unknown): boolean {
  return DAMAGE_CODES.includes(resultCode(error));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
