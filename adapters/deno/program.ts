/** Child processes on Deno, as far as its permissions allow them. Nobody is asked for more. */
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
 * Starts a program; it needs the permission to run it (`--allow-run=git`). Its priority is lower than the
 * service's if that may be changed (`--allow-sys`).
 */
export function startProgram(command: ProgramCommand): Promise<RunningProgram> {
  const { program, args, environment, input } = command;
  if (!isGranted({ name: "run", command: program })) {
    return Promise.reject(unsupported(program, new Error(`Deno has no --allow-run=${program}`)));
  }
  // Through `node:child_process`, it would need to read variables of the environment.
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
  // A program that ends early takes no input.
  new Blob([input]).stream().pipeTo(child.stdin).catch(() => {});
  const errors = readErrors(child.stderr);
  const ended = child.status.then(async ({ success, code, signal }): Promise<ProgramEnd> => {
    return { status: success || signal === null ? code : undefined, errors: await errors };
  });
  return Promise.resolve(runningProgram(child.stdout[Symbol.asyncIterator](), ended, (signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended just now.
    }
  }));
}

function unsupported(program: string, cause: unknown): UnsupportedError {
  return new UnsupportedError(`This service cannot run ${program}`, { cause });
}

/** Folders in which programs are; those of most systems where the variable may not be read. */
function searchPath(): string {
  return (isGranted({ name: "env", variable: "PATH" }) && Deno.env.get("PATH")) || USUAL_PATH;
}

/** The start of the standard error, which is read to its end. */
async function readErrors(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let errors = "";
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    if (errors.length < MAX_ERROR_CHARACTERS) errors += decoder.decode(chunk, { stream: true });
  }
  return errors.slice(0, MAX_ERROR_CHARACTERS);
}
