/** Databases through `node:sqlite`: statements, transactions, and the codes of their errors. */
import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Row, SqlValue } from "../../src/ports/node_database.ts";

/** Low bytes of the result codes when another connection is in the way: BUSY, LOCKED, PROTOCOL. */
const BUSY_CODES: readonly number[] = [5, 6, 15];
/** Low bytes of the result codes when a file is damaged, or is not a database: CORRUPT, NOTADB. */
const DAMAGE_CODES: readonly number[] = [11, 26];

/** Statements that run only once, or that depend on the statements before them. They are not cached. */
const ONCE = /^(pragma|create|begin|commit|rollback)/;

/**
 * Loads SQLite once, on first use. Programs that do not use it do not see the warning of Node.js 22 about it.
 */
export function loadSqlite(): Promise<typeof import("node:sqlite")> {
  return sqlite ??= import("node:sqlite");
}

let sqlite: Promise<typeof import("node:sqlite")> | undefined;

/** An open database. Statements never run through `exec`, because its errors lack SQLite's code on Deno. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #path: string | undefined;
  readonly #inode: number | undefined;
  readonly #prepared = new Map<string, StatementSync>();

  /**
   * @param path Path of its file, if it has one.
   * @param busyMs Longest wait for another process. All requests wait during this time. Deno ignores the
   *   option `timeout`, and would wait for five seconds.
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

  /** Whether the path still leads to the open file. Another process may have replaced it. */
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

  /** Runs a statement whose first row is one number. */
  number(sql: string, ...values: readonly SqlValue[]): number {
    return Number(Object.values(this.run(sql, ...values)[0] ?? {})[0]);
  }

  /** Runs a step in a transaction with an immediate write lock. An error rolls it back. */
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
        // SQLite itself has already rolled back.
      }
      throw error;
    }
  }

  /** Checks the file; returns the first fault that SQLite finds, or `undefined`. */
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

/** Returns the low byte of SQLite's result code; 0 for other errors. */
export function resultCode(error: unknown): number {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
}

/** Whether an error means that another connection is in the way. */
export function isBusy(error: unknown): boolean {
  return BUSY_CODES.includes(resultCode(error));
}

/** Whether an error of SQLite means that a file is damaged, or is not a database. */
export function isDamageCode(error: unknown): boolean {
  return DAMAGE_CODES.includes(resultCode(error));
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
