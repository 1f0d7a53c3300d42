// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * A crawler in a separate process, so that its own work is not measured. It requests each URL of a list once,
 * over several connections with one request at a time each.
 * `node bench/crawler.ts --url URL --targets FILE --pid PID [--connections 16] [--seconds 600]` prints a
 * `Crawled` as JSON. With `--watch PATH` instead of `--targets` it is the other client: it requests one path
 * again and again until its standard input ends, and prints its `Waits`.
 */
import { readFileSync } from "node:fs";
import process from "node:process";
import { parseArgs } from "node:util";
import { HttpConnection } from "./http_connection.ts";

/** The answers that a crawler received. */
export interface Crawled {
  readonly answers: number;
  /** Answers with a status of 400 and above. */
  readonly failed: number;
  readonly seconds: number;
  readonly megabytes: number;
  /** Resident memory of the service at regular intervals, in megabytes. */
  readonly memory: readonly number[];
}

/** Waiting times of the other client, in milliseconds. */
export interface Waits {
  readonly answers: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** Interval at which the memory of the service is read, in milliseconds. */
const MEMORY_MS = 250;
/** Samples of the memory that are reported. */
const MEMORY_SAMPLES = 8;
/** Pause between two requests of the other client, in milliseconds. */
const WATCH_MS = 20;

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "" },
    targets: { type: "string" },
    watch: { type: "string" },
    pid: { type: "string", default: "" },
    connections: { type: "string", default: "16" },
    seconds: { type: "string", default: "600" },
    prefix: { type: "string", default: "/api/v1" },
  },
});
const result = values.watch === undefined ? await crawl() : await watch(values.prefix + values.watch);
console.log(JSON.stringify(result));
process.exit(0);

async function crawl(): Promise<Crawled> {
  const targets: string[] = JSON.parse(readFileSync(values.targets!, "utf8"));
  const memory = [residentMegabytes()];
  const timer = setInterval(() => memory.push(residentMegabytes()), MEMORY_MS);
  const start = performance.now();
  const end = start + Number(values.seconds) * 1000;
  let next = 0, answers = 0, failed = 0, bytes = 0;
  await Promise.all(Array.from({ length: Number(values.connections) }, async () => {
    const connection = new HttpConnection(values.url);
    while (next < targets.length && performance.now() < end) {
      const answer = await connection.get(values.prefix + targets[next++]!);
      answers++;
      if (answer.status >= 400) failed++;
      bytes += answer.bytes;
    }
    connection.close();
  }));
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  memory.push(residentMegabytes());
  const at = (i: number) => memory[Math.round(i * (memory.length - 1) / (MEMORY_SAMPLES - 1))]!;
  const even = Array.from({ length: MEMORY_SAMPLES }, (_, i) => at(i));
  return { answers, failed, seconds, megabytes: bytes / 1e6, memory: even };
}

async function watch(target: string): Promise<Waits> {
  let isOver = false;
  process.stdin.on("end", () => isOver = true).resume();
  const connection = new HttpConnection(values.url);
  const waits: number[] = [];
  while (!isOver) {
    waits.push((await connection.get(target)).ms);
    await new Promise((resume) => setTimeout(resume, WATCH_MS));
  }
  const sorted = waits.sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
  return { answers: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

function residentMegabytes(): number {
  if (values.pid === "") return 0;
  const status = readFileSync(`/proc/${values.pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
