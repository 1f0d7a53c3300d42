/** Child processes through `node:child_process`. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { constants, getPriority, setPriority } from "node:os";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { UnsupportedError } from "../../src/errors.ts";
import {
  MAX_ERROR_CHARACTERS,
  type ProgramCommand,
  type ProgramEnd,
  type RunningProgram,
} from "../../src/ports/program.ts";

/** Steps of `nice` by which the priority of a program is below that of the service. */
export const NICENESS = 10;
/** Time that a program has to end by itself after SIGTERM, in milliseconds, before it is killed. */
export const TERM_MS = 2000;

/** Folders of programs on most systems. */
export const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Starts a program without a shell, with nothing in its environment but the command's and `PATH`. */
export async function startProgram(command: ProgramCommand): Promise<RunningProgram> {
  const { program, args, environment, input } = command;
  const child: Child = spawn(program, [...args], {
    cwd: "/",
    env: { ...environment, PATH: searchPath() },
    stdio: ["pipe", "pipe", "pipe"],
    shell: false,
  });
  const ended = endOf(child);
  await started(child, program);
  if (child.pid !== undefined) lowerPriority(child.pid);
  // A program that ends early takes no input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const pieces: AsyncIterator<Uint8Array<ArrayBuffer>> = child.stdout[Symbol.asyncIterator]();
  return runningProgram(pieces, ended, (signal) => child.kill(signal));
}

/** Folders in which programs are; those of most systems where the variable may not be read. */
function searchPath(): string {
  try {
    return process.env["PATH"] || USUAL_PATH;
  } catch {
    return USUAL_PATH;
  }
}

/** Resolves when the program runs. */
function started(child: Child, program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      reject(new UnsupportedError(`This service cannot run ${program}`, { cause }));
    });
  });
}

function endOf(child: Child): Promise<ProgramEnd> {
  let errors = "";
  child.stderr.setEncoding("utf8");
  child.stderr.on("data", (text: string) => {
    errors = (errors + text).slice(0, MAX_ERROR_CHARACTERS);
  });
  return new Promise((resolve) => {
    child.once("exit", (status) => resolve({ status: status ?? undefined, errors }));
    child.once("error", () => resolve({ status: undefined, errors }));
  });
}

/** Lowers the priority of a process; programs that it starts inherit it. */
export function lowerPriority(pid: number): void {
  try {
    const { PRIORITY_LOW } = constants.priority;
    setPriority(pid, Math.min(getPriority() + NICENESS, PRIORITY_LOW));
  } catch {
    // It has ended already, or the system knows no priorities.
  }
}

/**
 * A program that runs.
 *
 * @param pieces Its standard output. Pieces are read one at a time, when they are asked for.
 * @param send Sends a signal to the program; does nothing when it has ended.
 */
export function runningProgram(
  pieces: AsyncIterator<Uint8Array<ArrayBuffer>>,
  ended: Promise<ProgramEnd>,
  send: (signal: "SIGTERM" | "SIGKILL") => void,
): RunningProgram {
  let hasEnded = false;
  // Nobody reads it to its end, which would close it.
  const closePipe = () => void pieces.return?.().catch(() => {});
  const kill = () => {
    if (hasEnded) return;
    // git hands SIGTERM on to the program that packs for it; after SIGKILL that would go on.
    send("SIGTERM");
    closePipe();
    const timer = setTimeout(() => send("SIGKILL"), TERM_MS);
    void ended.then(() => clearTimeout(timer));
  };
  void ended.then(() => hasEnded = true);
  const output = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // A program that was killed has an output that was cut off: an end, not a failure.
      const { done, value } = await pieces.next().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => (kill(), closePipe()),
  }, { highWaterMark: 0 });
  return { output, ended, kill };
}
