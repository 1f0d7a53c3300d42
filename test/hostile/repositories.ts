/** Serves a home of hostile repositories on all runtimes, and measures the effect on other clients. */
import { join } from "node:path";
import process from "node:process";
import {
  removeFolder,
  type Runtime,
  type Service,
  startWarmService,
  temporaryFolder,
} from "../support/programs.ts";
import { askAll } from "./asked.ts";
import { CLIENTS, type HostileClient } from "./clients.ts";
import { cachedHostileHome, copyHome } from "./cached_home.ts";
import { type HostileHome, type HostileRepository, makeHostileHome, makeIdleHome } from "./home.ts";
import { ENVIRONMENT, MAX_BUN_MIB, MAX_DELAY_MS, MAX_GROWTH_MIB } from "./limits.ts";
import { honestUrls, type Pinged, Pinger } from "./pinger.ts";
import { forgetMost, memory, processorSeconds, rest } from "./process_state.ts";
import { requestPath } from "./target.ts";

/**
 * All runtimes are measured beside each other first. What failed is measured alone then, so many times at
 * most, in a new process each time, on a home with the repositories that it needs.
 */
const ATTEMPTS_ALONE = 3;
/**
 * Maximum time of the repeated requests: this part of the first time, or a fixed time for each path and for
 * each MiB of its answer.
 */
const AGAIN_SHARE = 0.7;
const AGAIN_MS = 30;
const AGAIN_MS_PER_MIB = 60;
/** Maximum time of the fastest of some cheap requests to the hostile repository afterwards. */
const LATER_MS = 50;
const LATER_REQUESTS = 5;
/** The name of the time after a start, with the warm-up. */
const START_UP = "start-up";

/** Repositories that clients ask for: the history of the first has long answers, the second has a large pack. */
const [LONG_ANSWERS, LARGE_PACK] = ["huge commits", "a large pack"];
/**
 * Classes that Bun and Deno leave to Node.js, unless everything is asked for (`XYLEM_TEST_ALL`): they compute, and on no
 * runtime have others waited half as long for them as they may, nor was half of the memory taken.
 */
const COMPUTED: readonly string[] = [
  "commit messages",
  "folded trailers",
  "20,000 branches",
  "deep paths",
  "a long identity",
  "30,000 entries",
  "3,000 issues",
  "2,000 nodes",
  "histories of signed references",
  "endless signed references",
  "odd references",
];
/**
 * Classes that each runtime leaves to Node.js. Deno has the same engine: files in numbers, long answers, compression, workers,
 * git and clients are measured on it, and two classes that compute: those that others have waited longest for.
 */
const LEFT_OUT: Readonly<Record<Runtime, readonly string[]>> = {
  node: [],
  deno: [
    ...COMPUTED,
    "entries that are much work to read",
    "huge trees",
    "300 comments of 3.9 MB",
    "what is missing",
    "many files in diffs",
    "moved files",
    "merges",
  ],
  bun: COMPUTED,
};
/** The class that needs all repositories: a search indexes their texts. */
const OF_ALL = "texts that are hard to search";

/** Effect on the process and on other clients: of several attempts, the best of each counts. */
interface Effect {
  readonly delayMs: number;
  readonly growthMiB: number;
  /** Maximum memory of the whole process. */
  readonly mostMiB: number;
  /** Cheap requests that failed. */
  readonly failures: number;
}

/** Result of one class. */
interface Result {
  readonly name: string;
  readonly effect: Effect;
  readonly firstMs: number;
  readonly againMs: number;
  /** Processor time of the process. */
  readonly processorSeconds: number;
  readonly statuses: string;
  /** Faults of the answers. */
  readonly wrong: readonly string[];
}

/** A service on the hostile home, and its pinger. */
interface Subject {
  readonly service: Service;
  readonly pinger: Pinger;
}

/** A class or a client: measured in a process that serves the home. */
interface Measure {
  readonly name: string;
  readonly take: (subject: Subject, attempts: number) => Promise<Result>;
}

/** Options of a run. */
export interface RepositoriesRun {
  readonly runtimes: readonly Runtime[];
  /** Parts of the names of repositories and clients; all of them when it is empty. */
  readonly only: readonly string[];
  readonly print: (line: string) => void;
}

/** Measures all repositories and clients; how many of these passed and failed. */
export async function runRepositories(
  { runtimes, only, print }: RepositoriesRun,
): Promise<{ passed: number; failed: number }> {
  const folder = temporaryFolder("hostile");
  let [passed, failed] = [0, 0];
  try {
    const startMs = performance.now();
    const hostileHome = only.length === 0
      ? await cachedHostileHome()
      : await makeHostileHome(join(folder, "home"), only);
    const isAll = only.length > 0 || Boolean(process.env["XYLEM_TEST_ALL"]);
    const homes = new Map(runtimes.map((runtime) => [
      runtime,
      isAll || LEFT_OUT[runtime].length === 0
        ? hostileHome
        : without(LEFT_OUT[runtime], hostileHome, join(folder, runtime)),
    ]));
    const idleHome = await makeIdleHome(join(folder, "idle"));
    const idleService = await startWarmService("node", idleHome);
    const idle = { urls: await honestUrls(idleService.url), pid: idleService.pid };
    print(
      `${hostileHome.repositories.length} hostile repositories, ready in ${
        seconds(performance.now() - startMs)
      }`,
    );
    const results = new Map<Runtime, Map<string, Result>>();
    await Promise.all(runtimes.map(async (runtime) => {
      const { home, repositories } = homes.get(runtime)!;
      const measures = measuresOf(repositories, only);
      results.set(runtime, await attempt(runtime, [home, idleHome], idle, measures, 0));
    }));
    print(`measured beside each other after ${seconds(performance.now() - startMs)}`);
    for (const runtime of runtimes) {
      const best = results.get(runtime)!;
      const { home, repositories } = homes.get(runtime)!;
      for (let attempts = 0; attempts < ATTEMPTS_ALONE; attempts++) {
        const faulty = [...best.values()].filter((result) => faultsOf(runtime, result).length > 0)
          .map(({ name }) => name);
        if (faulty.length === 0) break;
        print(`${runtime} alone: ${faulty.join(", ")}`);
        const wanted = measuresOf(repositories, only).filter(({ name }) => faulty.includes(name));
        const startHome = faulty.includes(START_UP) ? idleHome : undefined;
        const needsAll = startHome !== undefined || faulty.includes(OF_ALL);
        const copy = join(folder, `${runtime}-${attempts}`);
        if (!needsAll) copyHome(hostileHome, repositoriesFor(faulty, repositories), copy);
        for (
          const [name, result] of await attempt(
            runtime,
            [needsAll ? home : copy, startHome],
            idle,
            wanted,
            attempts + 1,
          )
        ) {
          best.set(name, better(best.get(name)!, result));
        }
        removeFolder(copy);
      }
      const faulty = report(runtime, [...best.values()], print);
      failed += faulty;
      passed += best.size - faulty;
    }
    print(`${seconds(performance.now() - startMs)} in all`);
    await idleService.stop();
  } finally {
    removeFolder(folder);
  }
  return { passed, failed };
}

/** A copy of a home without the repositories of these names, all of which it has. */
function without(names: readonly string[], hostile: HostileHome, copy: string): HostileHome {
  const unknown = names.filter((wanted) => !hostile.repositories.some(({ name }) => name === wanted));
  if (unknown.length > 0) throw new Error(`No hostile repository: ${unknown.join()}`);
  const repositories = hostile.repositories.filter(({ name }) => !names.includes(name));
  copyHome(hostile, repositories, copy);
  return { home: copy, repositories };
}

/** The repositories that measures need: each class its own, clients those that they ask for. */
function repositoriesFor(
  names: readonly string[],
  repositories: readonly HostileRepository[],
): readonly HostileRepository[] {
  const hasClients = CLIENTS.some(({ name }) => names.includes(name));
  return repositories.filter(({ name }) =>
    names.includes(name) || hasClients && [LONG_ANSWERS, LARGE_PACK].includes(name)
  );
}

/** The hostile repositories and the hostile clients. */
function measuresOf(
  repositories: readonly HostileRepository[],
  only: readonly string[],
): readonly Measure[] {
  const long = repositories.find(({ name }) => name === LONG_ANSWERS);
  const longPath = long && `/api/v1/projects/${long.rid}/commits`;
  const clients = CLIENTS.filter(({ name }) => only.length === 0 || only.some((part) => name.includes(part)));
  return [
    ...repositories.map((repository) => ({
      name: repository.name,
      take: (subject: Subject) => measureClass(subject, repository),
    })),
    ...clients.map((client) => ({
      name: client.name,
      take: (subject: Subject, attempts: number) => measureClient(subject, client, longPath, attempts),
    })),
  ];
}

/**
 * Starts a process and takes measures in it.
 *
 * @param attempts Attempts before this one.
 * @param homes The hostile home, and an honest one if the start is measured, too: beyond a start on that one,
 * where the first requests wait for code to be compiled.
 */
async function attempt(
  runtime: Runtime,
  [home, honestHome]: readonly [hostile: string, honest: string | undefined],
  idle: Pinged,
  measures: readonly Measure[],
  attempts: number,
): Promise<Map<string, Result>> {
  const results = new Map<string, Result>();
  let honestMs = 0;
  if (honestHome !== undefined) {
    const [honest, { effect }] = await start(runtime, honestHome, idle);
    await end(honest);
    honestMs = Math.max(0, effect.delayMs);
  }
  const [subject, startUp] = await start(runtime, home, idle);
  if (honestHome !== undefined) {
    const effect = { ...startUp.effect, delayMs: startUp.effect.delayMs - honestMs };
    results.set(START_UP, { ...startUp, effect });
  }
  try {
    for (const { name, take } of measures) results.set(name, await take(subject, attempts));
  } finally {
    await end(subject);
  }
  return results;
}

/** Prints results; how many of them have faults. */
function report(runtime: Runtime, results: readonly Result[], print: (line: string) => void): number {
  let failed = 0;
  print(`\n${runtime}\n  delay   growth    first    again  processor  class`);
  for (const result of results) {
    const { name, effect: { delayMs, growthMiB }, firstMs, againMs, statuses } = result;
    const cells = [
      `${delayMs.toFixed(0)} ms`,
      `${growthMiB.toFixed(0)} MiB`,
      seconds(firstMs),
      seconds(againMs),
    ];
    const used = `${result.processorSeconds.toFixed(1)} s`.padStart(9);
    print(`${cells.map((cell) => cell.padStart(8)).join(" ")}  ${used}  ${name} (${statuses})`);
    const faults = faultsOf(runtime, result);
    for (const fault of faults) print(`         ✖ ${runtime}: ${name}: ${fault}`);
    if (faults.length > 0) failed++;
  }
  return failed;
}

/** Starts a service and waits until it is idle. */
async function start(
  runtime: Runtime,
  home: string,
  idle: Pinged,
): Promise<[Subject, Result]> {
  const startMs = performance.now();
  const service = await startWarmService(runtime, home, [], ENVIRONMENT[runtime]);
  const listeningMs = performance.now();
  const pinger = new Pinger({ urls: await honestUrls(service.url), pid: service.pid }, idle);
  await rest(service);
  const firstMs = performance.now() - startMs;
  const warming = await pinger.take();
  const subject = { service, pinger };
  await finish(subject);
  await pinger.take();
  await rest(service);
  const { medianMs } = await pinger.take();
  const { restingMiB, mostMiB } = memory(service);
  const { delayMs, failures } = warming;
  return [subject, {
    name: START_UP,
    effect: { delayMs, growthMiB: mostMiB - restingMiB, mostMiB, failures },
    firstMs,
    againMs: performance.now() - listeningMs,
    processorSeconds: processorSeconds(service),
    statuses: `idle ${restingMiB.toFixed(0)} MiB, ${medianMs.toFixed(1)} ms`,
    wrong: mostMiB === 0 ? [`the process has ended: ${service.output().slice(-300)}`] : [],
  }];
}

async function end({ service, pinger }: Subject): Promise<void> {
  await pinger.end();
  await service.stop();
}

async function measureClass(
  subject: Subject,
  { name, rid, paths, isMadeAnew }: HostileRepository,
): Promise<Result> {
  const { service, pinger } = subject;
  const urls = paths.map((path) => service.url + requestPath(rid, path));
  await finish(subject);
  const before = memory(service);
  const usedSeconds = processorSeconds(service);
  forgetMost(service);
  await pinger.take();
  const first = await askAll(urls);
  await rest(service);
  // An answer that is made anew costs the same again: a second request would tell nothing.
  const again = isMadeAnew ? undefined : await askAll(urls);
  const { delayMs, failures } = await pinger.take();
  const { mostMiB } = memory(service);
  let laterMs = Infinity;
  for (let i = 0; i < LATER_REQUESTS; i++) {
    const later = await askAll([`${service.url}/api/v1/projects/${rid}`]);
    laterMs = Math.min(laterMs, later.ms);
  }
  const growthMiB = mostMiB === 0 ? Infinity : mostMiB - before.restingMiB;
  const wrong: string[] = [];
  if (mostMiB === 0) wrong.push(`the process has ended: ${service.output().slice(-300)}`);
  const failed = [...first.statuses, ...again?.statuses ?? []].filter((status) =>
    status === 0 || status >= 500 && ![501, 503].includes(status)
  );
  if (failed.length > 0) wrong.push(`${failed.length} answers of ${[...new Set(failed)].join()}`);
  if (laterMs > LATER_MS) wrong.push(`its repository answered in ${laterMs.toFixed(0)} ms afterwards`);
  if (again !== undefined) {
    const expectedMs = AGAIN_MS * urls.length + AGAIN_MS_PER_MIB * again.bytes / 2 ** 20;
    if (again.ms > Math.max(first.ms * AGAIN_SHARE, expectedMs)) {
      const { path, ms } = again.slowest;
      wrong.push(`asked again, it took ${seconds(again.ms)}: ${path} ${seconds(ms)}`);
    }
  }
  return {
    name,
    effect: { delayMs, growthMiB, mostMiB, failures },
    firstMs: first.ms,
    againMs: again?.ms ?? 0,
    processorSeconds: processorSeconds(service) - usedSeconds,
    statuses: countStatuses(first.statuses),
    wrong,
  };
}

async function measureClient(
  subject: Subject,
  { name, run }: HostileClient,
  longPath: string | undefined,
  attempts: number,
): Promise<Result> {
  const { service, pinger } = subject;
  await finish(subject);
  const before = memory(service);
  const usedSeconds = processorSeconds(service);
  forgetMost(service);
  await pinger.take();
  const startMs = performance.now();
  const wrong = await run(service.url, longPath, attempts);
  const firstMs = performance.now() - startMs;
  const { delayMs, failures } = await pinger.take();
  const { mostMiB } = memory(service);
  const growthMiB = mostMiB === 0 ? Infinity : mostMiB - before.restingMiB;
  return {
    name,
    effect: { delayMs, growthMiB, mostMiB, failures },
    firstMs,
    againMs: 0,
    processorSeconds: processorSeconds(service) - usedSeconds,
    statuses: "clients",
    wrong,
  };
}

function faultsOf(runtime: Runtime, { name, effect, wrong }: Result): string[] {
  const { delayMs, growthMiB, mostMiB, failures } = effect;
  const faults = [...wrong];
  if (delayMs > MAX_DELAY_MS) faults.push(`others waited ${delayMs.toFixed(0)} ms`);
  // There is no idle process yet at the start.
  if (growthMiB > MAX_GROWTH_MIB && name !== START_UP) faults.push(`took ${growthMiB.toFixed(0)} MiB`);
  if (runtime === "bun" && mostMiB > MAX_BUN_MIB) faults.push(`the process had ${mostMiB.toFixed(0)} MiB`);
  if (failures > 0) faults.push(`${failures} cheap requests failed`);
  return faults;
}

/** The best of two attempts. */
function better(one: Result, two: Result): Result {
  const best = (name: keyof Effect) => Math.min(one.effect[name], two.effect[name]);
  return {
    ...two,
    effect: {
      delayMs: best("delayMs"),
      growthMiB: best("growthMiB"),
      mostMiB: best("mostMiB"),
      failures: best("failures"),
    },
    wrong: two.wrong.length <= one.wrong.length ? two.wrong : one.wrong,
  };
}

/** Resolves when a service has done all of its work, also the work that gives way to requests. */
async function finish({ service, pinger }: Subject): Promise<void> {
  pinger.pause();
  await rest(service);
  pinger.goOn();
}

function countStatuses(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status || "nothing"}`).join(", ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
