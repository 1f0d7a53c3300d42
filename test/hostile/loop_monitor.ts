/**
 * Measures the turns of the event loop of this process by the processor time of its thread, so that the
 * figures hold on a busy machine. Imported before the command (see `monitored_command.ts`).
 */
import { openSync, readSync } from "node:fs";
import { createServer } from "node:net";
import { PerformanceObserver } from "node:perf_hooks";
import process from "node:process";

/** The variable with the path of the socket on which the monitor answers. */
export const MONITOR_SOCKET = "XYLEM_LOOP_MONITOR";

/** The longest turns since the last question, in milliseconds. */
export interface LongestTurns {
  /** Processor time of the thread in one turn. */
  readonly cpuMs: number;
  /** Of that, what V8 spent on garbage collection in this thread; 0 where the runtime does not tell. */
  readonly gcMs: number;
  /**
   * Time between two turns, without the time in which the thread was ready and got no processor: also waits
   * for a collector in another thread, and for files.
   */
  readonly lateMs: number;
}

const TIMER_MS = 1;

const file = openSync("/proc/thread-self/schedstat", "r");
const buffer = new Uint8Array(96);
const decoder = new TextDecoder();

/** Times for which this thread has run and has waited for a processor, in milliseconds. */
function threadTimes(): [runningMs: number, waitingMs: number] {
  const length = readSync(file, buffer, 0, buffer.length, 0);
  const [running, waiting] = decoder.decode(buffer.subarray(0, length)).split(" ");
  return [Number(running) / 1e6, Number(waiting) / 1e6];
}

const none: LongestTurns = { cpuMs: 0, gcMs: 0, lateMs: 0 };
let longest = none;
let gcMs = 0;
let [lastCpuMs, lastWaitingMs] = threadTimes();
let lastMs = performance.now();
/** The longest turn whose garbage collections the runtime has not told yet: it tells them a turn later. */
let pending: { readonly cpuMs: number; readonly lateMs: number } | undefined;

function turn(): void {
  const [cpuMs, waitingMs] = threadTimes();
  const nowMs = performance.now();
  if (pending !== undefined) take(pending);
  const waitedMs = waitingMs - lastWaitingMs;
  pending = { cpuMs: cpuMs - lastCpuMs, lateMs: nowMs - lastMs - TIMER_MS - waitedMs };
  [lastCpuMs, lastWaitingMs, lastMs] = [cpuMs, waitingMs, nowMs];
  setTimeout(turn, TIMER_MS).unref();
}

function take({ cpuMs, lateMs }: { readonly cpuMs: number; readonly lateMs: number }): void {
  longest = {
    cpuMs: Math.max(longest.cpuMs, cpuMs),
    gcMs: cpuMs > longest.cpuMs ? gcMs : longest.gcMs,
    lateMs: Math.max(longest.lateMs, lateMs),
  };
  gcMs = 0;
}

if ((PerformanceObserver.supportedEntryTypes ?? []).includes("gc")) {
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  }).observe({ entryTypes: ["gc"] });
}

const socket = process.env[MONITOR_SOCKET];
if (socket !== undefined) {
  createServer((client) => {
    if (pending !== undefined) take(pending);
    pending = undefined;
    client.end(JSON.stringify(longest));
    longest = none;
  }).listen(socket).unref();
  turn();
}
