// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures the resident memory of our service after a fixed number of requests, on a home that
 * `run.ts --homes FOLDER` has made:
 * `node bench/memory.ts --homes FOLDER [--runtime node|deno|bun]… [--requests 8000]`. Prints megabytes after
 * the start, after the run and ten seconds later, and the processor time of the run in seconds, which can be
 * compared between two versions even on a busy machine.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ROOT, type Runtime, RUNTIMES, temporaryFolder } from "../test/support/programs.ts";
import { idle, startDeployed } from "./deployed.ts";
import { openBenchHome } from "./homes.ts";
import { HttpConnection } from "./http_connection.ts";

const { values } = parseArgs({
  options: {
    homes: { type: "string" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    requests: { type: "string", default: "8000" },
  },
});
if (values.homes === undefined) throw new Error("--homes FOLDER is missing: a folder of run.ts");

/** Requests of each URL before the load. */
const TIMES_EACH = 4;
const CONNECTIONS = 16;
const LATER_MS = 10_000;
/** The large repository, which is left out of the load, as in `run.ts`. */
const LARGE = "large";

const { home, repositories } = await openBenchHome(values.homes, { paths: [], sizes: [] });
const folder = temporaryFolder("memory");
const cache = join(folder, "cache");
const plan = join(folder, "plan.json");
mkdirSync(cache);
const planner = await startDeployed("node", home, ["--cache", cache]);
const rids = repositories.filter(({ name }) => name !== LARGE).flatMap(({ rid }) => ["--rid", rid]);
const compare = join(ROOT, "bench/compare.mjs");
execFileSync(process.execPath, [compare, "--b", planner.url, "--plan", plan, ...rids]);
// Meanwhile, the process saves its indexes in the cache folder.
await idle(planner.pid);
await planner.stop();
const plans: Record<string, Record<string, string[]>> = JSON.parse(readFileSync(plan, "utf8"));

for (const runtime of values.runtime as readonly Runtime[]) {
  const service = await startDeployed(runtime, home, ["--cache", cache]);
  await idle(service.pid);
  const [start, before] = [resident(service.pid), processorSeconds(service.pid)];
  for (const kinds of Object.values(plans)) {
    const targets = Object.entries(kinds).flatMap(([kind, some]) => kind.startsWith("_") ? [] : some);
    await ask(service.url, targets.flatMap((target) => Array<string>(TIMES_EACH).fill(target)), 1);
    const load = Array.from({ length: Number(values.requests) }, (_, i) => targets[i % targets.length]!);
    await ask(service.url, load, CONNECTIONS);
  }
  const [end, seconds] = [resident(service.pid), processorSeconds(service.pid) - before];
  await new Promise((resume) => setTimeout(resume, LATER_MS));
  console.log(
    `${runtime}: ${start} MB after the start, ${end} after the run, ${resident(service.pid)} later, ` +
      `${seconds.toFixed(1)} s of processor time`,
  );
  await service.stop();
}

/** Requests all targets in their order, over this many connections. */
async function ask(url: string, targets: readonly string[], connections: number): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: connections }, async () => {
    const connection = new HttpConnection(url);
    while (next < targets.length) await connection.get(`/api/v1${targets[next++]}`);
    connection.close();
  }));
}

/** Resident memory of a process, in megabytes. */
function resident(pid: number): number {
  return Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
  );
}

/** Processor time of a process so far, in seconds. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
