// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Times our service beside `radicle-httpd` 0.10.0 on the same homes, request by request in turn, first answers after a start and repeated ones,
 * then requests per second and the memory of both: `node test/bench/run.ts [--rounds 3] [--runtime node|deno|bun]… [--samples 60]
 * [--commits 2500] [--large 80000] [--repository PATH]… [--report docs/performance.md]`. Prints medians of the rounds as Markdown, ratios that
 * are lower than wanted in bold. Never fails because of a time. `--large 0` leaves the large repository out. With `--repository`, a clone or a
 * bundle of git, it measures real histories in place of the generated ones.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, platform, totalmem } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  removeFolder,
  ROOT,
  type Runtime,
  RUNTIMES,
  startHttpd,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { type BenchHome, createBenchHome, createHomeOf } from "./homes.ts";
import { comparisonTable, ownTable, type Round, WANTED_OF_GENERATED, WANTED_OF_REAL } from "./report.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "2500" },
    files: { type: "string", default: "300" },
    issues: { type: "string", default: "100" },
    patches: { type: "string", default: "40" },
    large: { type: "string", default: "80000" },
    rounds: { type: "string", default: "3" },
    samples: { type: "string", default: "60" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    repository: { type: "string", multiple: true },
    report: { type: "string" },
  },
});

const COMPARE = join(ROOT, "test/bench/compare.mjs");
const LARGE_FILES = 2000;
const LARGE_SAMPLES = 12;

const folder = temporaryFolder("bench");
const report: string[] = [];
try {
  say(
    `Measured on ${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${
      (totalmem() / 2 ** 30).toFixed(0)
    } GiB, ${values.rounds} rounds, medians; milliseconds. ${versions()}`,
  );
  if (values.repository !== undefined) await measureReal(values.repository);
  else {
    await measureBeside();
    if (Number(values.large) > 0) await measureLarge();
  }
} finally {
  removeFolder(folder);
}
if (values.report !== undefined) writeReport(values.report);

async function measureBeside(): Promise<void> {
  const [commits, issues, patches] = [values.commits, values.issues, values.patches].map(Number) as [
    number,
    number,
    number,
  ];
  const size = { commits, files: Number(values.files), issues, patches };
  const bench = await createBenchHome(join(folder, "beside"), size);
  say("", `## ${commits} commits, ${size.files} files, ${issues} issues, ${patches} patches`);
  const plan = join(folder, "beside.json");
  const planner = await startHttpd(bench.home);
  await compare("--b", planner.url, "--plan", plan, "--rid", bench.rid, "--samples", values.samples);
  await planner.stop();
  for (const runtime of values.runtime) {
    const rounds: Round[] = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      rounds.push(await measure(runtime as Runtime, bench, plan, []));
    }
    say("", `### ${title(runtime)}`, "", ...comparisonTable(rounds, WANTED_OF_GENERATED));
  }
}

/** Asks for each of some real repositories in turn, all in one home. */
async function measureReal(paths: readonly string[]): Promise<void> {
  const { home, repositories } = createHomeOf(paths, join(folder, "real"));
  for (const { name, rid } of repositories) {
    const plan = join(folder, `${name}.json`);
    const planner = await startHttpd(home);
    await compare("--b", planner.url, "--plan", plan, "--rid", rid, "--samples", values.samples);
    await planner.stop();
    say("", `## ${name}`);
    for (const runtime of values.runtime) {
      const rounds: Round[] = [];
      for (let round = 0; round < Number(values.rounds); round++) {
        rounds.push(await measure(runtime as Runtime, { home, rid }, plan, []));
      }
      say("", `### ${title(runtime)}`, "", ...comparisonTable(rounds, WANTED_OF_REAL));
    }
  }
}

/** The other service answers some requests of a large repository after half a minute, others never: it is asked one of each kind. */
async function measureLarge(): Promise<void> {
  const size = { commits: Number(values.large), files: LARGE_FILES, issues: 0, patches: 0 };
  const bench = await createBenchHome(join(folder, "large"), size);
  say("", `## ${size.commits} commits, ${size.files} files`);
  const plan = join(folder, "large.json");
  const planner = await startService("node", bench.home);
  await compare("--b", planner.url, "--plan", plan, "--rid", bench.rid, "--samples", String(LARGE_SAMPLES));
  await planner.stop();
  for (const [i, runtime] of values.runtime.entries()) {
    const round = await measure(runtime as Runtime, bench, plan, ["--b-samples", i === 0 ? "1" : "0"]);
    say("", `### ${title(runtime)}`, "", ...ownTable([round]));
  }
}

/** Starts both services anew and asks them. */
async function measure(
  runtime: Runtime,
  { home, rid }: BenchHome,
  plan: string,
  args: string[],
): Promise<Round> {
  const ours = await startService(runtime, home, ["--cache", join(folder, "cache")]);
  const theirs = await startHttpd(home);
  await idle(ours.pid);
  const output = join(folder, "round.json");
  await compare("--a", ours.url, "--b", theirs.url, "--plan", plan, "--json", output, ...args);
  const megabytes = { A: residentMegabytes(ours.pid), B: residentMegabytes(theirs.pid) };
  await ours.stop();
  await theirs.stop();
  const { first, load } = JSON.parse(readFileSync(output, "utf8"));
  return { first: first[rid], load: load[rid], megabytes };
}

/** Waits without blocking: the services' output has to be read meanwhile, or they stand still. */
async function compare(...args: string[]): Promise<void> {
  const [status] = await once(spawn(process.execPath, [COMPARE, ...args], { stdio: "inherit" }), "exit");
  if (status !== 0) throw new Error(`compare.mjs ended with ${status}`);
}

/** Waits until a process has finished what it does after its start: it uses no processor time worth speaking of. */
async function idle(pid: number): Promise<void> {
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

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function say(...lines: string[]): void {
  report.push(...lines);
  console.log(lines.join("\n"));
}

function title(runtime: string): string {
  return { node: "Node.js", deno: "Deno", bun: "Bun" }[runtime] ?? runtime;
}

function versions(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return RUNTIMES.map((runtime) => `${title(runtime)} ${devDependencies[runtime]}`).join(", ") +
    ", radicle-httpd 0.10.0 (release build).";
}

/** The measured part of the document starts at this line; what stands above it stays. */
function writeReport(path: string): void {
  const MEASURED = "<!-- measured -->";
  const [above = ""] = readFileSync(path, "utf8").split(MEASURED);
  writeFileSync(path, `${above}${MEASURED}\n\n${report.join("\n")}\n`);
}
