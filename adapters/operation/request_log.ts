/** Lines of a log: one for each request, and those about anything else. */
import type { Environment, LogLevel } from "../../mod.ts";
import { describeCause, escapeControls, formatLine } from "../home/log.ts";
import { REQUEST_ID_FIELD } from "../server/handler.ts";
import { type RequestHead, valuesOf } from "../server/operator.ts";

/** Form of lines. */
export type LogForm = "text" | "json";

/** A request that is over. */
export interface LoggedRequest {
  readonly method: string;
  /** Path pattern of its route, if there is one. */
  readonly pattern: string | undefined;
  /** Target as the client sent it. */
  readonly target: string;
  readonly status: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly id: string;
  readonly client: string | undefined;
  /** The error behind a status of 500 or 501. */
  readonly error: unknown;
}

/** Most characters of a path, and of an error, in a line. */
export const MAX_LOGGED_LENGTH = 500;

/** Levels from the one that is always logged on. */
export const LOG_LEVELS: readonly LogLevel[] = ["error", "warn", "info"];

/** Whether a log of a level takes lines of another one. */
export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(least);
}

/** Level of the line of a request: faults are errors, and what cannot be answered now is a warning. */
export function levelOf({ status, error }: Pick<LoggedRequest, "status" | "error">): LogLevel {
  if (status === 500 || error !== undefined) return "error";
  return status > 500 ? "warn" : "info";
}

/** The line of a request. It has no query, whose words are the client's, and no id of a session. */
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

/** The line of a message, as an object. */
export function formatMessage(level: LogLevel, message: string, cause: unknown, time: Date): string {
  const described = cause === undefined ? undefined : describeCause(level, cause);
  const line = { time: time.toISOString(), level, message };
  return jsonLine(described === undefined ? line : { ...line, cause: described });
}

/** The line in place of those that a slow reader has missed. */
export function formatLeftOut(lines: number, form: LogForm, time: Date): string {
  const message = `${lines} lines were left out`;
  return form === "json"
    ? formatMessage("warn", message, undefined, time)
    : formatLine("warn", message, undefined, time);
}

/** A log of this level and above. */
export function logFrom(least: LogLevel, log: Environment["log"]): Environment["log"] {
  return (level, message, cause) => {
    if (isLogged(level, least)) log(level, message, cause);
  };
}

/** The path of a request without what is secret in it. */
function pathIn({ target, pattern }: LoggedRequest): string {
  const path = target.split(/[?#]/, 1)[0]!;
  // The id of a session is its token, whether or not the path is a route.
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

/** Form of an id that a proxy may set. */
const ID = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The id of a request: that of its head, if a proxy is to be believed and has set it once, else a new one.
 *
 * @param isBehindProxy Whether the sender is a proxy of the operator.
 */
export function requestIdOf(head: RequestHead | undefined, isBehindProxy: boolean): string {
  const [given = "", ...others] = isBehindProxy && head !== undefined ? valuesOf(head, REQUEST_ID_FIELD) : [];
  return others.length === 0 && ID.test(given) ? given : crypto.randomUUID();
}
