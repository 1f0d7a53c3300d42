// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Replays the recordings of cases.ts against our service, and has git check what it wrote:
 * `node test/replay/run.ts [--runtime node|deno|bun]… [--case NAME]… [--show N]`, by default everything on all three runtimes. The last line is `N passed, M failed`; the exit status is 1 when anything failed.
 */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs, promisify } from "node:util";
import {
  removeFolder,
  ROOT,
  type Runtime,
  RUNTIMES,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { REPLAY_CASES, type ReplayCase } from "./cases.ts";

/** Longest time for all recordings of one case. */
const REPLAY_LIMIT_MS = 15 * 60_000;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

interface Count {
  passed: number;
  failed: number;
}

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    case: { type: "string", multiple: true, default: REPLAY_CASES.map((one) => one.name) },
    show: { type: "string", default: "20" },
  },
});

const total: Count = { passed: 0, failed: 0 };
for (const runtime of values.runtime) {
  for (const name of values.case) {
    const chosen = REPLAY_CASES.find((one) => one.name === name);
    if (!chosen || !isRuntime(runtime)) throw new RangeError(`No case "${name}" on runtime "${runtime}"`);
    const startedMs = performance.now();
    const count = await replay(chosen, runtime);
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    console.log(
      `replay of ${name} on ${runtime}: ${count.passed} right, ${count.failed} wrong, ${seconds} s`,
    );
    total.passed += count.passed;
    total.failed += count.failed;
  }
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** Replays one case on a fresh copy of its home; a service that does not start or a replay that does not end counts as one failure. */
async function replay(one: ReplayCase, runtime: Runtime): Promise<Count> {
  const folder = temporaryFolder("replay");
  try {
    const home = unpackHome(one.home, folder);
    const service = await startService(runtime, home, one.service);
    try {
      const count = await ask(one, service.url, home);
      return {
        ...count,
        failed: count.failed + (one.writes ? await countBroken(home) : 0),
      };
    } finally {
      await service.stop();
    }
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  } finally {
    removeFolder(folder);
  }
}

async function ask(one: ReplayCase, url: string, home: string): Promise<Count> {
  const recordings = one.recordings.map((path) => join(ROOT, "test", "fixtures", path));
  const args = ["--base", url, "--home", home, ...recordings, ...one.options, "--show", values.show];
  const script = join(ROOT, "test", "replay", "replay.mjs");
  const stdout = await promisify(execFile)(process.execPath, [script, ...args], {
    timeout: REPLAY_LIMIT_MS,
    maxBuffer: OUTPUT_LIMIT_BYTES,
  }).then((done) => done.stdout, (error) => error.stdout as string ?? "");
  const summary = /^(\d+) passed, (\d+) failed.*$/m.exec(stdout);
  console.log(stdout.replace(summary?.[0] ?? "", "").trimEnd());
  if (!summary) throw new Error(`The replay of ${one.name} did not end`);
  return { passed: Number(summary[1]), failed: Number(summary[2]) };
}

/** How many repositories of a home git finds fault with. */
async function countBroken(home: string): Promise<number> {
  let broken = 0;
  for (const name of readdirSync(join(home, "storage")).filter((name) => name.startsWith("z"))) {
    const args = [
      "-c",
      "safe.directory=*",
      "--git-dir",
      join(home, "storage", name),
      "fsck",
      "--full",
      "--strict",
    ];
    await promisify(execFile)("git", args).catch((error) => {
      console.log(`git fsck of ${name}: ${error.stderr}`);
      broken++;
    });
  }
  return broken;
}

function isRuntime(name: string): name is Runtime {
  return (RUNTIMES as readonly string[]).includes(name);
}
