/** Asks a service for something cheap, over and over, on a connection and a thread of its own: how long do others wait? */
import { Agent, get } from "node:http";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Pause between an answer and the next request. */
const PAUSE_MS = 4;
/** An answer that takes longer counts as none. */
const LIMIT_MS = 20_000;

/** What was seen since the last time. */
export interface Pings {
  readonly count: number;
  readonly medianMs: number;
  readonly longestMs: number;
  /** Answers that never came, or were not 200. */
  readonly failures: number;
}

/** The thread that asks. */
export class Pinger {
  readonly #worker: Worker;

  constructor(urls: readonly string[]) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: { urls } });
  }

  /** Everything since the last time, or since the beginning. */
  async take(): Promise<Pings> {
    return await new Promise((resolve, reject) => {
      this.#worker.once("message", resolve);
      this.#worker.once("error", reject);
      this.#worker.postMessage("take");
    });
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

async function run(urls: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let waits: number[] = [];
  let failures = 0;
  parentPort!.on("message", () => {
    const sorted = waits.sort((a, b) => a - b);
    const pings: Pings = {
      count: sorted.length,
      medianMs: sorted[sorted.length >> 1] ?? 0,
      longestMs: sorted.at(-1) ?? 0,
      failures,
    };
    [waits, failures] = [[], 0];
    parentPort!.postMessage(pings);
  });
  for (let i = 0;; i++) {
    const ms = await ask(agent, urls[i % urls.length]!);
    if (ms === undefined) failures++;
    else waits.push(ms);
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
}

if (parentPort !== null && workerData?.urls !== undefined) await run(workerData.urls);
