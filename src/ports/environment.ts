/** What a test must be able to hold still: the clock and the log. */

/** How much a log line matters. */
export type LogLevel = "info" | "warn" | "error";

/** The surroundings of a running service. */
export interface Environment {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Takes one line for the operator; `cause` is never shown to clients. */
  log(level: LogLevel, message: string, cause?: unknown): void;
}
