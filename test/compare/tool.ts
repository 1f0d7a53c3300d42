/** The tool as a process. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { PATIENCE_MS } from "../support/patience.ts";
import { ROOT, runtimeCommand } from "../support/programs.ts";

/** What a run of the tool left behind. */
export interface Outcome {
  readonly status: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `node test/compare/run.ts` with only `PATH` and these variables. */
export function runCompare(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const [program, ...words] = runtimeCommand("node", join(ROOT, "test", "compare", "run.ts"));
  return new Promise((resolve) => {
    execFile(
      program,
      [...words, ...args],
      {
        cwd: ROOT,
        env: {
          PATH: process.env["PATH"],
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          ...env,
        },
        maxBuffer: 2 ** 24,
        timeout: PATIENCE_MS,
        killSignal: "SIGKILL",
      },
      (error, stdout, stderr) => resolve({ status: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}
