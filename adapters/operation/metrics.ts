/**
 * Metrics of a service as OpenMetrics text, made with `prom-client`. The default collectors of `prom-client`
 * work only on Node.js, so this module reads the figures of the process itself.
 */
import process from "node:process";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type CacheFigures, cachesInUse } from "../../src/cache/memory.ts";
import { VERSION } from "../../src/version.ts";
import type { ServiceFigures, ServiceView } from "../server/operator.ts";
import type { ObserveCall } from "./watched_calls.ts";
import type { Answer, Environment } from "../../mod.ts";
import { withHeaders } from "../../src/http/answer.ts";
import { errorAnswer, textAnswer } from "../../src/http/respond.ts";
import type { Address } from "../server/address.ts";
import { Answers } from "../server/answers.ts";
import { type CreateServer, listenOn, type OpenSockets } from "../home/listen.ts";
import { pathOf } from "./own_paths.ts";

/** Upper bounds of the histogram buckets for durations, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Interval between two measurements of the event loop delay, in milliseconds. */
const CHECK_MS = 250;
/**
 * Methods that have their own time series. All other methods share one time series, because clients may send
 * any word as a method.
 */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const REQUEST_LABELS = ["method", "pattern", "status"] as const;

type RequestLabel = typeof REQUEST_LABELS[number];

export interface MeasuredRequest {
  readonly method: string;
  /** Path pattern of the route; `undefined` when no route matched. */
  readonly pattern: string | undefined;
  readonly status: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Values of a metric: one number, no value, or one number for each set of labels. */
type Values = number | undefined | readonly (readonly [Readonly<Record<string, string>>, number])[];

/** Metrics from the figures of a service. A metric without a value is left out of the text. */
const SERVICE_FIGURES: readonly (readonly [
  kind: "gauge" | "counter",
  name: string,
  help: string,
  read: (figures: ServiceFigures) => number | undefined,
])[] = [
  ["gauge", "xylem_connections", "Open connections.", ({ connections }) => connections?.size],
  [
    "gauge",
    "xylem_connections_limit",
    "Maximum number of connections at a time.",
    ({ connections }) => connections?.limits.maxConnections,
  ],
  [
    "gauge",
    "xylem_answer_bytes",
    "Bytes of large answers that are being sent.",
    ({ answerBytes }) => answerBytes,
  ],
  [
    "gauge",
    "xylem_worker_jobs_running",
    "Jobs that are running in workers.",
    ({ workers }) => workers?.running,
  ],
  ["gauge", "xylem_worker_jobs_waiting", "Jobs that wait for a worker.", ({ workers }) => workers?.waiting],
  ["counter", "xylem_worker_jobs_total", "Jobs that workers have finished.", ({ workers }) => workers?.ended],
  [
    "counter",
    "xylem_worker_seconds_total",
    "Time that workers have spent on jobs.",
    ({ workers }) => workers?.seconds,
  ],
  ["gauge", "xylem_git_processes", "Running git processes.", ({ git }) => git?.running],
  ["gauge", "xylem_git_waiting", "Requests that wait for a git process.", ({ git }) => git?.waiting],
  [
    "gauge",
    "xylem_replica_confirmed_age_seconds",
    "Time since the bucket confirmed its state.",
    ({ freshness }) => ageOf(freshness?.confirmedAtMs),
  ],
  [
    "gauge",
    "xylem_replica_published_age_seconds",
    "Time since the state was published.",
    ({ freshness }) => ageOf(freshness?.publishedAtMs),
  ],
  [
    "gauge",
    "xylem_publisher_silent_seconds",
    "Time since the last sign of a publisher.",
    ({ freshness }) => ageOf(freshness?.publisherSeenAtMs),
  ],
];

function ageOf(atMs: number | undefined): number | undefined {
  return atMs === undefined ? undefined : (Date.now() - atMs) / 1000;
}

export class Metrics {
  /** Media type of the result of {@link text}. */
  readonly contentType: string = Registry.OPENMETRICS_CONTENT_TYPE;
  readonly #registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  readonly #requests: Counter<RequestLabel>;
  readonly #sentBytes: Counter<RequestLabel>;
  readonly #requestSeconds: Histogram<RequestLabel>;
  readonly #faults: Counter;
  readonly #underWay: Gauge;
  #view: ServiceView | undefined;

  constructor() {
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const registers = [this.#registry];
    const ofRequests = { labelNames: REQUEST_LABELS, registers };
    const counted = "Requests whose answer was sent.";
    this.#requests = new Counter({ name: "xylem_requests_total", help: counted, ...ofRequests });
    const sent = "Bytes of answers, including header fields.";
    this.#sentBytes = new Counter({ name: "xylem_sent_bytes_total", help: sent, ...ofRequests });
    this.#requestSeconds = this.#seconds(
      "xylem_request_seconds",
      "Time from the header of a request to the end of its answer.",
      REQUEST_LABELS,
    );
    const unexpected = "Unexpected errors, answered 500 or 501.";
    this.#faults = new Counter({ name: "xylem_faults_total", help: unexpected, registers });
    const underWay = "Requests whose answer was not sent yet.";
    this.#underWay = new Gauge({ name: "xylem_requests_under_way", help: underWay, registers });
    this.#addService();
    this.#addCaches();
    this.#addProcess();
  }

  /** Sets the service whose figures become metrics. */
  watch(view: ServiceView): void {
    this.#view = view;
  }

  /** Call this method when a request has arrived. */
  begin(): void {
    this.#underWay.inc();
  }

  end({ method, pattern = "none", status, bytes, seconds }: MeasuredRequest): void {
    const labels = { method: METHODS.has(method) ? method : "other", pattern, status: String(status) };
    this.#requests.inc(labels);
    this.#sentBytes.inc(labels, Math.max(0, bytes));
    this.#requestSeconds.observe(labels, seconds);
    this.leave();
  }

  /** Call this method instead of {@link end} for a request that is not counted as finished. */
  leave(): void {
    this.#underWay.dec();
  }

  fault(): void {
    this.#faults.inc();
  }

  /**
   * Returns a function that measures calls to a system outside of the process.
   *
   * @param place The system. The name of the metric contains this text.
   */
  callsOf(place: "bucket" | "session_store"): ObserveCall {
    const histogram = this.#seconds(`xylem_${place}_seconds`, "Time of a call.", ["call", "outcome"]);
    return (call, outcome, seconds) => histogram.labels(call, outcome).observe(seconds);
  }

  /** Measures the delay of timers at intervals, until the returned function is called. */
  watchEventLoop(): () => void {
    const histogram = this.#seconds("xylem_event_loop_delay_seconds", "Delay of a timer.", []);
    let dueMs = performance.now() + CHECK_MS;
    const timer = setInterval(() => {
      histogram.observe(Math.max(0, performance.now() - dueMs) / 1000);
      dueMs = performance.now() + CHECK_MS;
    }, CHECK_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  async text(): Promise<string> {
    return await this.#registry.metrics();
  }

  #seconds<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> {
    return new Histogram({ name, help, labelNames, registers: [this.#registry], buckets: SECONDS });
  }

  /** Adds a metric whose value is read each time the text is made. */
  #add(
    kind: "gauge" | "counter",
    name: string,
    help: string,
    read: () => Values | Promise<Values>,
    labelNames: readonly string[] = [],
  ): void {
    async function collect(this: Pick<Gauge, "reset" | "remove" | "inc">): Promise<void> {
      const values = await read();
      // After `reset`, a metric without labels would have the value 0 instead of no value.
      labelNames.length === 0 ? this.remove() : this.reset();
      if (typeof values === "number") this.inc(values);
      else for (const [labels, value] of values ?? []) this.inc(labels, value);
    }
    const options = { name, help, labelNames, registers: [this.#registry], collect };
    kind === "gauge" ? new Gauge(options) : new Counter(options);
  }

  #addService(): void {
    this.#add(
      "gauge",
      "xylem_ready",
      "1 when the service is ready, as /readyz says, else 0.",
      async () => this.#view !== undefined && await this.#view.unreadiness() === undefined ? 1 : 0,
    );
    for (const [kind, name, help, read] of SERVICE_FIGURES) {
      const none = kind === "counter" ? 0 : undefined;
      this.#add(kind, name, help, () => (this.#view && read(this.#view.figures())) ?? none);
    }
  }

  #addCaches(): void {
    const add = (
      kind: "gauge" | "counter",
      name: string,
      help: string,
      figure: (figures: CacheFigures) => number,
    ) => {
      const read = () => [...cachesInUse()].map(([cache, figures]) => [{ cache }, figure(figures)] as const);
      this.#add(kind, name, help, read, ["cache"]);
    };
    add("gauge", "xylem_cache_bytes", "Bytes in a cache, approximately.", ({ weight }) => weight);
    add("gauge", "xylem_cache_entries", "Entries of a cache.", ({ size }) => size);
    add("counter", "xylem_cache_hits_total", "Lookups that found a value.", ({ hits }) => hits);
    add("counter", "xylem_cache_misses_total", "Lookups that found no value.", ({ misses }) => misses);
  }

  #addProcess(): void {
    const startSeconds = Date.now() / 1000;
    this.#add(
      "gauge",
      "xylem_start_time_seconds",
      "Start time of the process, in seconds since 1970.",
      () => startSeconds,
    );
    const readMemory = () => {
      const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
      return Object.entries({ rss, heapTotal, heapUsed, external })
        .map(([kind, bytes]) => [{ kind }, bytes] as const);
    };
    this.#add("gauge", "xylem_memory_bytes", "Memory of the process.", readMemory, ["kind"]);
    const version = [[{ version: VERSION }, 1]] as const;
    this.#add("gauge", "xylem_version_info", "The version, as a label.", () => version, ["version"]);
  }
}

/** Maximum number of simultaneous connections to the server of the metrics. */
export const MAX_METRICS_CONNECTIONS = 16;

/**
 * Serves `/metrics` on a separate address.
 *
 * @throws {ListenError} when the socket cannot be opened.
 */
export async function serveMetrics(
  metrics: Metrics,
  address: Address,
  log: Environment["log"],
  createServer: CreateServer,
): Promise<OpenSockets & { close(): Promise<void> }> {
  const maxConnections = MAX_METRICS_CONNECTIONS;
  const options = { listen: [address], log, answers: new Answers(), maxConnections };
  return await listenOn((request) => answer(metrics, request), options, {}, createServer);
}

async function answer(metrics: Metrics, { method, url }: Request): Promise<Answer> {
  if (pathOf(url) !== "/metrics") return errorAnswer(404, "Not Found");
  if (method !== "GET") return withHeaders(errorAnswer(405, "Method Not Allowed"), { allow: "GET" });
  return textAnswer(await metrics.text(), {
    "content-type": metrics.contentType,
    "cache-control": "no-store",
  });
}
