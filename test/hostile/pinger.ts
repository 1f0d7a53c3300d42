/**
 * Measures how long other clients wait: sends a cheap request over and over, on a connection and a thread of
 * its own.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { CheapClient } from "./cheap_client.ts";

/**
 * Pause between an answer and the next request, of the busy and of the idle service: far below the waits that count, and
 * long enough that asking is no load of its own.
 */
const [PAUSE_MS, IDLE_PAUSE_MS] = [8, 40];
/** A slower answer counts as missing. */
const LIMIT_MS = 20_000;

/** A service that receives the cheap requests. */
export interface Pinged {
  readonly urls: readonly string[];
  /**
   * Its process id. Time in which its main thread was ready but got no processor is not a delay of the
   * service, nor is such time of the thread that asks.
   */
  readonly pid: number;
}

/** Cheap requests to the honest repositories, which read references, history and trees. */
export async function honestUrls(url: string): Promise<string[]> {
  const projects: { id: string; head: string }[] = await (await fetch(`${url}/api/v1/projects?show=pinned`))
    .json();
  const { id, head } = projects[0]!;
  const project = `${url}/api/v1/projects/${id}`;
  return [project, `${project}/tree/${head}/`, `${project}/remotes`];
}

/** Measurements since the last call. */
export interface Pings {
  /** Difference between the longest waits for the busy and for the idle service. */
  readonly delayMs: number;
  readonly medianMs: number;
  /** Time of the end of the longest wait for the busy service, in milliseconds since the epoch. */
  readonly slowestAtMs: number;
  /** Number of missing answers, and of answers other than 200. */
  readonly failures: number;
}

/** The thread that sends requests to two services alternately: a busy one and an idle one. */
export class Pinger {
  readonly #worker: Worker;

  /**
   * @param busy The service under test, and the cheap requests.
   * @param idle A service without other clients, for the delays of the machine.
   */
  constructor(busy: Pinged, idle: Pinged) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { busy, idle } });
  }

  /** Measurements since the last call, or since the start. */
  async take(): Promise<Pings> {
    this.#worker.postMessage("take");
    const [pings] = await once(this.#worker, "message");
    return pings;
  }

  /** Sends no requests until {@link goOn}: work that gives way to them can end. */
  pause(): void {
    this.#worker.postMessage("pause");
  }

  goOn(): void {
    this.#worker.postMessage("go on");
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * Total time for which the main thread of a process and this thread have waited for a processor, in
 * milliseconds.
 */
function waitingMs(pid: number): number {
  const threads = [`${pid}/task/${pid}`, "thread-self"];
  return threads.reduce((sum, thread) => sum + waitingOf(thread), 0);
}

/** The same of one thread, a folder of `/proc`. */
function waitingOf(thread: string): number {
  try {
    return Number(readFileSync(`/proc/${thread}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Whether no requests are sent now. */
let isPaused = false;

/** Waits for one service since the last look. */
interface Watched {
  readonly waits: number[];
  readonly failures: number;
  readonly slowestAtMs: number;
}

/**
 * Sends requests to one service for ever; the returned function gives the measurements since its last call.
 */
function watch({ urls, pid }: Pinged, pauseMs: number): () => Watched {
  let waits: number[] = [];
  let failures = 0;
  let slowest = { ms: 0, atMs: 0 };
  let askedMs = 0;
  const client = new CheapClient(urls[0]!, LIMIT_MS);
  const run = async () => {
    for (let i = 0;; i++) {
      while (isPaused) await new Promise((resume) => setTimeout(resume, PAUSE_MS));
      askedMs = performance.now();
      const readyMs = waitingMs(pid);
      if (!await client.get(urls[i % urls.length]!)) failures++;
      else {
        const waitMs = performance.now() - askedMs - (waitingMs(pid) - readyMs);
        waits.push(waitMs);
        if (waitMs > slowest.ms) slowest = { ms: waitMs, atMs: Date.now() };
      }
      askedMs = 0;
      await new Promise((resume) => setTimeout(resume, pauseMs));
    }
  };
  void run();
  return () => {
    // A pending request has waited at least this long.
    const seen = {
      waits: askedMs === 0 ? waits : [...waits, performance.now() - askedMs],
      failures,
      slowestAtMs: slowest.atMs,
    };
    [waits, failures, slowest] = [[], 0, { ms: 0, atMs: 0 }];
    return seen;
  };
}

if (parentPort !== null && workerData?.busy !== undefined) {
  const [service, idle] = [watch(workerData.busy, PAUSE_MS), watch(workerData.idle, IDLE_PAUSE_MS)];
  parentPort.on("message", (order: "take" | "pause" | "go on") => {
    if (order !== "take") {
      isPaused = order === "pause";
      return;
    }
    const { waits, failures, slowestAtMs } = service();
    const longest = (list: readonly number[]) => list.reduce((most, ms) => Math.max(most, ms), 0);
    const pings: Pings = {
      delayMs: longest(waits) - longest(idle().waits),
      medianMs: waits.sort((a, b) => a - b)[waits.length >> 1] ?? 0,
      slowestAtMs,
      failures,
    };
    parentPort!.postMessage(pings);
  });
}
