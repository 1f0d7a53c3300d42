/** The log of a service that runs by itself: one line for each event on standard error. The same for every runtime. */
import process from "node:process";
import type { Environment, LogLevel } from "../mod.ts";

/** Writes one line: time, level, message, and what caused it, with the stack of an error that nobody expected. */
export const log: Environment["log"] = (level, message, cause) => {
  process.stderr.write(formatLine(level, message, cause, new Date()));
};

/** A line of the log with its end. Line ends and other control characters in it are written as escapes. */
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
