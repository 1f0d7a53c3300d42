/** Starts our service as it is deployed, and waits until it has finished its start. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type Runtime, type Service, startWarmService } from "../test/support/programs.ts";

/** Path of the command in the package for npm, once this process has built it. */
let built: string | undefined;

/**
 * Starts our service as `deploy/xylem.service` does, with the same memory variables. On Node.js it runs the
 * command of the npm package, which is first built from this checkout and takes some seconds. On Deno and Bun
 * it runs the checkout.
 */
export function startDeployed(runtime: Runtime, home: string, args: readonly string[]): Promise<Service> {
  const unit = readFileSync(join(ROOT, "deploy/xylem.service"), "utf8");
  const variables = [...unit.matchAll(/^Environment=((?:MALLOC_|DENO_V8_FLAGS=).*)$/gm)]
    .flatMap(([, line = ""]) => line.split(" "));
  const env = Object.fromEntries(variables.map((text) => /^(.*?)=(.*)$/.exec(text)!.slice(1)));
  return startWarmService(
    runtime,
    home,
    args,
    env,
    undefined,
    runtime === "node" ? builtCommand() : undefined,
  );
}

function builtCommand(): string {
  if (built === undefined) {
    execFileSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
    built = join(ROOT, "dist/adapters/cli/main.js");
  }
  return built;
}

/** Waits until a process has finished the work after its start, and uses almost no processor time. */
export async function idle(pid: number): Promise<void> {
  for (
    let before = -1, now = processorTicks(pid);
    now - before > 2;
    before = now, now = processorTicks(pid)
  ) {
    await new Promise((resume) => setTimeout(resume, 300));
  }
}

/** Processor time used so far, in hundredths of a second. */
function processorTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return Number(fields[11]) + Number(fields[12]);
}
