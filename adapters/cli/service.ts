/**
 * Starts and ends a service for the command line. Handles options and signals, and prints the first lines of
 * output.
 */
import process from "node:process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pauseFor } from "../../src/async/timer.ts";
import type { ClientClaims } from "../../extensions/replicas/origin/client_claim.ts";
import type { CreateServer } from "../home/listen.ts";
import type { Metrics } from "../operation/metrics.ts";
import { Operation } from "../operation/operation.ts";
import { watchedCalls } from "../operation/watched_calls.ts";
import { present } from "./command_line.ts";
import { findCommit } from "./commit.ts";
import type { ServeCommand } from "./parse_command.ts";
import { lastLines, linesTo } from "./output.ts";
import type { Progress } from "./progress.ts";
import { readTokenKey } from "./token_key.ts";
import type { Environment, LogLevel } from "../../mod.ts";
import { formatLine, limitLines } from "../home/log.ts";
import type { LineWriter } from "../operation/line_writer.ts";
import { formatMessage, type LogForm, logFrom } from "../operation/request_log.ts";
import { CLOSE_MS, CUT_MS } from "../server/server.ts";

interface Running {
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/**
 * Returns the absolute path of the cache folder: the path from the command line or the default path. Returns
 * `undefined` when the command line disables the cache folder, or when there is no default path.
 */
export function cachePathOf(
  { cache }: Pick<ServeCommand, "cache">,
  usualCachePath: () => string | undefined,
): string | undefined {
  const path = cache === "none" ? undefined : cache ?? usualCachePath();
  return path === undefined ? undefined : resolve(path);
}

/**
 * Maximum length of a text for `/robots.txt`, in bytes. Search engines have to read at least this many bytes
 * (RFC 9309, 2.5).
 */
const MAX_ROBOTS_BYTES = 500 * 1024;

/** Log, metrics and limits of a service, as the command line requests them. */
export interface Operated {
  /** `undefined` when the command line does not request metrics. */
  readonly metrics: Metrics | undefined;
  readonly metricsUrl: string | undefined;
  /**
   * Closes the output streams and the server of the metrics. Call this method after the service has closed.
   */
  close(): Promise<void>;
  readonly operation: Operation;
  /**
   * Time between a signal and the end of the service, in seconds. During this time, the service still
   * responds, but reports that it is not ready.
   */
  readonly drainSeconds: number | undefined;
}

/**
 * Creates the log, the metrics and the limits of clients, as the command line requests them.
 *
 * @throws {Error} when a file that the command line names cannot be used.
 * @throws {ListenError} when the socket of the metrics cannot be opened.
 */
export async function operated(
  command: ServeCommand,
  progress: Progress,
  createServer: CreateServer,
  { isReplica }: { readonly isReplica: boolean },
): Promise<Operated> {
  const { robots, "log-level": level = "info", "log-client": hasClients = false } = command;
  const log = command.log ?? (process.stdout.isTTY ? "off" : "text");
  const messageForm = log === "json" ? "json" : "text";
  const messages = linesTo("stderr", messageForm);
  progress.toLog = messageLog(messages, messageForm, level);
  if (command["behind-proxy"] && command["client-address-header"] === undefined) {
    progress.log(
      "warn",
      "All clients behind the proxy count as one: to distinguish them, use --client-address-header NAME, where NAME is a " +
        "header field that the proxy overwrites with the client's address",
    );
  }
  const requests = log === "off" ? undefined : linesTo("stdout", log);
  const { metrics, server } = await measured(command, progress, createServer);
  const stopWatching = metrics?.watchEventLoop();
  const operation = new Operation({
    metrics,
    shareRate: command.share,
    isReplica,
    claims: await claimsOf(readTokenKey()),
    behindProxy: command["behind-proxy"],
    addressField: command["client-address-header"],
    robots: robots === undefined ? undefined : readRobots(robots),
    log: requests && log !== "off"
      ? { form: log, level, hasClients, write: (line) => requests.add(line) }
      : undefined,
  });
  return {
    operation,
    metrics,
    metricsUrl: server && `${server.urls[0]}/metrics`,
    drainSeconds: command.drain,
    async close() {
      stopWatching?.();
      await server?.close();
      await lastLines(requests === undefined ? [messages] : [requests, messages]);
    },
  };
}

/** Creates the verifier of client addresses that replicas send; `undefined` without a key. */
async function claimsOf(key: string | undefined): Promise<ClientClaims | undefined> {
  if (!key) return undefined;
  const { ClientClaims } = await import("../../extensions/replicas/origin/client_claim.ts");
  return new ClientClaims(key);
}

async function measured({ metrics: address }: ServeCommand, { log }: Progress, createServer: CreateServer) {
  if (address === undefined) return { metrics: undefined, server: undefined };
  const { Metrics } = await import("../operation/metrics.ts");
  const { serveMetrics } = await import("../operation/metrics.ts");
  const metrics = new Metrics();
  return { metrics, server: await serveMetrics(metrics, address, log, createServer) };
}

/**
 * Returns a function that wraps a bucket or a table of sessions to measure calls. Without metrics, the
 * function returns its argument unchanged.
 */
export function watchedBy(
  { metrics }: Operated,
  place: Parameters<Metrics["callsOf"]>[0],
): <T extends object>(target: T) => T {
  if (metrics === undefined) return (target) => target;
  const observe = metrics.callsOf(place);
  return (target) => watchedCalls(target, observe);
}

function readRobots(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new Error(`Cannot read ${path} for /robots.txt`, { cause });
  }
  if (text.length <= MAX_ROBOTS_BYTES) return text;
  throw new Error(`Cannot use ${path} for /robots.txt: it is larger than ${MAX_ROBOTS_BYTES} bytes`);
}

/**
 * Returns the options from the command line that a service on a home and a service on a bucket have in
 * common.
 */
export async function serviceOptions(
  command: ServeCommand,
  progress: Progress,
  usualCachePath: () => string | undefined,
) {
  return {
    listen: command.listen,
    environment: {
      log: progress.log,
      progress: progress.show,
      ...present({ objectTimeSeconds: command["object-time"] }),
    },
    page: !command["no-page"],
    aliases: Object.fromEntries(command.alias ?? []),
    memory: present({ totalBytes: command.memory, answersBytes: command["cache-size"] }),
    compatibility: present({ evaluation: command.evaluation, answers: command.answers }),
    ...present({
      commit: await findCommit(),
      cachePath: cachePathOf(command, usualCachePath),
      api: command.api,
      maxConnections: command["max-connections"],
      maxEventReaders: command["max-event-readers"],
      tokenKey: readTokenKey(),
    }),
  };
}

/**
 * Waits until a service can answer requests. From the call on, SIGTERM, SIGINT and uncaught exceptions end
 * the service.
 *
 * @param explain Converts an error into an error for the operator.
 */
export async function started<S extends Running>(
  serving: Promise<S>,
  progress: Progress,
  ending: Operated,
  explain: (error: unknown) => unknown = (error) => error,
): Promise<S> {
  endOn(["SIGTERM", "SIGINT"], serving, ending);
  watchUncaught(progress.log, serving, ending);
  // The service continues even if no process reads its log any more.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  return await serving.catch(async (error) => {
    await ending.close();
    throw explain(error);
  });
}

/**
 * Returns the first URL at which programs on this machine reach a service; `undefined` if the service listens
 * only on Unix sockets.
 */
export function localUrl({ urls }: Pick<Running, "urls">): string | undefined {
  return urls.find((url) => url.startsWith("http:"))
    ?.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

/** Prints the URLs and the given facts of a service. */
export function introduce(
  running: Running,
  facts: Readonly<Record<string, string>>,
  progress: Progress,
): void {
  const url = localUrl(running);
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  progress.clear();
  process.stdout.write(
    [
      ...running.urls.map((url) => `Serving ${url}`),
      ...Object.entries(facts).map(([name, fact]) => `  ${name.padEnd(width)}  ${fact}`),
      ...url === undefined ? [] : [`Open ${url}/`],
      "Ctrl-C ends the service.",
      "",
    ].join("\n"),
  );
}

/** Ends the service on the first signal. A second signal ends the process at once. */
function endOn(
  signals: readonly NodeJS.Signals[],
  serving: Promise<Running>,
  { operation, drainSeconds = 0, close }: Operated,
): void {
  const end = async () => {
    const server = await serving.catch(() => undefined);
    // Without a server, the start has failed. The code that started the service reports the failure.
    if (server === undefined) return;
    operation.stopping();
    if (drainSeconds > 0) await pauseFor(1000 * drainSeconds);
    await server.close();
    await close();
    process.exit();
  };
  for (const signal of signals) process.once(signal, () => void end());
}

/** Returns a log that writes to an output in the given format. Messages below the given level are dropped. */
function messageLog(output: LineWriter, form: LogForm, level: LogLevel): Environment["log"] {
  const format = form === "json" ? formatMessage : formatLine;
  const log = limitLines((level, message, cause) => output.add(format(level, message, cause, new Date())));
  return logFrom(level, log);
}

interface Closable {
  close(): Promise<void>;
}

/**
 * Timeout for closing the service after an uncaught exception, in milliseconds. After the timeout, the
 * process ends.
 */
export const END_MS: number = 2 * (CLOSE_MS + CUT_MS);

/** Start of the log messages for promise rejections and exceptions. */
export const UNHANDLED_REJECTION = "Unhandled rejection";
export const UNCAUGHT_EXCEPTION = "Uncaught exception";

/**
 * Logs and counts promise rejections that have no handler. After an uncaught exception, the service accepts
 * no more connections, finishes running requests, and ends the process with status 1.
 *
 * @param ending Closed after the service, because it writes the last lines of the log.
 */
export function watchUncaught(
  log: Environment["log"],
  serving: Promise<Closable>,
  ending: Closable,
): void {
  let rejections = 0;
  let isEnding = false;
  process.on("unhandledRejection", (cause) => {
    log("error", `${UNHANDLED_REJECTION}, number ${++rejections} since the start`, cause);
  });
  process.on("uncaughtException", (error) => {
    log("error", `${UNCAUGHT_EXCEPTION}; the service ends`, error);
    if (isEnding) return;
    isEnding = true;
    process.exitCode = 1;
    const end = () => process.exit();
    setTimeout(end, END_MS);
    void serving.then((server) => server.close()).finally(() => ending.close()).then(end, end);
  });
}
