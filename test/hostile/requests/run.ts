/**
 * Hostile requests to a service and a replica of each runtime, directly and through proxies: their answers,
 * and their effect on the processes and on other clients.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { removeFolder, type Runtime, startWarmService, temporaryFolder } from "../../support/programs.ts";
import { makeIdleHome } from "../home.ts";
import { ENVIRONMENT, MAX_BUN_MIB, MAX_DELAY_MS, MAX_GROWTH_MIB } from "../limits.ts";
import { honestUrls, type Pinged, Pinger } from "../pinger.ts";
import { forgetMost, memory, rest } from "../process_state.ts";
import { conversationOf } from "./conversation.ts";
import { converse } from "./exchange.ts";
import { Findings, quoted } from "./findings.ts";
import { type GoodRequest, goodRequests, lookAround } from "./good.ts";
import { faultyLines } from "./oracle.ts";
import { publishHome, type Services, startServices } from "./services.ts";

/** Options of a run. */
export interface RequestsRun {
  readonly runtimes: readonly Runtime[];
  readonly seed: number;
  /** Number of the first conversation, and of conversations on each runtime. */
  readonly first: number;
  readonly count: number;
  /** Whether each of them goes every way, and what is heard is printed. */
  readonly isReplay: boolean;
  readonly print: (line: string) => void;
}

/** Conversations before the measured ones: code is compiled when it first runs. */
const WARMING = 400;
/** Paths that start a thread or make a document when they are asked for the first time in a process. */
const BEGINNINGS = ["/api/v1/search?q=maple", "/api/v1/openapi.json", "/"];
/** Faults after which a run ends, and most that are printed. */
const [MAX_FAULTS, MAX_SHOWN_FAULTS] = [200, 20];
/**
 * Conversations at a time on each way, in the first attempt and in those that follow when nothing but waits was
 * too much. Many short requests that become ready at once are one long turn of the event loop, on Bun above
 * all, as is a busy machine. A request that by itself holds others up does so among fewer, too.
 */
const AT_ONCE = [6, 3, 1];
/** So many conversations around each long wait are held again, with new processes. */
const AGAIN = 600;

/** Numbers of conversations. */
type Range = Pick<RequestsRun, "first" | "count">;

/** Faults of one attempt. */
interface Attempt {
  /** Wrong answers, ends, lines of logs and memory, which count at once. */
  readonly wrong: readonly string[];
  /** Long waits. */
  readonly slow: readonly { readonly fault: string; readonly again: Range }[];
}

/** Sends hostile requests to the services of all runtimes; how many of these passed and failed. */
export async function runRequests(run: RequestsRun): Promise<{ passed: number; failed: number }> {
  const { runtimes, print } = run;
  const folder = temporaryFolder("hostile-requests");
  let [passed, failed] = [0, 0];
  try {
    const home = await makeIdleHome(join(folder, "home"));
    const bucket = join(folder, "bucket");
    mkdirSync(bucket);
    await publishHome(home, bucket);
    const idleService = await startWarmService("node", home);
    const idle = { urls: await honestUrls(idleService.url), pid: idleService.pid };
    for (const runtime of runtimes) {
      const startMs = performance.now();
      let ranges: readonly Range[] = [run];
      let found: Attempt | undefined;
      for (const [i, atOnce] of AT_ONCE.entries()) {
        if (ranges.length === 0) break;
        const place = join(folder, `${runtime}-${i}`);
        const services = await startServices(runtime, place, { home, bucket }, ENVIRONMENT[runtime]);
        found = await attack(runtime, services, idle, { ...run, atOnce }, ranges);
        ranges = found.wrong.length > 0 ? [] : found.slow.map(({ again }) => again);
        if (i + 1 < AT_ONCE.length) {
          for (const { fault } of found.slow) print(`  once more: ${fault.split(", beside")[0]}`);
        }
      }
      const faults = [...found!.slow.map(({ fault }) => fault), ...found!.wrong];
      for (const fault of faults.slice(0, MAX_SHOWN_FAULTS)) print(`  ✖ ${runtime}: ${fault}`);
      if (faults.length > MAX_SHOWN_FAULTS) print(`  ✖ ${runtime}: ${faults.length} faults in all`);
      print(`  ${((performance.now() - startMs) / 1000).toFixed(1)} s`);
      if (faults.length === 0) passed++;
      else failed++;
    }
    await idleService.stop();
  } finally {
    removeFolder(folder);
  }
  return { passed, failed };
}

/** Sends the requests of a run to the services of one runtime, and ends them. */
async function attack(
  runtime: Runtime,
  services: Services,
  idle: Pinged,
  run: RequestsRun & { readonly atOnce: number },
  ranges: readonly Range[],
): Promise<Attempt> {
  const { home, tested } = services;
  const good = goodRequests(await lookAround(home, tested.service.url));
  const wrong: string[] = [];
  const slow: Attempt["slow"][number][] = [];
  // Other conversations than those of the run.
  const warming = new Findings();
  await hold(services, good, { ...run, first: -WARMING, count: WARMING }, warming);
  const watched = await Promise.all(
    Object.entries(tested).map(async ([name, service]) => {
      for (const path of BEGINNINGS) await (await fetch(service.url + path)).arrayBuffer();
      await rest(service);
      const pinger = new Pinger({ urls: await honestUrls(service.url), pid: service.pid }, idle);
      await rest(service);
      await pinger.take();
      forgetMost(service);
      return { name, service, pinger, restingMiB: memory(service).restingMiB };
    }),
  );
  const findings = new Findings();
  const send = run.isReplay ? replay : hold;
  for (const range of ranges) await send(services, good, { ...run, ...range }, findings);
  run.print(`\n${runtime}: ${findings.figures}`);
  for (const { name, service, pinger, restingMiB } of watched) {
    const { delayMs, medianMs, failures, slowestAtMs } = await pinger.take();
    await pinger.end();
    const { mostMiB } = memory(service);
    const growthMiB = mostMiB - restingMiB;
    const waits = `longest wait ${delayMs.toFixed(0)} ms, median ${medianMs.toFixed(1)} ms`;
    run.print(`  ${name}: ${waits}, ${restingMiB.toFixed(0)} MiB and ${growthMiB.toFixed(0)} more`);
    if (mostMiB === 0) {
      wrong.push(`${name} has ended, beside ${findings.newest}: ${service.output().slice(-1000)}`);
    }
    if (growthMiB > MAX_GROWTH_MIB) wrong.push(`${name} took ${growthMiB.toFixed(0)} MiB`);
    if (runtime === "bun" && mostMiB > MAX_BUN_MIB) wrong.push(`${name} had ${mostMiB.toFixed(0)} MiB`);
    if (delayMs > MAX_DELAY_MS) {
      const beside = findings.underWay(slowestAtMs, delayMs);
      const first = Math.max(run.first, findings.latestAt(slowestAtMs) - AGAIN / 2);
      slow.push({
        fault: `others waited ${delayMs.toFixed(0)} ms for ${name}, beside ${beside}`,
        again: { first, count: Math.min(AGAIN, run.first + run.count - first) },
      });
    }
    if (failures > 0) wrong.push(`${failures} cheap requests to ${name} failed`);
  }
  for (const [name, status] of await services.stop()) {
    if (status !== 0) wrong.push(`${name} ended with ${status}`);
  }
  for (const { name, service } of watched) {
    const lines = faultyLines(service.output());
    if (lines.length > 0) wrong.push(`${name} wrote ${lines.length} faults: ${lines.slice(0, 3).join("\n")}`);
  }
  return { wrong: [...wrong, ...warming.faults, ...findings.faults], slow };
}

/** Holds conversations, dealt to the ways. */
async function hold(
  { ways, tested }: Services,
  good: readonly GoodRequest[],
  { seed, first, count, atOnce }: Pick<RequestsRun, "seed" | "first" | "count"> & { readonly atOnce: number },
  findings: Findings,
): Promise<void> {
  let next = first;
  const hasEnded = () => Object.values(tested).some((service) => memory(service).mostMiB === 0);
  await Promise.all(ways.flatMap((way) =>
    Array.from({ length: atOnce }, async () => {
      while (next < first + count && findings.faults.length < MAX_FAULTS && !hasEnded()) {
        const conversation = conversationOf(seed, next++, good);
        findings.add(way, conversation, await converse(way.port, conversation));
      }
    })
  ));
}

/** Holds conversations every way, one after the other, and prints what is heard. */
async function replay(
  { ways }: Services,
  good: readonly GoodRequest[],
  { seed, first, count, print }: RequestsRun,
  findings: Findings,
): Promise<void> {
  for (let number = first; number < first + count; number++) {
    const conversation = conversationOf(seed, number, good);
    print(`sent: ${quoted(conversation.pieces.join(""))}`);
    for (const way of ways) {
      const heard = await converse(way.port, conversation);
      findings.add(way, conversation, heard);
      print(`${way.name}, ${heard.end}: ${quoted(heard.text)}`);
    }
  }
}
