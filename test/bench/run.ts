// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Times our service beside `radicle-httpd` 0.10.0 on the same home, request by request in turn: `node test/bench/run.ts [--commits 2500]
 * [--runtime node|deno|bun]… [--samples 60]`, by default on all three runtimes. Prints milliseconds and ratios (above 1: ours is faster),
 * first answers after a start and repeated ones, then requests per second and the memory of both. Never fails because of a time.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { arch, cpus, platform } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import {
  createRadHome,
  removeFolder,
  ROOT,
  type Runtime,
  RUNTIMES,
  startHttpd,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { largeHistory } from "./large_history.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "2500" },
    files: { type: "string", default: "300" },
    samples: { type: "string", default: "60" },
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
  },
});

const COMPARE = join(ROOT, "test/bench/compare.mjs");
const folder = temporaryFolder("bench");
try {
  console.log(
    `${platform()} ${arch()}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, Node.js ${process.version}`,
  );
  const { home, rid } = await makeHome();
  const plan = join(folder, "plan.json");
  const planner = await startHttpd(home);
  await compare("--b", planner.url, "--plan", plan, "--rid", rid, "--samples", values.samples);
  await planner.stop();
  for (const runtime of values.runtime) {
    console.log(`\n==== ${runtime} ====`);
    const ours = await startService(runtime as Runtime, home);
    const theirs = await startHttpd(home);
    await compare("--a", ours.url, "--b", theirs.url, "--plan", plan);
    console.log(`memory: A ${residentMegabytes(ours.pid)} MB, B ${residentMegabytes(theirs.pid)} MB`);
    await ours.stop();
    await theirs.stop();
  }
} finally {
  removeFolder(folder);
}

/** A home with one repository of a generated history, made with the real `rad`. */
async function makeHome(): Promise<{ home: string; rid: string }> {
  const { home, rad } = createRadHome("0.10", folder, { alias: "bench", seed: "11".repeat(32) });
  const work = join(folder, "work");
  mkdirSync(work);
  execFileSync("git", ["init", "--quiet", "--initial-branch", "main", work]);
  const started = performance.now();
  const importer = spawn("git", ["-C", work, "fast-import", "--quiet"], {
    stdio: ["pipe", "inherit", "inherit"],
  });
  const ended = new Promise<void>((resolve, reject) => {
    importer.on(
      "close",
      (status) => status === 0 ? resolve() : reject(new Error(`git fast-import ended with ${status}`)),
    );
  });
  await pipeline(
    Readable.from(largeHistory({ commits: Number(values.commits), files: Number(values.files) })),
    importer.stdin,
  );
  await ended;
  execFileSync("git", ["-C", work, "checkout", "--quiet", "main"]);
  rad(
    work,
    "init",
    "--name",
    "bench",
    "--description",
    "A grown project",
    "--default-branch",
    "main",
    "--public",
    "--no-confirm",
  );
  const rid = rad(work, "inspect", "--rid").trim();
  rad(work, "issue", "cache", "--repo", rid);
  execFileSync("git", ["--git-dir", join(home, "storage", rid.replace("rad:", "")), "gc", "--quiet"]);
  rmSync(work, { recursive: true });
  console.log(
    `${values.commits} commits of ${values.files} files made in ${
      ((performance.now() - started) / 1000).toFixed(0)
    } s`,
  );
  return { home, rid };
}

/** Waits without blocking: the services' output has to be read meanwhile, or they stand still. */
async function compare(...args: string[]): Promise<void> {
  const [status] = await once(spawn(process.execPath, [COMPARE, ...args], { stdio: "inherit" }), "exit");
  if (status !== 0) throw new Error(`compare.mjs ended with ${status}`);
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}
