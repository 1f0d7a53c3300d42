// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Replays the recordings of cases.ts against our service, and has git check what it wrote:
 * `node test/replay/run.ts [--runtime node|deno|bun]… [--case NAME]… [--only REGEX] [--slow] [--show N]`, by default
 * every quick case on all three runtimes, with --slow the slow ones in their place. --only chooses reads by
 * method and path. The last line is `N passed, M failed`; the exit status is 1 when anything failed.
 *
 * `--write-deviations [--reason KEY]` writes deviations.jsonl anew for the requests that were replayed.
 */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs, promisify } from "node:util";
import {
  removeFolder,
  type Running,
  type Runtime,
  RUNTIMES,
  type Service,
  startNode,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import type { Dialect } from "../../build/contract/all.ts";
import { REPLAY_CASES, type ReplayCase } from "./cases.ts";
import { DeviationBook, readDeviations, readReasons } from "./deviations.ts";
import { readRecording } from "./recordings.ts";
import { type Outcome, replayRecording, type Target } from "./replay.ts";

interface Count {
  passed: number;
  failed: number;
}

/**
 * Recordings of more reads than this ask the same of one commit, tree and blob after another: each read is dealt to one
 * runtime, unless everything is asked for. Deno, which has the same engine as Node.js, gets fewest.
 */
const LONG_RECORDING = 500;
const DEALT: readonly Runtime[] = ["node", "bun", "node", "deno", "node", "bun", "node", "node"];
/** Replays at a time: each waits for its disk, its service or a clock now and then. */
const AT_ONCE = 4;

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    case: { type: "string", multiple: true },
    slow: { type: "boolean", default: false },
    only: { type: "string" },
    show: { type: "string", default: "20" },
    "write-deviations": { type: "boolean", default: false },
    reason: { type: "string" },
  },
});

const { reason } = values;
if (reason !== undefined && !readReasons().has(reason)) {
  throw new RangeError(`README.md explains no reason "${reason}"`);
}
const only = values.only === undefined ? undefined : new RegExp(values.only);
const book = new DeviationBook(readDeviations());

const total: Count = { passed: 0, failed: 0 };
const runtimes = values.runtime.map(toRuntime);
const names = values.case ??
  REPLAY_CASES.filter(({ isSlow = false }) => isSlow === values.slow).map(({ name }) => name);
const isAll = Boolean(process.env["XYLEM_TEST_ALL"]);
const waiting = names.map(findCase).flatMap((one) => runtimesOf(one).map((runtime) => ({ one, runtime })));
const work = async () => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await tell(next.one, next.runtime);
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));
if (values["write-deviations"]) console.log(`${book.write(reason)} deviations of these requests written`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

/** The runtimes that replay a case, among those that the command names. */
function runtimesOf({ isOnce, runtimes: wanted = runtimes }: ReplayCase): readonly Runtime[] {
  if (isAll) return runtimes;
  return isOnce ? runtimes.slice(0, 1) : runtimes.filter((runtime) => wanted.includes(runtime));
}

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
  let node: Running | undefined;
  try {
    const home = unpackHome(one.home, folder);
    if (one.hasShortConfig) shortenConfig(home);
    const other = one.other === undefined ? undefined : unpackHome(one.other, folder);
    node = one.node && await startNode(one.node, home);
    const starting = startService(runtime, home, ["--share", "0", ...one.service], one.env);
    if (one.startFails) return await expectFailure(starting);
    const service = await starting;
    try {
      const dialect = one.service[one.service.indexOf("--api") + 1] as Dialect;
      const count = await ask(one, runtime, { url: service.url, home, dialect }, other);
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
    await node?.stop();
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

/** Which reads of a long recording a runtime gets, by their numbers; all of them where they are not dealt. */
function dealtTo(one: ReplayCase, runtime: Runtime): (number: number) => boolean {
  if (isAll || only !== undefined) return () => true;
  const { every } = one;
  if (every !== undefined) return (number) => number % every === 0;
  const own = runtimesOf(one);
  const dealt = DEALT.map((name) => own.includes(name) ? name : own[0]);
  return (number) => dealt[number % dealt.length] === runtime;
}

async function ask(
  one: ReplayCase,
  runtime: Runtime,
  { dialect, ...service }: Pick<Target, "url" | "home" | "dialect">,
  other: string | undefined,
): Promise<Count> {
  const target = { ...service, book, ...(other !== undefined && { other }), ...(only && { only }) };
  const isDealt = dealtTo(one, runtime);
  const outcomes: Outcome[] = [];
  for (const name of one.recordings) {
    const recording = readRecording(name, one);
    const isLong = recording.lines.length > LONG_RECORDING;
    // Answers that all runtimes give are held against the contract once.
    const isChecked = isLong || runtime === runtimes[0];
    const checked = isChecked && dialect !== undefined && { dialect };
    const isAsked = isLong ? isDealt : () => true;
    outcomes.push(...await replayRecording(recording, { ...target, ...checked, isAsked }));
  }
  const wrong = outcomes.filter(({ differences }) => differences.length > 0);
  for (const { request, note, differences } of wrong.slice(0, Number(values.show))) {
    console.log([note === undefined ? request : `${request} (${note})`, ...differences].join("\n  "));
  }
  return { passed: outcomes.length - wrong.length, failed: wrong.length };
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
