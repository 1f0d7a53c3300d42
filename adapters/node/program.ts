/** Starts child processes through `node:child_process`. */
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

/** Number of `nice` steps by which the priority of a program is lower than the priority of the service. */
export const NICENESS = 10;
/** Delay between SIGTERM and SIGKILL for a program that does not end, in milliseconds. */
export const TERM_MS = 2000;

/** Default folders of programs on most systems. */
export const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Starts a program without a shell. Its environment contains only the variables of the command and `PATH`.
 */
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
  // A program may end before it has read its input. That is not an error.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const pieces: AsyncIterator<Uint8Array<ArrayBuffer>> = child.stdout[Symbol.asyncIterator]();
  return runningProgram(pieces, ended, (signal) => child.kill(signal));
}

/** Returns the folders in which programs are searched; the default folders if `PATH` may not be read. */
function searchPath(): string {
  try {
    return process.env["PATH"] || USUAL_PATH;
  } catch {
    return USUAL_PATH;
  }
}

/** Waits until the program has started. Rejects when the program cannot be started. */
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

/** Lowers the priority of a process and of the programs that it starts later. */
export function lowerPriority(pid: number): void {
  try {
    const { PRIORITY_LOW } = constants.priority;
    setPriority(pid, Math.min(getPriority() + NICENESS, PRIORITY_LOW));
  } catch {
    // The process has already ended, or the system has no priorities.
  }
}

/**
 * Wraps a running program.
 *
 * @param pieces Standard output of the program, which is read only on request.
 * @param send Sends a signal to the program. Has no effect after the program has ended.
 */
export function runningProgram(
  pieces: AsyncIterator<Uint8Array<ArrayBuffer>>,
  ended: Promise<ProgramEnd>,
  send: (signal: "SIGTERM" | "SIGKILL") => void,
): RunningProgram {
  let hasEnded = false;
  // Closes the pipe when the output is not read to its end.
  const closePipe = () => void pieces.return?.().catch(() => {});
  const kill = () => {
    if (hasEnded) return;
    // SIGTERM is first, because git passes it on to the program that makes the pack. After SIGKILL, that
    // program would continue.
    send("SIGTERM");
    closePipe();
    const timer = setTimeout(() => send("SIGKILL"), TERM_MS);
    void ended.then(() => clearTimeout(timer));
  };
  void ended.then(() => hasEnded = true);
  const output = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      // The output of a killed program ends early, and the stream then ends without an error.
      const { done, value } = await pieces.next().catch(() => ({ done: true, value: undefined }));
      if (done || value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => (kill(), closePipe()),
  }, { highWaterMark: 0 });
  return { output, ended, kill };
}
