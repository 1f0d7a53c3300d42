/** Child processes on Deno, as far as its permissions allow them. Nobody is asked for more. */
import { UnsupportedError } from "../../src/errors.ts";
import type { ProgramCommand, RunningProgram } from "../../src/ports/program.ts";
import { startProgram as startNodeProgram } from "../node/program.ts";
import { isGranted } from "./permission.ts";

/** Starts a program; it needs the permission to run it (`--allow-run=git`). */
export function startProgram(command: ProgramCommand): Promise<RunningProgram> {
  const { program } = command;
  if (isGranted({ name: "run", command: program })) return startNodeProgram(command);
  const cause = new Error(`Deno has no --allow-run=${program}`);
  return Promise.reject(new UnsupportedError(`This service cannot run ${program}`, { cause }));
}
