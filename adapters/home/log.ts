/** Formats and limits the lines of a service's log. */
import type { Environment, LogLevel } from "../../mod.ts";

/**
 * Maximum number of lines of one kind per second. Two lines are of the same kind if they differ only in ids,
 * paths and numbers.
 */
export const LINES_A_SECOND = 10;
/** Number of characters at the start of a message that decide its kind. */
const KIND_LENGTH = 200;
/** A word that differs between messages of the same kind, such as an id, a path or a number. */
const VALUE = /\S*[\d:/"]\S*/g;

/**
 * Limits a log to {@link LINES_A_SECOND} lines of each kind per second, so that clients cannot fill the log.
 * The first message after that second is preceded by lines that say how many lines of each kind were dropped.
 *
 * @param now Returns the time of a monotonic clock, in milliseconds.
 */
export function limitLines(
  log: Environment["log"],
  now: () => number = () => performance.now(),
): Environment["log"] {
  const counts = new Map<string, { readonly level: LogLevel; lines: number }>();
  let startMs = -Infinity;
  return (level, message, cause) => {
    if (now() - startMs >= 1000) {
      startMs = now();
      for (const [kind, { level, lines }] of counts) {
        if (lines > LINES_A_SECOND) log(level, `${lines - LINES_A_SECOND} more lines like "${kind}"`);
      }
      counts.clear();
    }
    const kind = `${level} ${message.slice(0, KIND_LENGTH).replace(VALUE, "…")}`;
    const count = counts.get(kind) ?? { level, lines: 0 };
    counts.set(kind, count);
    if (++count.lines <= LINES_A_SECOND) log(level, message, cause);
  };
}

/**
 * Formats a line of the log with time, level, message, cause and line end. For the level `error`, the line
 * also has the stack of the cause. Control characters in the text are escaped.
 */
export function formatLine(level: LogLevel, message: string, cause: unknown, time: Date): string {
  const because = cause === undefined ? "" : `: ${describeCause(level, cause)}`;
  return `${time.toISOString()} ${level} ${escapeControls(message + because)}\n`;
}

/** Escapes line breaks and other control characters. */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]/gu, escape);
}

/** Formats an error in one line, with its stack if the level is `error`. */
export function describeCause(level: LogLevel, cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const text = level === "error" ? cause.stack ?? String(cause) : cause.message;
  const origin = cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
  return text.split("\n").map((line) => line.trim()).filter(Boolean).join(" ") + origin;
}

function escape(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
