/** Memory and idleness of a process, as Linux tells them in `/proc`. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Service } from "../support/programs.ts";

/**
 * A process is idle that takes or waits for less than this share of a processor in three intervals in a row;
 * the cheap requests take some of it.
 */
const IDLE_SHARE = 0.35;
const IDLE_MS = 50;
const IDLE_LIMIT_MS = 60_000;
/** The unit of processor times in `/proc`: that of Linux on all machines. */
const TICKS_PER_SECOND = 100;

/** Resolves when a service is idle, or after {@link IDLE_LIMIT_MS}. */
export async function rest({ pid }: Service): Promise<void> {
  const limitMs = performance.now() + IDLE_LIMIT_MS;
  let idleIntervals = 0;
  for (let before = readyMs(pid); performance.now() < limitMs;) {
    await new Promise((resume) => setTimeout(resume, IDLE_MS));
    const now = readyMs(pid);
    idleIntervals = now - before < IDLE_SHARE * IDLE_MS ? idleIntervals + 1 : 0;
    if (idleIntervals === 3) return;
    before = now;
  }
}

/** Total time for which the threads that a process has now had a processor or waited for one, in milliseconds. */
function readyMs(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => {
    const [runningNs, waitingNs] = readProcess(pid, `task/${thread}/schedstat`).split(" ");
    return sum + (Number(runningNs) + Number(waitingNs ?? 0)) / 1e6;
  }, 0);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Processor time of a process and of those that it has started and that have ended, in seconds; 0 after its end. */
export function processorSeconds({ pid }: Service): number {
  // The fields after the name, which may have blanks (proc_pid_stat(5)).
  const fields = readProcess(pid, "stat").split(") ").at(-1)!.split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/** Current and maximum memory of a process in MiB; 0 after its end. */
export function memory({ pid }: Service): { restingMiB: number; mostMiB: number } {
  const status = readProcess(pid, "status");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { restingMiB: of("VmRSS"), mostMiB: of("VmHWM") };
}

/** Resets the maximum memory of a process to its current memory. */
export function forgetMost({ pid }: Service): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The process has ended, which is noticed soon.
  }
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
