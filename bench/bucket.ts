// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures the costs of a replica:
 * `node bench/bucket.ts [--commits 3000] [--issues 1000] [--delay 20] [--warm 40] [--homes FOLDER]`.
 * Makes a home, or uses the one that an earlier run made in the folder, and publishes it into a bucket that
 * adds `--delay` milliseconds to each read. Requests each kind of answer from a new replica and measures
 * reads of the bucket, their bytes and the time, cold and warm. Then compares the processor time of warm
 * answers with the same service on the disk of the home, and measures the memory of a replica with the limits
 * of a worker (see `bucket_memory.ts`). Prints Markdown with missed goals in bold. Never fails because of a
 * time.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { openHomePublisher } from "../adapters/home/publish_home.ts";
import { createHomeApi, fileSystem, homeParts, loadLibgit2 } from "../adapters/node/mod.ts";
import { inflate } from "../adapters/node/zlib.ts";
import { createFolderBucket } from "../extensions/replicas/bucket/folder.ts";
import { createMemoryBucket } from "../extensions/replicas/bucket/memory.ts";
import type { Bucket } from "../extensions/replicas/bucket/bucket.ts";
import { createReplica, type Replica } from "../extensions/replicas/replica/replica.ts";
import { CountingBucket } from "../test/support/published.ts";
import { removeFolder, temporaryFolder } from "../test/support/programs.ts";
import type { MemoryUse } from "./bucket_memory.ts";
import { openBenchHome } from "./homes.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "3000" },
    files: { type: "string", default: "300" },
    issues: { type: "string", default: "1000" },
    delay: { type: "string", default: "20" },
    warm: { type: "string", default: "40" },
    homes: { type: "string" },
  },
});
const [commits, files, issues, delayMs, warmAnswers] = [
  values.commits,
  values.files,
  values.issues,
  values.delay,
  values.warm,
].map(Number) as [number, number, number, number, number];

/** Goal: most reads of the bucket for a cold answer. */
const WANTED_READS = 8;
/** Goal: most processor time of a warm answer, as a multiple of the home's. */
const WANTED_RATIO = 1.3;
/** Longest history that a worker can serve, in commits. Longer ones need more memory. */
const WORKER_COMMITS = 3000;
/**
 * Goal for the memory of a replica in bytes, and the limit of its heap in MiB. A short history runs within the
 * limits of a worker, a long one within the limits of a process.
 */
const [WANTED_MEMORY, HEAP_MIB] = commits <= WORKER_COMMITS ? [128 * 2 ** 20, 64] : [300 * 2 ** 20, 160];
const HEAP_OPTIONS = [`--max-old-space-size=${HEAP_MIB}`, "--max-semi-space-size=4"];
/**
 * Batches of warm answers. Replica and home take turns, so neither profits from code that the other has
 * warmed up.
 */
const BATCHES = 10;
/** Fewest rounds of a batch. */
const LEAST_ROUNDS = 5;
/** The process counts as idle when it uses less than this part of a processor for some milliseconds. */
const IDLE_SHARE = 0.03;
const IDLE_MS = 300;
/** Number of diffs, on one page of the history. */
const DIFFS = 30;

const folder = temporaryFolder("bench-bucket");
const bucket = new CountingBucket(createMemoryBucket());
const missed: string[] = [];

try {
  const { home, repositories: [repository] } = await openBenchHome(values.homes ?? join(folder, "homes"), {
    paths: [],
    sizes: [{ name: "project", commits, files, issues, patches: 0, isHeavy: false }],
  });
  const rid = repository!.rid;
  const publishedMs = await publish(home, bucket);
  console.log(
    `${commits} commits, ${files} files, ${issues} issues; published in ${
      publishedMs.toFixed(0)
    } ms; ${delayMs} ms are added to each read of the bucket.\n`,
  );
  bucket.fault = async (_, read) => {
    await new Promise((resume) => setTimeout(resume, delayMs));
    return await read();
  };
  // A server without a cache of answers: with one, warm answers would come from the cache.
  const api = await createHomeApi({ home, behindProxy: true, memory: { answersBytes: 0 } });
  const project = `/api/v1/projects/${rid}`;
  const { head } = await json(api.api, project);
  const { entries } = await json(api.api, `${project}/tree/${head}/`);
  const file = entries.find(({ kind }: { kind: string }) => kind === "blob").path;
  const kinds: readonly Kind[] = [
    { name: "project", paths: [project], wantedMs: 300 },
    { name: "tree", paths: [`${project}/tree/${head}/`], wantedMs: 500 },
    { name: "blob", paths: [`${project}/blob/${head}/${file}`], wantedMs: 500 },
    {
      name: "old commit",
      paths: [`${project}/commits/${await commitAt(api.api, project, commits >> 1)}`],
      wantedMs: 1000,
    },
    { name: "projects", paths: ["/api/v1/projects?show=all"], wantedMs: 300 },
    { name: "first 10 issues", paths: [`${project}/issues?perPage=10`], wantedMs: 500 },
    { name: "activity", paths: [`${project}/activity`], wantedMs: 500 },
    {
      name: `history of ${DIFFS}`,
      paths: [`${project}/commits?parent=${head}&perPage=${DIFFS}`],
      wantedMs: 1000,
    },
    { name: `${DIFFS} diffs`, paths: await diffsOf(api.api, project, head), wantedMs: 1000 },
  ];
  console.log("| Answer | reads | kB | cold, ms | wanted | warm reads | warm CPU, ms | from disk | ratio |");
  console.log("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
  for (const kind of kinds) {
    console.log(await measure(kind, api.api));
  }
  await api.close();
  console.log(`\n${await measureMemory(home, kinds.flatMap(({ paths }) => paths))}`);
} finally {
  removeFolder(folder);
}
console.log(missed.length === 0 ? "\nNothing missed." : `\nMissed: ${missed.join("; ")}.`);

interface Kind {
  readonly name: string;
  readonly paths: readonly string[];
  readonly wantedMs: number;
}

type Asked = Pick<Replica, "fetch">;

async function publish(home: string, bucket: Bucket): Promise<number> {
  const { publisher, close } = await openHomePublisher({ home, bucket }, homeParts);
  const start = performance.now();
  await publisher.publishAll();
  await close();
  return performance.now() - start;
}

async function measure({ name, paths, wantedMs }: Kind, home: Asked): Promise<string> {
  let nowMs = Date.now();
  const replica = await createReplica(bucket, {
    loadLibgit2,
    inflate,
    memory: { answersBytes: 0 },
    environment: { now: () => nowMs, log: (_, message) => console.error(message) },
  });
  bucket.reset();
  const start = performance.now();
  for (const path of paths) await ask(replica, path);
  const coldMs = performance.now() - start;
  const { reads, bytes, asked } = bucket;
  if (reads > WANTED_READS) console.error(`${name}:\n  ${asked.join("\n  ")}`);
  for (const path of paths) await ask(home, path);
  await replica.storage.repositoryIds();
  nowMs += 3_000;
  bucket.reset();
  await ask(replica, paths[0]!);
  const warmReads = bucket.reads;
  const [warmMs, diskMs] = await compareProcessorMs(replica, home, paths);
  await replica.close();
  const ratio = warmMs / diskMs;
  const cell = (text: string, isMissed: boolean) => {
    if (!isMissed) return text;
    missed.push(`${name}: ${text}`);
    return `**${text}**`;
  };
  return `| ${
    [
      name,
      cell(`${reads}`, reads > WANTED_READS),
      (bytes / 1000).toFixed(0),
      cell(coldMs.toFixed(0), coldMs > wantedMs),
      wantedMs,
      cell(`${warmReads}`, warmReads > 1),
      warmMs.toFixed(2),
      diskMs.toFixed(2),
      cell(ratio.toFixed(2), ratio > WANTED_RATIO),
    ].join(" | ")
  } |`;
}

/** Measures the memory of a separate process whose replica answers all paths, twice. */
async function measureMemory(home: string, paths: readonly string[]): Promise<string> {
  const published = join(folder, "published");
  await publish(home, createFolderBucket(published, { fileSystem }));
  const script = join(import.meta.dirname, "bucket_memory.ts");
  const output = execFileSync(process.execPath, [...HEAP_OPTIONS, script, published, ...paths], {
    encoding: "utf8",
  });
  const { most, heap, answers } = JSON.parse(output) as MemoryUse;
  const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  if (most > WANTED_MEMORY) missed.push(`memory: ${megabytes(most)}`);
  return `Memory of ${answers} answers, with \`${HEAP_OPTIONS.join(" ")}\`: at most ${megabytes(most)} of ${
    megabytes(WANTED_MEMORY)
  } wanted, of these ${megabytes(heap)} the heap of V8, the rest bytes beside it.`;
}

/**
 * Processor time of one round of warm answers of two services: the smallest of several batches. The process
 * must do nothing else meanwhile, such as listing the paths of a long history.
 */
async function compareProcessorMs(
  one: Asked,
  other: Asked,
  paths: readonly string[],
): Promise<readonly [number, number]> {
  await idle();
  const rounds = Math.max(LEAST_ROUNDS, Math.ceil(warmAnswers / paths.length));
  const least: [number, number] = [Infinity, Infinity];
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const [i, api] of [one, other].entries()) {
      const before = process.cpuUsage();
      for (let round = 0; round < rounds; round++) for (const path of paths) await ask(api, path);
      least[i] = Math.min(least[i]!, processorMsSince(before) / rounds);
    }
  }
  return least;
}

/** Waits until the process is idle. */
async function idle(): Promise<void> {
  for (let share = 1; share > IDLE_SHARE;) {
    const before = process.cpuUsage();
    await new Promise((resume) => setTimeout(resume, IDLE_MS));
    share = processorMsSince(before) / IDLE_MS;
  }
}

function processorMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function ask(api: Asked, path: string): Promise<Response> {
  const response = await api.fetch(new Request(`http://localhost${path}`));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await response.arrayBuffer();
  return response;
}

async function json(api: Asked, path: string) {
  return await (await api.fetch(new Request(`http://localhost${path}`))).json();
}

/** Finds the commit that has this number of newer commits. */
async function commitAt(api: Asked, project: string, newer: number): Promise<string> {
  const { commits: [entry] } = await json(api, `${project}/commits?diff=none&perPage=1&page=${newer}`);
  return entry.commit.id;
}

async function diffsOf(api: Asked, project: string, head: string): Promise<readonly string[]> {
  const { commits } = await json(api, `${project}/commits?parent=${head}&perPage=${DIFFS}`);
  return commits.map(({ commit }: { commit: { id: string } }) => `${project}/commits/${commit.id}`);
}
