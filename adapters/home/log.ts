/** Lines of a service's log, the same on every runtime. */
import type { Environment, LogLevel } from "../../mod.ts";

/** Most lines of one kind in a second. */
export const LINES_A_SECOND = 10;
/** Messages of one kind have the same first characters, of this number. */
const KIND_LENGTH = 200;
/** A word of a message that differs between things of the same kind: an id, a path, a number. */
const VALUE = /\S*[\d:/"]\S*/g;

/**
 * Limits a log to {@link LINES_A_SECOND} of each kind, so that clients cannot fill it with requests. Messages
 * are of the same kind if they differ only in ids, paths and numbers. The next line after that second is
 * preceded by the number of lines that were left out.
 *
 * @param now A monotonic clock in milliseconds.
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
 * Formats one line with its line end: time, level, message and cause, with the stack of an unexpected error.
 * Line breaks and other control characters inside it are escaped.
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
