/** A database of a Radicle home, in SQLite's format: the node's `node.db`, and `policies.db` with what its owner decided. */

/** What SQL takes in the place of a question mark. */
export type SqlValue = string | number | null;

/** A row of an answer, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/** One SQL statement and its values. */
export interface Statement {
  readonly sql: string;
  readonly values?: readonly SqlValue[];
}

/**
 * A database, which need not be there. Calls never wait for other programs' locks: they throw `DatabaseError` `busy` instead, and the caller tries
 * again.
 */
export interface NodeDatabase {
  /**
   * The rows of a query, changing nothing.
   *
   * @returns `undefined` when there is no such file, or a table of the query is not in it.
   * @throws {DatabaseError} when the file cannot be read.
   */
  read(query: Statement): Promise<readonly Row[] | undefined>;
  /**
   * Runs statements as one change, making the file if there is none.
   *
   * @throws {DatabaseError} when nothing could be changed.
   */
  write(statements: readonly Statement[]): Promise<void>;
}

/** Why a database could not be used: another program is changing it (`busy`); it may not be used (`denied`); it is damaged or its disk full (`broken`). */
export type DatabaseObstacle = "busy" | "denied" | "broken";

/** Thrown when nothing was read or changed. The message is for the log alone: it may name files. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly obstacle: DatabaseObstacle;

  constructor(obstacle: DatabaseObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}
