/** The clock and the log, which tests can replace. */

/** Severity of a log line. */
export type LogLevel = "info" | "warn" | "error";

/** The environment of a running service. */
export interface Environment {
  /** Returns the current time in milliseconds since the Unix epoch. */
  now(): number;
  /** Logs one line for the operator. `cause` is never shown to clients. */
  log(level: LogLevel, message: string, cause?: unknown): void;
  /**
   * Shows the progress of long work to the operator. Each line replaces the previous line. `undefined` means
   * that the work has ended. This function may be called several thousand times per second. By default,
   * progress is not shown.
   */
  progress?(line: string | undefined): void;
  /**
   * Fixed commit time of the objects that the service writes, in seconds since the epoch. Only tests and
   * recordings set this time.
   */
  readonly objectTimeSeconds?: number | undefined;
}
