/** Our service as it is deployed, and when it has finished its start. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type Runtime, type Service, startService } from "../support/programs.ts";

/** Starts our service with the variables for memory of `deploy/xylem.service`. */
export function startDeployed(runtime: Runtime, home: string, args: readonly string[]): Promise<Service> {
  const unit = readFileSync(join(ROOT, "deploy/xylem.service"), "utf8");
  const variables = /^Environment=(MALLOC_.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  return startService(runtime, home, args, Object.fromEntries(variables.map((text) => text.split("=", 2))));
}

/** Waits until a process has finished what it does after its start: it uses no processor time worth speaking of. */
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
