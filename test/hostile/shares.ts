/**
 * Hostile clients of a service behind a proxy that names its clients: they ask for more than their share, as
 * one client, as one that writes the field itself, and as ten thousands of networks.
 */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { BURST_SECONDS, MAX_DEBT_SECONDS } from "../../adapters/operation/client_share.ts";
import { removeFolder, type Runtime, startWarmService, temporaryFolder } from "../support/programs.ts";
import { makeIdleHome } from "./home.ts";
import { ENVIRONMENT, MAX_BUN_MIB, MAX_DELAY_MS, MAX_GROWTH_MIB } from "./limits.ts";
import { honestUrls, type Pinged, Pinger } from "./pinger.ts";
import { forgetMost, memory, rest } from "./process_state.ts";
import { faultyLines } from "./requests/oracle.ts";

/** Options of a run. */
export interface SharesRun {
  readonly runtimes: readonly Runtime[];
  readonly print: (line: string) => void;
}

/** Expensive requests of a client a second. */
const RATE = 1;
/** Field in which the proxy names its client. */
export const FIELD = "X-Real-IP";
const ARGS = ["--share", String(RATE), "--behind-proxy", "--client-address-header", FIELD];
const [REQUESTS, NETWORKS, CONNECTIONS] = [4000, 20_000, 16];
/** Runs on one runtime until no other client waits: a busy machine makes them wait, too. */
const ATTEMPTS = 3;

/** A hostile client, or many. */
interface Attack {
  readonly name: string;
  readonly requests: number;
  /** Values of the field in the request with a number, one for each line. */
  readonly fieldIn: (i: number) => readonly string[];
  /** Shares that they have together. */
  readonly shares: number;
}

/** Values that are no address: the request counts as the proxy's. */
const INVALID: readonly ((i: number) => readonly string[])[] = [
  () => [],
  () => [""],
  (i) => [`client-${i}`],
  (i) => [`192.0.2.${i % 256}:${i}`],
  (i) => [`192.0.2.1, ${i}`],
  (i) => [`fe80::${(i % 65_536).toString(16)}%eth${i}`],
  (i) => [`${i}`.repeat(1500)],
  (i) => [`[2001:db8:${(i % 65_536).toString(16)}::1]`],
  (i) => ["192.0.2.1", `192.0.2.${i % 256}`],
  (i) => [`2001:db8:${(i % 65_536).toString(16)}::1`, `2001:db8:${(i % 65_536).toString(16)}::1`],
  (i) => [`${"10.0.0.1, ".repeat(i % 600)}no address`],
];

const networkOf = (i: number) => `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::`;

const ATTACKS: readonly Attack[] = [
  { name: "one client", requests: REQUESTS, fieldIn: () => ["192.0.2.1"], shares: 1 },
  {
    name: "a client that writes the field before the proxy does",
    requests: REQUESTS,
    fieldIn: (i) => [`198.51.100.${i % 256}, 192.0.2.2`],
    shares: 1,
  },
  {
    name: "fields that are no address",
    requests: REQUESTS,
    fieldIn: (i) => INVALID[i % INVALID.length]!(i),
    shares: 1,
  },
  {
    name: "addresses of one network",
    requests: REQUESTS,
    fieldIn: (i) => [`2001:db8:ffff:ffff:${i.toString(16)}::${(i * 7919 % 65_536).toString(16)}`],
    shares: 1,
  },
  {
    name: "ten thousands of networks",
    requests: NETWORKS,
    fieldIn: (i) => [`${networkOf(i)}1`],
    shares: NETWORKS,
  },
];

/** Attacks a service on each runtime; how many of these passed and failed. */
export async function runShares({ runtimes, print }: SharesRun): Promise<{ passed: number; failed: number }> {
  const folder = temporaryFolder("hostile-shares");
  let failed = 0;
  try {
    const home = await makeIdleHome(join(folder, "home"));
    const idleService = await startWarmService("node", home);
    const idle = { urls: await honestUrls(idleService.url), pid: idleService.pid };
    for (const runtime of runtimes) {
      let faults: readonly string[] = [];
      for (let i = 0; i < ATTEMPTS; i++) {
        faults = await attackService(runtime, home, idle, print);
        if (faults.length === 0) break;
      }
      for (const fault of faults) print(`  ✖ ${runtime}: ${fault}`);
      if (faults.length > 0) failed++;
    }
    await idleService.stop();
  } finally {
    removeFolder(folder);
  }
  return { passed: runtimes.length - failed, failed };
}

/** Starts a service and attacks it; the faults. */
async function attackService(
  runtime: Runtime,
  home: string,
  idle: Pinged,
  print: SharesRun["print"],
): Promise<readonly string[]> {
  const service = await startWarmService(runtime, home, ARGS, ENVIRONMENT[runtime]);
  const urls = await honestUrls(service.url);
  // Other clients have shares of their own, which the cheap requests would use up, too.
  const [cheap, [expensive = ""]] = [
    urls.filter((url) => !url.includes("/tree/")),
    urls.filter((url) => url.includes("/tree/")),
  ];
  const pinger = new Pinger({ urls: cheap, pid: service.pid }, idle);
  const faults: string[] = [];
  print(`\n${runtime}: shares`);
  await rest(service);
  await pinger.take();
  const { restingMiB } = memory(service);
  forgetMost(service);
  for (const { name, requests, fieldIn, shares } of ATTACKS) {
    const startMs = performance.now();
    const counts = await flood(expensive, requests, fieldIn);
    const seconds = (performance.now() - startMs) / 1000;
    const { delayMs, failures } = await pinger.take();
    const { mostMiB } = memory(service);
    const growthMiB = mostMiB - restingMiB;
    const [taken = 0, refused = 0] = [counts.get("200"), counts.get("429")];
    print(
      `  ${name}: ${taken} taken, ${refused} refused in ${seconds.toFixed(1)} s; others waited ` +
        `${delayMs.toFixed(0)} ms more; ${growthMiB.toFixed(0)} MiB`,
    );
    const most = shares * (RATE * (BURST_SECONDS + Math.ceil(seconds)));
    const least = Math.min(requests, shares * RATE * BURST_SECONDS);
    if (taken > most || taken < least) faults.push(`${name}: ${taken} taken, not ${least} to ${most}`);
    if (taken + refused !== requests) faults.push(`${name}: ${JSON.stringify([...counts])}`);
    if (delayMs > MAX_DELAY_MS) faults.push(`${name}: others waited ${delayMs.toFixed(0)} ms`);
    if (failures > 0) faults.push(`${name}: ${failures} cheap requests failed`);
    if (mostMiB === 0) faults.push(`the process has ended: ${service.output().slice(-300)}`);
    if (growthMiB > MAX_GROWTH_MIB) faults.push(`${name}: took ${growthMiB.toFixed(0)} MiB`);
    if (runtime === "bun" && mostMiB > MAX_BUN_MIB) faults.push(`${name}: ${mostMiB.toFixed(0)} MiB`);
  }
  const honest = await flood(expensive, BURST_SECONDS, () => ["203.0.113.9"]);
  if (honest.get("200") !== BURST_SECONDS) faults.push(`a client after them: ${JSON.stringify([...honest])}`);
  await pinger.end();
  const status = await service.stop();
  if (status !== 0) faults.push(`ended with ${status}`);
  faults.push(...faultyLines(service.output()));
  return faults;
}

/** Sends requests on {@link CONNECTIONS} connections; the number of answers by status, and by what is wrong with them. */
export async function flood(
  url: string,
  requests: number,
  fieldIn: Attack["fieldIn"],
): Promise<ReadonlyMap<string, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const counts = new Map<string, number>();
  let next = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (next < requests) {
      const answer = await ask(agent, url, fieldIn(next++));
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
  }));
  agent.destroy();
  return counts;
}

export async function ask(agent: Agent, url: string, values: readonly string[]): Promise<string> {
  const headers = ["Host", new URL(url).host, ...values.flatMap((value) => [FIELD, value])];
  try {
    const asked = request(url, { agent, headers });
    asked.end();
    const [response]: IncomingMessage[] = await once(asked, "response");
    response!.resume();
    await once(response!, "end");
    const { statusCode, headers: { "retry-after": wait } } = response!;
    const isRight = statusCode !== 429 || Number(wait) >= 1 && Number(wait) <= MAX_DEBT_SECONDS;
    return isRight ? String(statusCode) : `429 with ${wait}`;
  } catch (error) {
    return String(error);
  }
}
