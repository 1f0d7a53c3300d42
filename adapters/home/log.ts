/** Lines of a service's log. The same for every runtime. */
import type { LogLevel } from "../../mod.ts";

/**
 * Formats one line with its end: time, level, message and cause, with the stack of an unexpected error. Line
 * ends and other control characters in it are written as escapes.
 */
export function formatLine(level: LogLevel, message: string, cause: unknown, time: Date): string {
  const because = cause === undefined ? "" : `: ${describe(level, cause)}`;
  const line = `${message}${because}`.replace(/[\p{Cc}\u2028\u2029]/gu, escape);
  return `${time.toISOString()} ${level} ${line}\n`;
}

function describe(level: LogLevel, cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const text = level === "error" ? cause.stack ?? String(cause) : cause.message;
  const origin = cause.cause instanceof Error ? ` (${cause.cause.message})` : "";
  return text.split("\n").map((line) => line.trim()).filter(Boolean).join(" ") + origin;
}

function escape(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
