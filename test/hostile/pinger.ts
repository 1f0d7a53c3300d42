/** Asks a service for something cheap, over and over, on a connection and a thread of its own: how long do others wait? */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Pause between an answer and the next request. */
const PAUSE_MS = 4;
/** An answer that takes longer counts as none. */
const LIMIT_MS = 20_000;

/** A service that is asked all the time. */
export interface Pinged {
  readonly urls: readonly string[];
  /** Its process: time for which its main thread was ready and the machine had no processor for it is no delay of its own. */
  readonly pid: number;
}

/** What was seen since the last time. */
export interface Pings {
  /** How much longer the longest wait was than the longest for the idle service at the same time. */
  readonly delayMs: number;
  readonly medianMs: number;
  /** Answers that never came, or were not 200. */
  readonly failures: number;
}

/** The thread that asks two services in turn: one that has other things to do, and one that has not. */
export class Pinger {
  readonly #worker: Worker;

  /**
   * @param busy The service, and what it is asked for.
   * @param idle A service that nobody else asks for anything: the machine has its delays, too.
   */
  constructor(busy: Pinged, idle: Pinged) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { busy, idle } });
  }

  /** Everything since the last time, or since the beginning. */
  async take(): Promise<Pings> {
    this.#worker.postMessage("take");
    const [pings] = await once(this.#worker, "message");
    return pings;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

async function ask(agent: Agent, url: string): Promise<number | undefined> {
  const startMs = performance.now();
  return await new Promise((resolve) => {
    const request = get(url, { agent, timeout: LIMIT_MS }, (response) => {
      response.resume();
      response.on(
        "end",
        () => resolve(response.statusCode === 200 ? performance.now() - startMs : undefined),
      );
      response.on("error", () => resolve(undefined));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

/** For how long the main thread of a process has waited for a processor so far, in milliseconds. */
function waitingMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Asks one service for ever; the answer tells what was seen since the last time it was called. */
function watch({ urls, pid }: Pinged): () => { waits: number[]; failures: number } {
  let waits: number[] = [];
  let failures = 0;
  let askedMs = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const run = async () => {
    for (let i = 0;; i++) {
      askedMs = performance.now();
      const readyMs = waitingMs(pid);
      const ms = await ask(agent, urls[i % urls.length]!);
      if (ms === undefined) failures++;
      else waits.push(ms - (waitingMs(pid) - readyMs));
      askedMs = 0;
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  };
  void run();
  return () => {
    // One that waits still has waited for so long at least.
    const seen = { waits: askedMs === 0 ? waits : [...waits, performance.now() - askedMs], failures };
    [waits, failures] = [[], 0];
    return seen;
  };
}

if (parentPort !== null && workerData?.busy !== undefined) {
  const [service, idle] = [watch(workerData.busy), watch(workerData.idle)];
  parentPort.on("message", () => {
    const { waits, failures } = service();
    const longest = (list: readonly number[]) => list.reduce((most, ms) => Math.max(most, ms), 0);
    const pings: Pings = {
      delayMs: longest(waits) - longest(idle().waits),
      medianMs: waits.sort((a, b) => a - b)[waits.length >> 1] ?? 0,
      failures,
    };
    parentPort!.postMessage(pings);
  });
}
