/** The clock and the log, which a test must be able to fix. */

/** Severity of a log line. */
export type LogLevel = "info" | "warn" | "error";

/** The environment of a running service. */
export interface Environment {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Logs one line for the operator; `cause` is never shown to clients. */
  log(level: LogLevel, message: string, cause?: unknown): void;
  /**
   * Shows an operator how far long work is: one line in place of the one before, `undefined` at its end. It
   * may be called some thousand times a second; nothing is shown by default.
   */
  progress?(line: string | undefined): void;
}
