/**
 * An SQLite database of a Radicle home: the node's `node.db`, or `policies.db` with the owner's decisions.
 */

/** A value bound to a parameter of an SQL statement. */
export type SqlValue = string | number | null;

/** A row of a result, by column names. */
export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement and the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
}

/**
 * A database, which may not exist. Calls never wait for locks of other programs: they throw `DatabaseError`
 * `busy`, and the caller retries.
 */
export interface NodeDatabase {
  /**
   * Runs a query that changes nothing.
   *
   * @returns The rows; `undefined` when the file or a table of the query does not exist.
   * @throws {DatabaseError} when the file cannot be read.
   */
  read(query: Statement): Promise<readonly Row[] | undefined>;
  /**
   * Runs statements in one transaction; creates the file if necessary.
   *
   * @throws {DatabaseError} when nothing could be changed.
   */
  write(statements: readonly Statement[]): Promise<void>;
}

/**
 * Reason for which a database could not be used. `busy`: another program is changing it. `denied`: missing
 * permission. `broken`: it is damaged, or the disk is full.
 */
export type DatabaseObstacle = "busy" | "denied" | "broken";

/** Nothing was read or changed. The message is only for the log: it may name files. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly obstacle: DatabaseObstacle;

  constructor(obstacle: DatabaseObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
