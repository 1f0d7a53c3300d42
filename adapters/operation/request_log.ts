/** Formats the lines of a log, one line for each request or message. */
import type { Environment, LogLevel } from "../../mod.ts";
import { describeCause, escapeControls, formatLine } from "../home/log.ts";
import { REQUEST_ID_FIELD } from "../server/handler.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

export type LogForm = "text" | "json";

export interface LoggedRequest {
  readonly method: string;
  /** Path pattern of the route; `undefined` when no route matched. */
  readonly pattern: string | undefined;
  /** Request target, as the client sent it. */
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly id: string;
  readonly client: string | undefined;
  /** The error that caused the status 500 or 501. */
  readonly error: unknown;
}

/** Maximum length of a path, and of an error, in one line, in characters. */
const MAX_LOGGED_LENGTH = 500;

/** Levels in order, the most serious first. The most serious level is always logged. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info"];

export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(least);
}

/**
 * Returns the level of a request: `error` for unexpected errors, `warn` for statuses above 500 without an
 * error, and otherwise `info`.
 */
export function levelOf({ status, error }: Pick<LoggedRequest, "status" | "error">): LogLevel {
  if (status === 500 || error !== undefined) return "error";
  return status > 500 ? "warn" : "info";
}

/**
 * Formats a request as a line. The line contains no query, because search terms are private, and no session
 * id.
 */
export function formatRequest(request: LoggedRequest, form: LogForm, time: Date): string {
  const { method, pattern, status, bytes, seconds, id, client, error } = request;
  const level = levelOf(request);
  const described = error === undefined ? undefined : shortened(describeCause("warn", error));
  const path = shortened(pathIn(request));
  const ms = Math.round(seconds * 10_000) / 10;
  if (form === "json") {
    return jsonLine({
      time: time.toISOString(),
      level,
      method: shortened(method),
      pattern: pattern ?? "-",
      path,
      status,
      bytes,
      ms,
      id,
      ...client !== undefined && { client },
      ...described !== undefined && { error: described },
    });
  }
  const ofClient = client === undefined ? "" : ` client=${client}`;
  const ofError = described === undefined ? "" : ` error=${described}`;
  const text = `${shortened(method)} ${pattern ?? "-"} ${path} ${status} bytes=${bytes} ms=${ms} ${id}`;
  return `${time.toISOString()} ${level} ${escapeControls(text + ofClient + ofError)}\n`;
}

/** Formats a message as a line of JSON. */
export function formatMessage(level: LogLevel, message: string, cause: unknown, time: Date): string {
  const described = cause === undefined ? undefined : describeCause(level, cause);
  const line = { time: time.toISOString(), level, message };
  return jsonLine(described === undefined ? line : { ...line, cause: described });
}

/** Formats the line that reports how many lines were dropped because the log was read too slowly. */
export function formatLeftOut(lines: number, form: LogForm, time: Date): string {
  const message = `${lines} lines were dropped`;
  return form === "json"
    ? formatMessage("warn", message, undefined, time)
    : formatLine("warn", message, undefined, time);
}

/** Wraps a log so that it accepts only messages of the level `least` and of more serious levels. */
export function logFrom(least: LogLevel, log: Environment["log"]): Environment["log"] {
  return (level, message, cause) => {
    if (isLogged(level, least)) log(level, message, cause);
  };
}

function pathIn({ target, pattern }: LoggedRequest): string {
  const path = target.split(/[?#]/, 1)[0]!;
  // The id of a session is its bearer token, and is hidden even when no route matches the path.
  return /session/i.test(pattern ?? unescapedOf(path)) ? pattern ?? "…" : path;
}

function unescapedOf(path: string): string {
  return path.replace(/%([\da-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

function shortened(text: string): string {
  return text.length <= MAX_LOGGED_LENGTH ? text : `${text.slice(0, MAX_LOGGED_LENGTH)}…`;
}

function jsonLine(value: object): string {
  return `${JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, escapeControls)}\n`;
}

/** Allowed characters and length of an id from a proxy. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns the id of a request: the id in the header if a proxy of the operator has set the field exactly
 * once, otherwise a new id.
 *
 * @param isBehindProxy Whether the sender is a proxy of the operator.
 */
export function requestIdOf(head: RequestHead | undefined, isBehindProxy: boolean): string {
  const [given = "", ...others] = isBehindProxy && head !== undefined ? valuesOf(head, REQUEST_ID_FIELD) : [];
  return others.length === 0 && ID.test(given) ? given : crypto.randomUUID();
}
