/** Transactions of SQLite. */

/**
 * Runs a step in a transaction that may write from its start.
 *
 * @param run Runs one statement. Its errors are thrown, after a rollback.
 */
export function inTransaction<T>(run: (sql: string) => unknown, step: () => T): T {
  run("begin immediate");
  try {
    const result = step();
    run("commit");
    return result;
  } catch (error) {
    try {
      run("rollback");
    } catch {
      // SQLite has rolled back by itself.
    }
    throw error;
  }
}
