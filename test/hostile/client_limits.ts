/**
 * Hostile clients that want more than one client may have: places of sign-ins and live changes, the place of
 * another client, answers that cost much, and the share of all clients that a proxy does not tell apart.
 */
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { openSigner } from "../../adapters/node/signer.ts";
import { BURST_SECONDS, TOGETHER_FACTOR } from "../../adapters/operation/client_share.ts";
import { MAX_READERS_OF_PEER } from "../../extensions/events/places.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { ClientClaims } from "../../extensions/replicas/origin/client_claim.ts";
import { MAX_WAITING, MAX_WAITING_OF_CLIENT } from "../../src/session/memory_table.ts";
import {
  removeFolder,
  type Runtime,
  type Service,
  startWarmService,
  temporaryFolder,
} from "../support/programs.ts";
import { DiskRepository } from "./disk.ts";
import { putLine } from "./histories.ts";
import { makeIdleHome } from "./home.ts";
import { ENVIRONMENT, MAX_DELAY_MS, MAX_GROWTH_MIB } from "./limits.ts";
import { honestUrls, type Pinged, Pinger } from "./pinger.ts";
import { forgetMost, memory, processorSeconds, rest } from "./process_state.ts";
import { faultyLines } from "./requests/oracle.ts";
import type { SharesRun } from "./shares.ts";
import { documentOf, found, setHead } from "./target.ts";

/** Expensive requests of a client a second. */
const RATE = 1;
const FIELD = "x-real-ip";
const NAMED = ["--share", String(RATE), "--behind-proxy", "--client-address-header", FIELD];
const UNNAMED = ["--share", String(RATE), "--behind-proxy"];
const TOKEN_KEY = "a key of the hostile run, of more than 32 characters";
/** Commits of the history whose pages cost much. */
const COMMITS = 6000;
/** Costly requests of clients that cannot be told apart. */
const COSTLY = 60;
/** Connections at a time, and of those whose requests cost much. */
const [CONNECTIONS, FEW] = [16, 4];
/** Runs on one runtime until no other client waits: a busy machine makes them wait, too. */
const ATTEMPTS = 3;

type Fields = Readonly<Record<string, string>>;

/** Fields by which a client may want to be another one, or many. */
const FORGED: readonly ((i: number) => Fields)[] = [
  () => ({}),
  () => ({ via: "1.0 x" }),
  () => ({ via: "1.1 xylem-replica" }),
  (i) => ({ forwarded: `for=192.0.2.${i % 256}` }),
  (i) => ({ "x-forwarded-for": `192.0.2.${i % 256}` }),
  (i) => ({ "x-client-ip": `192.0.2.${i % 256}`, "cf-connecting-ip": `192.0.2.${i % 256}` }),
  (i) => ({ origin: `http://localhost:${1 + i % 60_000}` }),
  (i) => ({ origin: `https://evil${i}.example` }),
  (i) => ({ "xylem-client-address": `192.0.2.${i % 256}` }),
  (i) => ({
    via: "1.1 xylem-replica",
    "xylem-client-address": `192.0.2.${i % 256} ${Date.now()} ${"a".repeat(16)} ${"0".repeat(64)}`,
  }),
  (i) => ({ "xylem-owner-proof": `${Date.now()}.${"a".repeat(16)}.z${"2".repeat(80 + i % 9)}` }),
];

const forged = (i: number): Fields => FORGED[i % FORGED.length]!(i);
const networkOf = (i: number) => `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`;

/** A service under attack. */
interface Attacked {
  readonly service: Service;
  readonly home: string;
  /** A path whose answer costs much, another one for each number. */
  readonly costly: (i: number) => string;
}

/** An attack; what went wrong. */
type Attack = (attacked: Attacked, print: (line: string) => void) => Promise<readonly string[]>;

/** Attacks on a service behind a proxy that names its clients. */
const ON_NAMED: Readonly<Record<string, Attack>> = {
  "sign-ins of one client, as many": async ({ service }, print) => {
    const from = (i: number) => ({ ...forged(i), [FIELD]: "192.0.2.1" });
    const counts = await flood(1500, (i) => post(service, from(i)), FEW);
    const other = await post(service, { [FIELD]: "192.0.2.2" });
    print(`  sign-ins of one client: ${show(counts)}; of another one: ${other}`);
    // Of programs and trusted pages, and of other pages.
    return (counts.get(201) ?? 0) <= 2 * MAX_WAITING_OF_CLIENT && other === 201
      ? []
      : ["sign-ins of one client"];
  },
  "sign-ins of so many clients that no place is left": async ({ service, home }, print) => {
    const networks = Math.ceil(MAX_WAITING.other / MAX_WAITING_OF_CLIENT) + 5;
    const counts = await flood(
      networks * (MAX_WAITING_OF_CLIENT + 1),
      (i) => post(service, { [FIELD]: networkOf(i % networks) }),
      FEW,
    );
    const stranger = await post(service, { [FIELD]: "192.0.2.3" });
    const publicKey = fileSystem.read(join(home, "keys", "radicle.pub"))!;
    const nodeId = nodeIdOfPublicKey(new TextDecoder().decode(publicKey));
    const signer = await openSigner({
      home,
      nodeId,
      fileSystem,
      passphrase: undefined,
      agentSocket: undefined,
    })();
    const owner = await openAuthorized(service.url, signer).then(() => "signed in", String);
    print(
      `  sign-ins of ${networks} clients: ${show(counts)}; of a stranger: ${stranger}; the owner: ${owner}`,
    );
    return owner === "signed in" ? [] : [`the owner: ${owner}`];
  },
  "live changes of one client": async ({ service }, print) => {
    const agent = new Agent({ maxSockets: Infinity });
    const open = (i: number, address: string) => {
      const target = i % 2 === 0 ? "/api/v1/events" : `${service.url}/api/v1/events`;
      return send(service, {
        path: target,
        fields: { ...forged(i), [FIELD]: address },
        agent,
        isLasting: true,
      });
    };
    const counts = await flood(2 * MAX_READERS_OF_PEER, (i) => open(i, "192.0.2.4"));
    const other = await open(0, "192.0.2.5");
    agent.destroy();
    print(`  live changes of one client: ${show(counts)}; of another one: ${other}`);
    return counts.get(200) === MAX_READERS_OF_PEER && other === 200 ? [] : ["live changes of one client"];
  },
  "claims of replicas, forged and copied": async ({ service, costly }, print) => {
    const copied = new ClientClaims(TOKEN_KEY).sign("192.0.2.6");
    const startMs = performance.now();
    const counts = await flood(600, (i) => {
      const fields = i % 2 === 0 ? forged(i) : { via: "1.1 xylem-replica", "xylem-client-address": copied };
      return send(service, { path: `/raw/none/head/${i}`, fields: { ...fields, [FIELD]: "192.0.2.7" } });
    });
    const most = BURST_SECONDS + Math.ceil((performance.now() - startMs) / 1000) * RATE + 1;
    const refused = counts.get(429) ?? 0;
    const victim = await send(service, { path: costly(1e6), fields: { [FIELD]: "192.0.2.6" } });
    print(`  claims: ${show(counts)}; the named client: ${victim}`);
    return refused >= 600 - most && victim === 200 ? [] : [`claims: ${show(counts)}, ${victim}`];
  },
  "answers that cost much": async ({ service, costly }, print) => {
    const before = processorSeconds(service);
    const methods = ["GET", "HEAD"];
    let taken = 0;
    const ask = (i: number) =>
      send(service, { method: methods[i % 2]!, path: costly(i), fields: { [FIELD]: "192.0.2.8" } });
    while (taken < BURST_SECONDS && await ask(taken) === 200) taken++;
    const seconds = processorSeconds(service) - before;
    const refused = await ask(taken);
    print(`  costly answers: ${taken} taken, ${seconds.toFixed(1)} s of processors; then ${refused}`);
    return refused === 429 && taken < BURST_SECONDS / 2
      ? []
      : [`costly answers: ${taken} taken, then ${refused}`];
  },
};

/** Attacks on a service behind a proxy that names nobody. */
const ON_UNNAMED: Readonly<Record<string, Attack>> = {
  "the share of all, by a fast reader on an idle service": async ({ service }, print) => {
    const requests = 3 * TOGETHER_FACTOR * BURST_SECONDS * RATE;
    const counts = await flood(requests, (i) => send(service, { path: `/raw/none/head/${i}` }), 1);
    print(`  a fast reader: ${show(counts)}`);
    // A busy machine may make the service late at times.
    return (counts.get(429) ?? 0) < requests / 20 ? [] : [`a fast reader: ${show(counts)}`];
  },
  "the share of all, by costly requests": async ({ service, costly }, print) => {
    const counts = await flood(COSTLY, (i) => send(service, { path: costly(i), fields: forged(i) }), FEW);
    print(`  costly requests of all: ${show(counts)}`);
    return (counts.get(200) ?? 0) + (counts.get(429) ?? 0) + (counts.get(503) ?? 0) === COSTLY
      ? []
      : [`costly requests of all: ${show(counts)}`];
  },
};

/** Attacks services on each runtime; how many of these passed and failed. */
export async function runClientLimits(
  { runtimes, print }: SharesRun,
): Promise<{ passed: number; failed: number }> {
  const folder = temporaryFolder("hostile-limits");
  let failed = 0;
  try {
    const home = await makeIdleHome(join(folder, "home"));
    const costly = putLongHistory(home);
    const idleService = await startWarmService("node", home);
    const idle = { urls: await honestUrls(idleService.url), pid: idleService.pid };
    for (const runtime of runtimes) {
      let faults: readonly string[] = [];
      for (let i = 0; i < ATTEMPTS; i++) {
        print(`\n${runtime}: limits of one client`);
        faults = [
          ...await attackService(runtime, { home, costly, idle, args: NAMED, attacks: ON_NAMED, print }),
          ...await attackService(runtime, { home, costly, idle, args: UNNAMED, attacks: ON_UNNAMED, print }),
        ];
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

/** Puts a repository with a long history into a home; paths of pages of it that cost much. */
function putLongHistory(home: string): (i: number) => string {
  const name = "limits of one client";
  const { rid } = documentOf(name);
  const repository = new DiskRepository(join(home, "storage"), rid);
  const { alice, head } = found(repository, name);
  setHead(repository, alice, putLine(repository, COMMITS, head));
  repository.finish();
  // Another bound of time each: no answer is cached.
  return (i) => `/api/v1/projects/${rid}/commits?perPage=100000&diff=none&since=${i}`;
}

/** Starts a service and attacks it; the faults. */
async function attackService(
  runtime: Runtime,
  { home, costly, idle, args, attacks, print }: Omit<Attacked, "service"> & {
    readonly idle: Pinged;
    readonly args: readonly string[];
    readonly attacks: Readonly<Record<string, Attack>>;
    readonly print: (line: string) => void;
  },
): Promise<readonly string[]> {
  const environment = { ...ENVIRONMENT[runtime], XYLEM_TOKEN_KEY: TOKEN_KEY };
  const service = await startWarmService(runtime, home, args, environment);
  const cheap = (await honestUrls(service.url)).filter((url) => !url.includes("/tree/"));
  const pinger = new Pinger({ urls: cheap, pid: service.pid }, idle);
  const faults: string[] = [];
  await rest(service);
  await pinger.take();
  const { restingMiB } = memory(service);
  for (const [name, attack] of Object.entries(attacks)) {
    forgetMost(service);
    faults.push(...await attack({ service, home, costly }, print));
    const { delayMs, failures } = await pinger.take();
    const growthMiB = memory(service).mostMiB - restingMiB;
    if (delayMs > MAX_DELAY_MS) faults.push(`${name}: others waited ${delayMs.toFixed(0)} ms`);
    if (failures > 0) faults.push(`${name}: ${failures} cheap requests failed`);
    if (growthMiB > MAX_GROWTH_MIB) faults.push(`${name}: took ${growthMiB.toFixed(0)} MiB`);
    await rest(service);
  }
  await pinger.end();
  const status = await service.stop();
  if (status !== 0) faults.push(`ended with ${status}`);
  return [...faults, ...faultyLines(service.output())];
}

/** Sends requests on some connections; the number of answers by status. */
async function flood(
  requests: number,
  ask: (i: number) => Promise<number | string>,
  connections = CONNECTIONS,
): Promise<ReadonlyMap<number | string, number>> {
  const counts = new Map<number | string, number>();
  let next = 0;
  await Promise.all(Array.from({ length: connections }, async () => {
    while (next < requests) {
      const status = await ask(next++);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  }));
  return counts;
}

const post = (service: Service, fields: Fields) =>
  send(service, { method: "POST", path: "/api/v1/sessions", fields });

const shared = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** A request; the target may be in absolute form. */
interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly fields?: Fields;
  readonly agent?: Agent;
  /** Whether the answer has no end. */
  readonly isLasting?: boolean;
}

/** Sends a request; the status of its answer, or what is wrong with it. */
async function send({ url }: Service, sent: Sent): Promise<number | string> {
  const { method = "GET", path, fields = {}, agent = shared, isLasting = false } = sent;
  const { hostname, port, host } = new URL(url);
  try {
    const asked = request({ hostname, port, path, method, agent, headers: { host, ...fields } });
    asked.on("error", () => {});
    asked.end();
    const [response]: IncomingMessage[] = await once(asked, "response");
    const { statusCode, headers: { "retry-after": wait } } = response!;
    response!.on("error", () => {});
    response!.resume();
    if (!isLasting || statusCode !== 200) await once(response!, "end");
    const isRight = statusCode !== 429 || /^[1-9]\d*$/.test(wait ?? "");
    return isRight ? statusCode! : `429 with ${wait}`;
  } catch (error) {
    return String(error);
  }
}

function show(counts: ReadonlyMap<number | string, number>): string {
  return [...counts].map(([status, count]) => `${count} times ${status}`).join(", ");
}
