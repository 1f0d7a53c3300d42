/** Our service as it is deployed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, type Runtime, type Service, startService } from "../support/programs.ts";

/** Starts our service with the variables for memory of `deploy/xylem.service`. */
export function startDeployed(runtime: Runtime, home: string, args: readonly string[]): Promise<Service> {
  const unit = readFileSync(join(ROOT, "deploy/xylem.service"), "utf8");
  const variables = /^Environment=(MALLOC_.*)$/m.exec(unit)?.[1]?.split(" ") ?? [];
  return startService(runtime, home, args, Object.fromEntries(variables.map((text) => text.split("=", 2))));
}
