// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Simulates a seed node with many small repositories, which replicas serve:
 * `npm run bench:seed -- [--repositories 5000] [--requests 40000] [--replicas 4]`. Makes the repositories
 * from a template, publishes them into a bucket in memory, and starts the command as replicas of 256 MiB with
 * a cache folder each. Then people (Zipf's law, exponent 1) and a tenth of crawlers (each repository equally
 * often) send requests, and each repository has one replica. Prints the time until a replica answers, the
 * reads of the bucket for a page of the list, for a cold repository and for a request of the traffic, and the
 * memory of the replicas, with missed goals in bold. Never fails because of a time.
 */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deflate } from "../adapters/node/zlib.ts";
import type { Oid } from "../src/ids/oid.ts";
import type { RepoId } from "../src/ids/rid.ts";
import type { Bucket } from "../extensions/replicas/bucket/bucket.ts";
import { createMemoryBucket } from "../extensions/replicas/bucket/memory.ts";
import { createAbsentNode } from "../src/seeding/absent_node.ts";
import { createMemoryStorage } from "../src/storage/memory.ts";
import { createDerive, createTestPublisher } from "../test/extensions/replicas/publisher/test_publisher.ts";
import { removeFolder, type Service, startBucketService, temporaryFolder } from "../test/support/programs.ts";
import { ALICE, ALICE_SEED, createRepository, publish, putCommit, setHead } from "../test/support/world.ts";
import { COSTS } from "./scale_constants.ts";
import { numbers } from "./scale_model.ts";

const { values } = parseArgs({
  options: {
    repositories: { type: "string", default: "5000" },
    requests: { type: "string", default: "40000" },
    replicas: { type: "string", default: "4" },
  },
});
const [REPOSITORIES, REQUESTS, REPLICAS] = [values.repositories, values.requests, values.replicas]
  .map(Number) as [number, number, number];

/** Commits and files of a repository, and lines of a file. */
const [COMMITS, FILES, LINES] = [20, 12, 60];
/** Memory in MiB of a replica's process, of its caches, and of its heap. */
const [MEMORY_MIB, CACHES_MIB, HEAP_MIB] = [256, 96, 128];
const CRAWLERS = 0.1;
const REQUESTS_AT_ONCE = 8;
/** Cold repositories that are requested one at a time. */
const COLD = 20;
/** Samples of the memory of a replica. */
const SAMPLES = 8;
const WANTED = { startMs: 2000, listReads: 3, coldReads: 6, memoryMiB: MEMORY_MIB, growth: 1.1 };
/** Pages of a list that are requested besides the first one. */
const LIST_PAGES = [1, 7];

/** Kinds of requests in the traffic by their names in the simulation, with the rest of their paths. */
const PATHS = {
  project: () => "",
  tree: (oid: Oid) => `/tree/${oid}/`,
  blob: (oid: Oid) => `/blob/${oid}/file-3.txt`,
  commit: (oid: Oid) => `/commits/${oid}`,
  history: (oid: Oid) => `/commits?parent=${oid}`,
  issues: () => "/issues?perPage=10",
  patches: () => "/patches?perPage=10",
};
type Kind = keyof typeof PATHS;

/** A repository of the seed, with the ids that requests name. */
interface Made {
  readonly rid: RepoId;
  readonly head: Oid;
  readonly commits: readonly Oid[];
}

const folder = temporaryFolder("bench-seed");
const services: Service[] = [];
const bucket = createMemoryBucket();
/** Reads of the bucket by each replica. */
const reads = Array<number>(REPLICAS).fill(0);
const server = createServer((request, response) => void answer(bucket, request, response));
try {
  await measure();
} finally {
  for (const { stop } of services) await stop();
  server.close();
  removeFolder(folder);
}

async function measure(): Promise<void> {
  const startedMs = performance.now();
  const made = makeRepositories();
  await publishAll(made.storage);
  let storedBytes = 0;
  for await (const { size } of bucket.list("")) storedBytes += size;
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  console.log(
    `${REPOSITORIES} repositories of ${COMMITS} commits and ${FILES} files, ${
      megabytes(storedBytes)
    } MB published in ${
      ((performance.now() - startedMs) / 1000).toFixed(0)
    } s; ${REPLICAS} replicas of ${MEMORY_MIB} MiB.\n`,
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const starts: number[] = [];
  for (let i = 0; i < REPLICAS; i++) {
    const before = performance.now();
    services.push(
      await startBucketService("node", `http://127.0.0.1:${port}/${i}`, [
        ...["--memory", `${CACHES_MIB}M`, "--cache", join(folder, `cache-${i}`)],
      ], { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB} --max-semi-space-size=4` }),
    );
    await ask(i, "/api/v1/projects?show=all&perPage=10");
    starts.push(performance.now() - before);
  }
  const most = (list: readonly number[]) => Math.max(...list);
  const row = (name: string, value: number, wanted: number) =>
    console.log(`| ${name} | ${value > wanted ? `**${round(value)}**` : round(value)} | ${wanted} |`);
  console.log("| Figure | Measured | Wanted |\n| --- | --- | --- |");
  row("Start to the first answer, ms, the longest", most(starts), WANTED.startMs);
  const listReads: number[] = [];
  for (const page of [0, ...LIST_PAGES]) {
    listReads.push(
      await readsOf(
        1 % REPLICAS,
        () => ask(1 % REPLICAS, `/api/v1/projects?show=all&page=${page}&perPage=10`),
      ),
    );
  }
  row("Reads for a page of the list, the most", most(listReads), WANTED.listReads);
  const cold: number[] = [];
  for (const one of made.repositories.slice(-COLD)) {
    for (const kind of ["tree", "commit", "history"] as const) {
      // Each kind goes to a different replica, which has no data of this repository yet.
      const replica = (replicaOf(one) + ["tree", "commit", "history"].indexOf(kind)) % REPLICAS;
      cold.push(await readsOf(replica, () => ask(replica, pathOf(kind, one, one.head))));
    }
  }
  row("Reads for a cold repository, the most", most(cold), WANTED.coldReads);
  const traffic = await sendTraffic(made.repositories);
  row("Memory of a replica, MiB, the most", most(traffic.memory.flat()), WANTED.memoryMiB);
  const growth = traffic.memory.map((samples) => samples.at(-1)! / samples[samples.length >> 1]!);
  row("Memory at the end, as a multiple of that in the middle", most(growth), WANTED.growth);
  console.log(
    `\n${REQUESTS} requests in ${traffic.seconds.toFixed(0)} s: ${
      (traffic.reads / REQUESTS).toFixed(2)
    } reads a request, in the second half ${(2 * traffic.laterReads / REQUESTS).toFixed(2)}. ` +
      `Start, ms: ${starts.map(round).join(", ")}. Memory, MiB: ${
        traffic.memory.map((samples) => samples.map(round).join(" ")).join("; ")
      }.`,
  );
}

function round(value: number): string {
  return value < 10 ? String(Math.round(100 * value) / 100) : value.toFixed(0);
}

function makeRepositories() {
  const storage = createMemoryStorage();
  const repositories: Made[] = [];
  for (let i = 0; i < REPOSITORIES; i++) {
    const repository = createRepository(storage, { name: `seed-${i}`, description: "One of many" });
    const files: Record<string, string> = {};
    const text = (file: number, version: number) =>
      Array.from(
        { length: LINES },
        (_, line) => `line ${line} of ${file} in ${i}, ${line % 7 ? 0 : version}\n`,
      ).join("");
    for (let file = 0; file < FILES; file++) files[`file-${file}.txt`] = text(file, 0);
    const commits: Oid[] = [];
    for (let at = 0; at < COMMITS; at++) {
      files[`file-${at % FILES}.txt`] = text(at % FILES, at);
      const parents = commits.slice(-1);
      commits.push(
        putCommit(repository, {
          folder: { ...files },
          parents,
          message: `Change ${at}\n`,
          timeSeconds: 1_700_000_000 + 3600 * at,
        }),
      );
    }
    const head = commits.at(-1)!;
    setHead(repository, head);
    publish(repository, ALICE_SEED, { master: head });
    repositories.push({ rid: repository.rid, head, commits });
  }
  return { storage, repositories };
}

async function publishAll(storage: ReturnType<typeof createMemoryStorage>): Promise<void> {
  const node = { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() };
  const { failed } = await createTestPublisher(storage, bucket, {
    node,
    derive: createDerive(),
    deflate,
  }).publishAll();
  if (failed > 0) throw new Error("The seed cannot be published");
}

/** Sends the traffic and samples the memory meanwhile. */
async function sendTraffic(made: readonly Made[]) {
  const random = numbers(1);
  const kinds = Object.entries(COSTS.kinds).filter(([name]) => name in PATHS) as [
    Kind,
    typeof COSTS.kinds[string],
  ][];
  const weights = (isCrawler: boolean) =>
    kinds.map(([, kind]) => isCrawler ? kind.crawlerShare : kind.personShare);
  const choose = (weights: readonly number[]) => {
    let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
    return weights.findIndex((weight) => (left -= weight) < 0);
  };
  // Draws from Zipf's law, exponent 1, by its inverse.
  const popular = () => Math.min(REPOSITORIES - 1, Math.floor((REPOSITORIES + 1) ** random()) - 1);
  const memory = services.map(() => [] as number[]);
  const readsBefore = sum(reads);
  let [sent, middleReads] = [0, 0];
  const before = performance.now();
  const work = async () => {
    while (sent < REQUESTS) {
      if (sent % Math.ceil(REQUESTS / SAMPLES) === 0) {
        services.forEach(({ pid }, i) => memory[i]!.push(residentMiB(pid)));
      }
      if (sent === REQUESTS >> 1) middleReads = sum(reads);
      sent++;
      const isCrawler = random() < CRAWLERS;
      const one = made[isCrawler ? Math.floor(random() * made.length) : popular()]!;
      const [kind] = kinds[choose(weights(isCrawler))]!;
      const age = Math.floor(COMMITS * (isCrawler ? random() : random() ** COSTS.recency));
      await ask(replicaOf(one), pathOf(kind, one, one.commits[COMMITS - 1 - age]!));
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
  services.forEach(({ pid }, i) => memory[i]!.push(residentMiB(pid)));
  const all = sum(reads);
  return {
    memory,
    seconds: (performance.now() - before) / 1000,
    reads: all - readsBefore,
    laterReads: all - middleReads,
  };
}

function pathOf(kind: Kind, { rid }: Made, oid: Oid): string {
  return `/api/v1/projects/${rid}${PATHS[kind](oid)}`;
}

/** The replica of a repository. A balancer would also choose it by the id. */
function replicaOf({ rid }: Made): number {
  let hash = 0;
  for (const char of rid) hash = Math.imul(hash, 31) + char.charCodeAt(0) | 0;
  return (hash >>> 0) % REPLICAS;
}

async function ask(replica: number, path: string): Promise<void> {
  const response = await fetch(`${services[replica]!.url}${path}`);
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

async function readsOf(replica: number, work: () => Promise<void>): Promise<number> {
  const before = reads[replica]!;
  await work();
  return reads[replica]! - before;
}

function sum(list: readonly number[]): number {
  return list.reduce((all, value) => all + value, 0);
}

function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

/** Serves a public bucket over HTTP: `/REPLICA/KEY`. */
async function answer(bucket: Bucket, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, replica = "", key = ""] = /^\/(\d+)\/(.*)$/.exec(request.url ?? "") ?? [];
  reads[Number(replica)]!++;
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
  const range = start === undefined ? undefined : { start: Number(start), end: Number(end) + 1 };
  const found = await bucket.get(key, { range, ifNoneMatch: request.headers["if-none-match"] });
  if (found === undefined) return void response.writeHead(404).end();
  if (found === "unchanged") return void response.writeHead(304).end();
  response.writeHead(range === undefined ? 200 : 206, {
    "content-length": found.bytes.length,
    "last-modified": new Date(found.modifiedMs).toUTCString(),
    etag: found.etag,
    ...range && { "content-range": `bytes ${start}-${end}/${found.size}` },
  });
  response.end(found.bytes);
}
