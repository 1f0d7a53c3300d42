/**
 * `npm run hostile [-- --runtime NAME]… [-- --only PART]…`: serves a home of hostile repositories on all
 * runtimes, and measures the effect on other clients. See CONTRIBUTING.md.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import {
  removeFolder,
  type Runtime,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { CLIENTS, type HostileClient } from "./clients.ts";
import { cachedHostileHome } from "./cached_home.ts";
import { type HostileRepository, makeHostileHome, makeIdleHome } from "./home.ts";
import { type Pinged, Pinger } from "./pinger.ts";

/** Maximum additional wait of other clients, compared with an idle service. */
const MAX_DELAY_MS = 50;
/**
 * Maximum memory on top of the idle process, and maximum memory of the whole process on Bun, which has no
 * heap limit; in MiB.
 */
const MAX_GROWTH_MIB = 256;
const MAX_BUN_MIB = 1536;
/**
 * Attempts per class. In the first, all runtimes are measured beside each other; what failed is measured
 * alone then, in a new process each time.
 */
const ATTEMPTS = 3;
/** A slower answer counts as hanging. */
const ANSWER_LIMIT_MS = 60_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;
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
/**
 * A process is idle that takes or waits for less than this share of a processor in three intervals in a row;
 * the cheap requests take some of it.
 */
const IDLE_SHARE = 0.35;
const IDLE_MS = 50;
const IDLE_LIMIT_MS = 60_000;
/**
 * Heap limits. JavaScriptCore has none: it is told a size of the machine's memory, as a container's limit
 * tells it, and collects garbage more eagerly near it (docs/caches.md). The process is watched besides.
 */
const ENVIRONMENT: Record<Runtime, Record<string, string>> = {
  node: { NODE_OPTIONS: "--max-old-space-size=1024" },
  deno: { DENO_V8_FLAGS: "--max-old-space-size=1024" },
  bun: { BUN_JSC_forceRAMSize: String(MAX_BUN_MIB / 3 * 2 ** 20) },
};

/** The name of the time after a start, with the warm-up. */
const START_UP = "start-up";

/** The class whose history has long answers. */
const LONG_ANSWERS = "huge commits";

/** Results of some requests. */
interface Asked {
  readonly ms: number;
  readonly bytes: number;
  readonly statuses: readonly number[];
  readonly slowest: string;
}

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
  readonly take: (subject: Subject) => Promise<Result>;
}

const { values } = parseArgs({
  options: {
    runtime: { type: "string", multiple: true, default: [...RUNTIMES] },
    only: { type: "string", multiple: true, default: [] },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const folder = temporaryFolder("hostile");
let [passed, failed] = [0, 0];
try {
  const startMs = performance.now();
  const { home, repositories } = values.only.length === 0
    ? await cachedHostileHome()
    : await makeHostileHome(join(folder, "home"), values.only);
  const idleHome = await makeIdleHome(join(folder, "idle"));
  const idleService = await startService("node", idleHome);
  const idle = { urls: await honestUrls(idleService.url), pid: idleService.pid };
  print(`${repositories.length} hostile repositories, ready in ${seconds(performance.now() - startMs)}`);
  const measures = measuresOf(repositories);
  const runtimes = RUNTIMES.filter((runtime) => values.runtime.includes(runtime));
  const results = new Map<Runtime, Map<string, Result>>();
  await Promise.all(runtimes.map(async (runtime) => {
    results.set(runtime, await attempt(runtime, [home, idleHome], idle, measures));
  }));
  print(`measured beside each other after ${seconds(performance.now() - startMs)}`);
  for (const runtime of runtimes) {
    const best = results.get(runtime)!;
    for (let attempts = 1; attempts < ATTEMPTS; attempts++) {
      const faulty = [...best.values()].filter((result) => faultsOf(runtime, result).length > 0)
        .map(({ name }) => name);
      if (faulty.length === 0) break;
      const wanted = measures.filter(({ name }) => faulty.includes(name));
      for (const [name, result] of await attempt(runtime, [home, idleHome], idle, wanted)) {
        best.set(name, better(best.get(name)!, result));
      }
    }
    report(runtime, [...best.values()]);
  }
  print(`${seconds(performance.now() - startMs)} in all`);
  await idleService.stop();
} finally {
  removeFolder(folder);
}
print(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** The hostile repositories and the hostile clients. */
function measuresOf(repositories: readonly HostileRepository[]): readonly Measure[] {
  const long = repositories.find(({ name }) => name === LONG_ANSWERS);
  const longPath = long && `/api/v1/projects/${long.rid}/commits`;
  const clients = CLIENTS.filter(({ name }) =>
    values.only.length === 0 || values.only.some((part) => name.includes(part))
  );
  return [
    ...repositories.map((repository) => ({
      name: repository.name,
      take: (subject: Subject) => measureClass(subject, repository),
    })),
    ...clients.map((client) => ({
      name: client.name,
      take: (subject: Subject) => measureClient(subject, client, longPath),
    })),
  ];
}

/**
 * Starts a process and takes measures in it. The start is one, too: beyond that of a process without hostile
 * repositories, whose first requests wait for code to be compiled.
 */
async function attempt(
  runtime: Runtime,
  [home, idleHome]: readonly [hostile: string, idle: string],
  idle: Pinged,
  measures: readonly Measure[],
): Promise<Map<string, Result>> {
  const [honest, { effect: { delayMs } }] = await start(runtime, idleHome, idle);
  await end(honest);
  const [subject, startUp] = await start(runtime, home, idle);
  const effect = { ...startUp.effect, delayMs: startUp.effect.delayMs - Math.max(0, delayMs) };
  const results = new Map([[START_UP, { ...startUp, effect }]]);
  try {
    for (const { name, take } of measures) results.set(name, await take(subject));
  } finally {
    await end(subject);
  }
  return results;
}

function report(runtime: Runtime, results: readonly Result[]): void {
  print(`\n${runtime}\n  delay   growth    first    again  class`);
  for (const result of results) {
    const { name, effect: { delayMs, growthMiB }, firstMs, againMs, statuses } = result;
    const cells = [
      `${delayMs.toFixed(0)} ms`,
      `${growthMiB.toFixed(0)} MiB`,
      seconds(firstMs),
      seconds(againMs),
    ];
    print(`${cells.map((cell) => cell.padStart(8)).join(" ")}  ${name} (${statuses})`);
    const faults = faultsOf(runtime, result);
    for (const fault of faults) print(`         ✖ ${runtime}: ${name}: ${fault}`);
    if (faults.length === 0) passed++;
    else failed++;
  }
}

/** Starts a service and waits until it is idle. */
async function start(
  runtime: Runtime,
  home: string,
  idle: Pinged,
): Promise<[Subject, Result]> {
  const startMs = performance.now();
  const service = await startService(runtime, home, [], ENVIRONMENT[runtime]);
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
    statuses: `idle ${restingMiB.toFixed(0)} MiB, ${medianMs.toFixed(1)} ms`,
    wrong: mostMiB === 0 ? [`the process has ended: ${service.output().slice(-300)}`] : [],
  }];
}

async function end({ service, pinger }: Subject): Promise<void> {
  await pinger.end();
  await service.stop();
}

/** Cheap requests to the honest repositories, which read references, history and trees. */
async function honestUrls(url: string): Promise<string[]> {
  const projects: { id: string; head: string }[] = await (await fetch(`${url}/api/v1/projects?show=pinned`))
    .json();
  const { id, head } = projects[0]!;
  const project = `${url}/api/v1/projects/${id}`;
  return [project, `${project}/tree/${head}/`, `${project}/remotes`];
}

async function measureClass(
  subject: Subject,
  { name, rid, paths }: HostileRepository,
): Promise<Result> {
  const { service, pinger } = subject;
  const urls = paths.map((path) => `${service.url}/api/v1/projects/${rid}${path}`);
  await finish(subject);
  const before = memory(service);
  forgetMost(service);
  await pinger.take();
  const first = await askAll(urls);
  await rest(service);
  const again = await askAll(urls);
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
  const failed = [...first.statuses, ...again.statuses].filter((status) =>
    status === 0 || status >= 500 && ![501, 503].includes(status)
  );
  if (failed.length > 0) wrong.push(`${failed.length} answers of ${[...new Set(failed)].join()}`);
  if (laterMs > LATER_MS) wrong.push(`its repository answered in ${laterMs.toFixed(0)} ms afterwards`);
  const expectedMs = AGAIN_MS * urls.length + AGAIN_MS_PER_MIB * again.bytes / 2 ** 20;
  if (again.ms > Math.max(first.ms * AGAIN_SHARE, expectedMs)) {
    wrong.push(`asked again, it took ${seconds(again.ms)}: ${again.slowest}`);
  }
  return {
    name,
    effect: { delayMs, growthMiB, mostMiB, failures },
    firstMs: first.ms,
    againMs: again.ms,
    statuses: countStatuses(first.statuses),
    wrong,
  };
}

async function measureClient(
  subject: Subject,
  { name, run }: HostileClient,
  longPath: string | undefined,
): Promise<Result> {
  const { service, pinger } = subject;
  await finish(subject);
  const before = memory(service);
  forgetMost(service);
  await pinger.take();
  const startMs = performance.now();
  const wrong = await run(service.url, longPath);
  const firstMs = performance.now() - startMs;
  const { delayMs, failures } = await pinger.take();
  const { mostMiB } = memory(service);
  const growthMiB = mostMiB === 0 ? Infinity : mostMiB - before.restingMiB;
  return {
    name,
    effect: { delayMs, growthMiB, mostMiB, failures },
    firstMs,
    againMs: 0,
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

/** Sends all requests, one after the other. */
async function askAll(urls: readonly string[]): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  const startMs = performance.now();
  let slowest = { ms: 0, url: urls[0]! };
  let bytes = 0;
  for (const url of urls) {
    const sentMs = performance.now();
    const answer = await ask(agent, url);
    statuses.push(answer.status);
    bytes += answer.bytes;
    const ms = performance.now() - sentMs;
    if (ms > slowest.ms) slowest = { ms, url };
  }
  agent.destroy();
  const path = decodeURIComponent(new URL(slowest.url).pathname).split("/").slice(5).join("/");
  return {
    ms: performance.now() - startMs,
    bytes,
    statuses,
    slowest: `${path.slice(0, 60)} ${seconds(slowest.ms)}`,
  };
}

/** Status and length of an answer; status 0 when there was none. */
function ask(agent: Agent, url: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve) => {
    let bytes = 0;
    const fail = () => resolve({ status: 0, bytes });
    const request = get(url, { agent }, (response) => {
      const done = () => resolve({ status: response.statusCode ?? 0, bytes });
      response.on("data", (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes <= MAX_ANSWER_BYTES) return;
        done();
        request.destroy();
      });
      response.on("end", done);
      response.on("error", fail);
    });
    const timer = setTimeout(() => request.destroy(new Error("hangs")), ANSWER_LIMIT_MS);
    request.on("error", fail);
    request.on("close", () => clearTimeout(timer));
  });
}

/** Resolves when a service has done all of its work, also the work that gives way to requests. */
async function finish({ service, pinger }: Subject): Promise<void> {
  pinger.pause();
  await rest(service);
  pinger.goOn();
}

/** Resolves when a service is idle. */
async function rest({ pid }: Service): Promise<void> {
  const limitMs = performance.now() + IDLE_LIMIT_MS;
  let idleIntervals = 0;
  for (let before = readyMs(pid); performance.now() < limitMs;) {
    await new Promise((resume) => setTimeout(resume, IDLE_MS));
    const now = readyMs(pid);
    idleIntervals = now - before < IDLE_SHARE * IDLE_MS ? idleIntervals + 1 : 0;
    if (idleIntervals === 3) return;
    before = now;
  }
}

/** Total time for which the threads that a process has now had a processor or waited for one, in milliseconds. */
function readyMs(pid: number): number {
  return threadsOf(pid).reduce((sum, thread) => {
    const [runningNs, waitingNs] = readProcess(pid, `task/${thread}/schedstat`).split(" ");
    return sum + (Number(runningNs) + Number(waitingNs ?? 0)) / 1e6;
  }, 0);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Current and maximum memory of a process in MiB; 0 after its end. */
function memory({ pid }: Service): { restingMiB: number; mostMiB: number } {
  const status = readProcess(pid, "status");
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  return { restingMiB: of("VmRSS"), mostMiB: of("VmHWM") };
}

/** Resets the maximum memory of a process to its current memory. */
function forgetMost({ pid }: Service): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // The process has ended, which is noticed soon.
  }
}

function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

function countStatuses(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} × ${status || "nothing"}`).join(", ");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
