/**
 * Files of our own that come to be others: caches, indexes, sessions, compiled code, buckets. After each
 * damage a service or a replica has to answer as before, or to make the file again.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import {
  removeFolder,
  ROOT,
  type Runtime,
  runtimeCommand,
  type Service,
  startService,
  temporaryFolder,
} from "../../support/programs.ts";
import { memory } from "../process_state.ts";
import { Random } from "../requests/random.ts";
import { mutate } from "./mutations.ts";
import { makeStage, type Stage } from "./stage.ts";

/** Options of a run. */
export interface OwnFilesRun {
  readonly runtimes: readonly Runtime[];
  readonly seed: number;
  /** Number of the first case, and of cases on each runtime. */
  readonly first: number;
  readonly count: number;
  readonly print: (line: string) => void;
}

/** Longest silence of a runtime, in milliseconds: a trial takes a second, on a busy machine some. */
const SILENCE_MS = 60_000;
/** One case in so many is a whole start of the command on Node.js, with damaged compiled code. */
const COMPILED_SHARE = 30;
/** Damaged files of compiled code in such a case. */
const COMPILED_FILES = 6;
/** Variables for a service that saves its compiled code in its own cache folder, not in that of all tests. */
const OWN_COMPILE_CACHE = { NODE_COMPILE_CACHE: "" };
/** Maximum memory of a service that has answered once, in MiB. */
const MAX_SERVICE_MIB = 400;

/** What a runtime reports. */
interface Report {
  readonly begun?: readonly number[];
  readonly cases?: readonly number[];
  readonly name?: string;
  readonly damages?: readonly string[];
  readonly wrong?: readonly string[];
  readonly grownMiB?: number;
  readonly log?: readonly string[];
}

/** Figures of a runtime. */
class Findings {
  readonly cases = new Set<number>();
  mostMiB = 0;
  readonly faults: string[] = [];
}

/** Tries all cases on all runtimes, beside each other; returns how many runtimes passed. */
export async function runOwnFiles(run: OwnFilesRun): Promise<{ passed: number; failed: number }> {
  const { runtimes, count, print } = run;
  const folder = temporaryFolder("own-files");
  let [passed, failed] = [0, 0];
  try {
    const startMs = performance.now();
    const stage = await makeStage(folder);
    const path = join(folder, "stage.json");
    writeFileSync(path, JSON.stringify(stage));
    await Promise.all(runtimes.map(async (runtime) => {
      const findings = new Findings();
      await tryAll(runtime, path, join(folder, runtime), run, findings);
      if (runtime === "node") await tryCompiled(stage, join(folder, "compiled"), run, findings);
      const { cases, faults, mostMiB } = findings;
      const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
      print(
        `${runtime}: ${cases.size} damaged files of our own in ${seconds} s, ${
          mostMiB.toFixed(0)
        } MiB more at most`,
      );
      for (const fault of faults) print(`         ✖ ${runtime}: own files: ${fault}`);
      if (faults.length === 0 && cases.size >= count) passed++;
      else failed++;
    }));
  } finally {
    removeFolder(folder);
  }
  return { passed, failed };
}

/** Has a runtime try its cases; one that ends or hangs goes on behind the trial under way. */
async function tryAll(
  runtime: Runtime,
  stage: string,
  folder: string,
  { seed, first, count }: OwnFilesRun,
  findings: Findings,
): Promise<void> {
  const end = first + count;
  for (let next = first; next < end;) {
    mkdirSync(folder, { recursive: true });
    const script = join(ROOT, "test", "hostile", "own_files", "child.ts");
    const [program, ...args] = runtimeCommand(runtime, script);
    const child = spawn(program, [...args, stage, join(folder, "trial"), `${seed}`, `${next}`, `${end}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let begun: readonly number[] = [];
    let errors = "";
    let isSilent = false;
    child.stderr.setEncoding("utf8").on("data", (text: string) => errors = (errors + text).slice(-1000));
    const kill = () => {
      isSilent = true;
      child.kill("SIGKILL");
    };
    process.once("exit", kill);
    let timer = setTimeout(kill, SILENCE_MS);
    for await (const line of createInterface({ input: child.stdout })) {
      clearTimeout(timer);
      timer = setTimeout(kill, SILENCE_MS);
      const report: Report & { readonly unhandled?: string } = JSON.parse(line);
      if (report.unhandled !== undefined) findings.faults.push(`unhandled: ${report.unhandled}`);
      if (report.begun !== undefined) begun = report.begun;
      if (report.cases === undefined) continue;
      next = Math.max(next, report.cases.at(-1)! + 1);
      take(report, findings);
      begun = [];
    }
    clearTimeout(timer);
    process.removeListener("exit", kill);
    if (next >= end && begun.length === 0) return;
    findings.faults.push(
      `cases ${begun.join()}: ${isSilent ? "no answer" : "the process has ended"} ${errors}`,
    );
    if (begun.length === 0) return;
    next = Math.max(next, begun.at(-1)! + 1);
  }
}

function take({ cases = [], name, damages = [], wrong = [], grownMiB = 0, log = [] }: Report, to: Findings) {
  to.mostMiB = Math.max(to.mostMiB, grownMiB);
  for (const number of cases) to.cases.add(number);
  if (wrong.length === 0) return;
  const lines = [...damages, ...wrong, ...log.map((line) => `log: ${line}`)];
  to.faults.push(`cases ${cases.join()} (${name})\n             ${lines.join("\n             ")}`);
}

/** Starts the command on Node.js with damaged files of compiled code. */
async function tryCompiled(
  { home, homePaths }: Stage,
  folder: string,
  { seed, first, count }: OwnFilesRun,
  findings: Findings,
): Promise<void> {
  const whole = join(folder, "whole");
  const start = (cache: string) => startService("node", home, ["--cache", cache], OWN_COMPILE_CACHE);
  const service = await start(whole);
  const right = await answersOf(service, homePaths);
  const status = await service.stop();
  if (status !== 0) {
    findings.faults.push(
      `compiled code: the first start ended with ${status}: ${service.output().slice(-300)}`,
    );
    return;
  }
  for (let number = first; number < first + count; number += COMPILED_SHARE) {
    const random = new Random(seed, number);
    const cache = join(folder, "cache");
    rmSync(cache, { recursive: true, force: true });
    cpSync(whole, cache, { recursive: true });
    const files = readdirSync(join(cache, "compiled"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)).sort();
    const donors = files.splice(0, 3);
    const damages: string[] = [];
    for (let i = 0; i < COMPILED_FILES && files.length > 0; i++) {
      const [path] = files.splice(random.below(files.length), 1);
      damages.push(`${relative(cache, path!)}: ${mutate(path!, random, donors)}`);
    }
    const wrong: string[] = [];
    for (const round of [1, 2]) {
      const service = await start(cache).catch((error) => {
        wrong.push(`start ${round}: ${error}`);
      });
      if (service === undefined) break;
      const answers = await answersOf(service, homePaths);
      for (const [path, answer] of answers) {
        if (answer !== right.get(path)) wrong.push(`start ${round}: ${path}: ${answer.slice(0, 200)}`);
      }
      const { mostMiB } = memory(service);
      if (mostMiB > MAX_SERVICE_MIB) wrong.push(`start ${round}: the process had ${mostMiB.toFixed(0)} MiB`);
      const status = await service.stop();
      if (status !== 0) wrong.push(`start ${round}: ended with ${status}: ${service.output().slice(-300)}`);
    }
    take({ cases: [], name: `compiled code ${number}`, damages, wrong }, findings);
  }
}

/** Answers of a service by path. */
async function answersOf({ url }: Service, paths: readonly string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  await Promise.all(paths.map(async (path) => {
    const response = await fetch(`${url}/api/v1${path}`);
    answers.set(path, `${response.status} ${await response.text()}`);
  }));
  return answers;
}
