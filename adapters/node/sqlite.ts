/** Databases through `node:sqlite`: statements, transactions, and the codes of their errors. */
import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, SqlValue } from "../../src/ports/node_database.ts";

/** Low bytes of the result codes that say that another connection is in the way: BUSY, LOCKED, PROTOCOL. */
const BUSY_CODES: readonly number[] = [5, 6, 15];
/** Those that say that a file is damaged, or no database: CORRUPT, NOTADB. */
const DAMAGE_CODES: readonly number[] = [11, 26];

/** Statements that are run once, or depend on what is prepared before them. */
const ONCE = /^(pragma|create|begin|commit|rollback)/;

/**
 * Loads SQLite, once, on first need: programs without such a file do not load it, nor see the warning of
 * Node.js 22 about it.
 */
export function loadSqlite(): Promise<typeof import("node:sqlite")> {
  return sqlite ??= import("node:sqlite");
}

let sqlite: Promise<typeof import("node:sqlite")> | undefined;

/** An open database. Statements are never run by `exec`: on Deno its errors lack SQLite's code. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #path: string | undefined;
  readonly #inode: number | undefined;
  readonly #prepared = new Map<string, StatementSync>();

  /**
   * @param path Path of its file, if it has one.
   * @param busyMs Longest wait for another process, in which all requests wait. Deno ignores the option
   *   `timeout`, and would wait for five seconds.
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

  /** Whether the file is still the one at its path: another process may have replaced it. */
  get isThere(): boolean {
    return this.#path === undefined || inodeOf(this.#path) === this.#inode;
  }

  /** Runs a statement; returns its rows. */
  run(sql: string, ...values: readonly SqlValue[]): readonly Row[] {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      if (!ONCE.test(sql)) this.#prepared.set(sql, statement);
    }
    return statement.all(...values);
  }

  /** Runs a statement whose first row has one number. */
  number(sql: string, ...values: readonly SqlValue[]): number {
    return Number(Object.values(this.run(sql, ...values)[0] ?? {})[0]);
  }

  /** Runs a step in a transaction that may write from its start. An error undoes it. */
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
        // SQLite has rolled back by itself.
      }
      throw error;
    }
  }

  /** Checks the file; returns the first fault that SQLite finds, `undefined` when there is none. */
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

/** Uses a database for one step, and closes it. */
export function usedOnce<T>(database: DatabaseSync, step: (database: Database) => T): T {
  const opened = new Database(database);
  try {
    return step(opened);
  } finally {
    opened.close();
  }
}

/** The low byte of SQLite's result code; 0 for other errors. */
export function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}

/** Whether another connection is in the way. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.includes(resultCode(error));
}

/** Whether SQLite says that a file is damaged, or no database. */
export function isDamageCode(error: unknown): boolean {
  return DAMAGE_CODES.includes(resultCode(error));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
