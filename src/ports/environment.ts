/** The clock and the log, in a form that tests can replace. */

/** Severity of a log line. */
export type LogLevel = "info" | "warn" | "error";

/** The environment of a running service. */
export interface Environment {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Logs one line for the operator; `cause` is never shown to clients. */
  log(level: LogLevel, message: string, cause?: unknown): void;
  /**
   * Shows the progress of long work to the operator. Each line replaces the previous one; `undefined` ends
   * the work. May be called some thousand times per second. By default nothing is shown.
   */
  progress?(line: string | undefined): void;
  /** Fixed time of written objects, in seconds since the epoch: for tests and recordings. */
  readonly objectTimeSeconds?: number | undefined;
}
