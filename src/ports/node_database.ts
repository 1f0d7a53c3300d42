/**
 * An SQLite database of a Radicle home: the `node.db` of the node, or the `policies.db` with the decisions of
 * the owner.
 */

/** Value of a parameter of an SQL statement. */
export type SqlValue = string | number | null;

/** A row of a result, by the names of the columns. */
export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement and the values of its parameters. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
}

/**
 * A database, whose file may not exist. Calls never wait for locks of other programs. If the database is
 * locked, they throw a `DatabaseError` with `busy`, and the caller retries.
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
   * Runs statements in one transaction. Creates the file if necessary.
   *
   * @throws {DatabaseError} when nothing could be changed.
   */
  write(statements: readonly Statement[]): Promise<void>;
}

/**
 * Reason why a database could not be used. `busy`: another program is changing it. `denied`: a permission is
 * missing. `broken`: it is damaged, or the disk is full.
 */
export type DatabaseObstacle = "busy" | "denied" | "broken";

/**
 * The database could not be used, and nothing was read or changed. The message is only for the log, because
 * it may contain file names.
 */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly obstacle: DatabaseObstacle;

  constructor(obstacle: DatabaseObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
