/** Starts child processes on Deno, as far as its permissions allow. Never asks for permissions. */
import { UnsupportedError } from "../../src/errors.ts";
import {
  MAX_ERROR_CHARACTERS,
  type ProgramCommand,
  type ProgramEnd,
  type RunningProgram,
} from "../../src/ports/program.ts";
import { lowerPriority, runningProgram, USUAL_PATH } from "../node/program.ts";
import { isGranted } from "./permission.ts";

/**
 * Starts a program. This requires the permission to run the program (such as `--allow-run=git`). With
 * `--allow-sys`, the program gets a lower priority than the service.
 */
export function startProgram(command: ProgramCommand): Promise<RunningProgram> {
  const { program, args, environment, input } = command;
  if (!isGranted({ name: "run", command: program })) {
    return Promise.reject(unsupported(program, new Error(`Deno has no --allow-run=${program}`)));
  }
  // `node:child_process` would require permission to read environment variables.
  const prepared = new Deno.Command(program, {
    args: [...args],
    cwd: "/",
    clearEnv: true,
    env: { ...environment, PATH: searchPath() },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  let child: Deno.ChildProcess;
  try {
    child = prepared.spawn();
  } catch (cause) {
    return Promise.reject(unsupported(program, cause));
  }
  if (isGranted({ name: "sys" })) lowerPriority(child.pid);
  // A program may end before it has read its input. That is not an error.
  new Blob([input]).stream().pipeTo(child.stdin).catch(() => {});
  const errors = readErrors(child.stderr);
  const ended = child.status.then(async ({ success, code, signal }): Promise<ProgramEnd> => {
    return { status: success || signal === null ? code : undefined, errors: await errors };
  });
  return Promise.resolve(runningProgram(child.stdout[Symbol.asyncIterator](), ended, (signal) => {
    try {
      child.kill(signal);
    } catch {
      // The program has just ended, so the signal is not needed.
    }
  }));
}

function unsupported(program: string, cause: unknown): UnsupportedError {
  return new UnsupportedError(`This service cannot run ${program}`, { cause });
}

/**
 * Returns the folders in which programs are searched; the default folders without permission to read `PATH`.
 */
function searchPath(): string {
  return (isGranted({ name: "env", variable: "PATH" }) && Deno.env.get("PATH")) || USUAL_PATH;
}

/** Reads standard error to its end, and returns its first {@link MAX_ERROR_CHARACTERS} characters. */
async function readErrors(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let errors = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    if (errors.length < MAX_ERROR_CHARACTERS) errors += decoder.decode(chunk, { stream: true });
  }
  return errors.slice(0, MAX_ERROR_CHARACTERS);
}
