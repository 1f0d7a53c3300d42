// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Replays the recordings of cases.ts against our service, and has git check what it wrote:
 * `node test/replay/run.ts [--runtime node|deno|bun]… [--case NAME]… [--slow] [--show N]`, by default every quick case on all three runtimes at once,
 * with --slow the slow ones in their place. The last line is `N passed, M failed`; the exit status is 1 when anything failed.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs, promisify } from "node:util";
import {
  removeFolder,
  ROOT,
  type Runtime,
  RUNTIMES,
  type Service,
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
    case: { type: "string", multiple: true },
    slow: { type: "boolean", default: false },
    show: { type: "string", default: "20" },
  },
});

const total: Count = { passed: 0, failed: 0 };
const runtimes = values.runtime.map(toRuntime);
const names = values.case ??
  REPLAY_CASES.filter(({ isSlow = false }) => isSlow === values.slow).map(({ name }) => name);
for (const one of names.map(findCase)) {
  await Promise.all(runtimes.map((runtime) => tell(one, runtime)));
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** Replays one case, says how that went and counts it. */
async function tell(one: ReplayCase, runtime: Runtime): Promise<void> {
  const startedMs = performance.now();
  const { passed, failed } = await replay(one, runtime);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`replay of ${one.name} on ${runtime}: ${passed} right, ${failed} wrong, ${seconds} s`);
  total.passed += passed;
  total.failed += failed;
}

/** Replays one case on a fresh copy of its home; a service that does not start or a replay that does not end counts as one failure. */
async function replay(one: ReplayCase, runtime: Runtime): Promise<Count> {
  const folder = temporaryFolder("replay");
  try {
    const home = unpackHome(one.home, folder);
    if (one.hasShortConfig) shortenConfig(home);
    const other = one.other === undefined ? [] : ["--other", unpackHome(one.other, folder)];
    const starting = startService(runtime, home, one.service, one.env);
    if (one.startFails) return await expectFailure(starting);
    const service = await starting;
    try {
      const count = await ask(one, service.url, ["--home", home, ...other]);
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

/** Leaves in the configuration of a home what the recorded service ran with on homes of later programs. */
function shortenConfig(home: string): void {
  const path = join(home, "config.json");
  const { node, web } = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(
    path,
    JSON.stringify({ node: { alias: node.alias }, web: { pinned: { repositories: [] }, ...web } }),
  );
}

async function expectFailure(starting: Promise<Service>): Promise<Count> {
  const service = await starting.catch(() => undefined);
  if (service === undefined) return { passed: 1, failed: 0 };
  console.log("The service has started although the recorded one did not");
  await service.stop();
  return { passed: 0, failed: 1 };
}

async function ask(one: ReplayCase, url: string, homes: readonly string[]): Promise<Count> {
  const recordings = one.recordings.map((path) => join(ROOT, "test", "fixtures", path));
  const args = ["--base", url, ...homes, ...recordings, ...one.options ?? [], "--show", values.show];
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

function toRuntime(name: string): Runtime {
  const runtime = RUNTIMES.find((one) => one === name);
  if (runtime === undefined) throw new RangeError(`No runtime "${name}"`);
  return runtime;
}

function findCase(name: string): ReplayCase {
  const found = REPLAY_CASES.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`No case "${name}"`);
  return found;
}
