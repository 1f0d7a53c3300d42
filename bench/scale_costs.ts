// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures the constants of the simulation (`scale_constants.ts`) on a generated repository, through a bucket
 * in memory: processor time, bucket reads and bytes of each kind of request. It sends each request to a
 * replica that has answered for another repository but does not know this one, to a replica that knows the
 * repository but not the requested object, and once more for the same object. It also measures the costs of
 * the cache folder. Then it measures the publisher: one check of a repository, and the publication of one
 * change.
 * `node bench/scale_costs.ts [--commits 3000] [--issues 100]` prints lines of JSON. Needs the real programs
 * (test/interop/install.sh).
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createCacheFolder } from "../adapters/node/cache_folder.ts";
import { loadLibgit2 } from "../adapters/node/libgit2.ts";
import { createHomeApi } from "../adapters/node/mod.ts";
import { inflate } from "../adapters/node/zlib.ts";
import { createMemoryBucket } from "../extensions/replicas/bucket/memory.ts";
import type { Bucket } from "../extensions/replicas/bucket/bucket.ts";
import { createReplica } from "../extensions/replicas/replica/replica.ts";
import { openHomePublisher } from "../adapters/home/publish_home.ts";
import { homeParts } from "../adapters/node/parts.ts";
import { removeFolder, temporaryFolder } from "../test/support/programs.ts";
import { digestOfRefs, resolveRefs } from "../src/git/references.ts";
import { createBenchHome, repositoryPath } from "./homes.ts";
import { Task } from "../src/scheduling/task.ts";

const { values } = parseArgs({
  options: {
    commits: { type: "string", default: "3000" },
    issues: { type: "string", default: "100" },
    patches: { type: "string", default: "20" },
    heavy: { type: "boolean", default: false },
  },
});
/** Requested objects of each kind. */
const SAMPLES = 12;
/** One in this many objects, new and old ones, is also requested from a replica without any data. */
const COLD_STEP = 2;
/** Repetitions of the same request, for a stable processor time. */
const REPEATS = 50;

/**
 * A repository for which each replica answers first, so that the costs of a process do not count as costs of
 * a repository.
 */
const OTHER = { name: "other", commits: 100, files: 30, isHeavy: false, issues: 5, patches: 2 };

/** Writes and reads of the cache folder per round. */
const SAVED = 100;

/** Rounds for the cache folder and for the publisher. */
const ROUNDS = 7;
/** Time for which a home uses references without reading them again, in milliseconds. */
const TRUSTED_MS = 1000;

/**
 * All replicas share one compiled module, because a process also compiles each of its functions only once.
 */
const libgit2 = loadLibgit2();

const folder = temporaryFolder("scale-costs");
const sum = { reads: 0, bytes: 0 };
try {
  await measure();
} finally {
  removeFolder(folder);
}

/** Costs of a request. */
interface Asked {
  readonly reads: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly answerBytes: number;
}

function mean(rows: readonly Asked[], name: keyof Asked): number {
  return Number((rows.reduce((all, row) => all + row[name], 0) / rows.length).toPrecision(3));
}

function total(rows: readonly Asked[], name: keyof Asked): number {
  return rows.reduce((all, row) => all + row[name], 0);
}

/** Median processor time: some requests include garbage collection of earlier replicas. */
function medianMs(rows: readonly Asked[]): number {
  return Number(median(rows.map(({ cpuMs }) => cpuMs)).toPrecision(3));
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

/** Processor time to save a part of this size in the cache folder, and to read it there. */
async function folderCosts(bytes: number): Promise<{ saveMs: number; savedMs: number }> {
  const cache = createCacheFolder(join(folder, "cache"));
  const content = new Uint8Array(bytes).map((_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
  const cpuMs = async (step: (name: string) => unknown) => {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = process.cpuUsage();
      for (let i = 0; i < SAVED; i++) await step(`part-${round}-${i}`);
      const { user, system } = process.cpuUsage(before);
      rounds.push((user + system) / 1000 / SAVED);
    }
    return Number(median(rounds).toPrecision(3));
  };
  const saveMs = await cpuMs((name) => cache.write(name, content));
  return { saveMs, savedMs: await cpuMs((name) => cache.read(name)) };
}

/** Counts the reads of a bucket. */
function counted(bucket: Bucket): Bucket {
  return {
    ...bucket,
    head: (...args) => bucket.head(...args),
    put: (...args) => bucket.put(...args),
    delete: (...args) => bucket.delete(...args),
    list: (...args) => bucket.list(...args),
    conditionalPuts: (...args) => bucket.conditionalPuts(...args),
    async get(...args) {
      const found = await bucket.get(...args);
      sum.reads++;
      if (found !== undefined && found !== "unchanged") sum.bytes += found.bytes.length;
      return found;
    },
  };
}

async function measure(): Promise<void> {
  const { home, repositories } = await createBenchHome(join(folder, "homes"), {
    paths: [],
    sizes: [{
      name: "generated",
      commits: Number(values.commits),
      files: 300,
      isHeavy: values.heavy,
      issues: Number(values.issues),
      patches: Number(values.patches),
    }, OTHER],
  });
  const [rid, other] = [repositories[0]!.rid, repositories[1]!.rid];
  const made = await createHomeApi({ home, behindProxy: true });
  const memory = createMemoryBucket();
  const { publishing, look } = await publish(made, memory);
  const ask = async (api: { fetch(request: Request): Promise<Response> }, path: string): Promise<Asked> => {
    const before = { ...sum, cpu: process.cpuUsage(), ms: performance.now() };
    const response = await api.fetch(new Request(`http://localhost${path}`));
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const { user, system } = process.cpuUsage(before.cpu);
    return {
      reads: sum.reads - before.reads,
      bytes: sum.bytes - before.bytes,
      cpuMs: (user + system) / 1000,
      answerBytes: byteLength,
    };
  };
  const read = async (path: string) => (await made.api.fetch(new Request(`http://localhost${path}`))).json();
  const paths = await pathsOf(read, rid);
  const otherPaths = Object.values(await pathsOf(read, other)).map(([path]) => path!);
  const open = async (answersBytes?: number) => {
    const replica = await createReplica(counted(memory), {
      loadLibgit2: () => libgit2,
      inflate,
      freshSeconds: 3600,
      memory: { answersBytes },
    });
    for (const path of otherPaths) await ask(replica, path);
    return replica;
  };
  // Compiles the code first, so that a cold replica lacks only data.
  for (let round = 0; round < 3; round++) {
    const warm = await open();
    for (const list of Object.values(paths)) for (const path of list) await ask(warm, path);
    await warm.close();
  }
  const near: Asked[] = [];
  const states: Asked[] = [];
  for (const [kind, list] of Object.entries(paths)) {
    const cold: Asked[] = [];
    for (const path of list.filter((_, i) => i % COLD_STEP === 0)) {
      const replica = await open();
      // The manifest, and the start of the newest pack: every answer for a repository needs these.
      states.push(await ask(replica, `/api/v1/projects/${rid}`));
      await replica.close();
      const empty = await open();
      cold.push(await ask(empty, path));
      await empty.close();
    }
    // Without cached answers: the time of a first request whose blocks are cached.
    const uncached = await open(0);
    await ask(uncached, `/api/v1/projects/${rid}`);
    for (const path of list) near.push(await ask(uncached, path));
    const firsts: Asked[] = [];
    for (const path of list) firsts.push(await ask(uncached, path));
    await uncached.close();
    const cached = await open();
    await ask(cached, list[0]!);
    const repeated: Asked[] = [];
    for (let i = 0; i < REPEATS; i++) repeated.push(await ask(cached, list[0]!));
    await cached.close();
    console.log(JSON.stringify({
      kind,
      coldReads: mean(cold, "reads"),
      coldBytes: mean(cold, "bytes"),
      coldMs: medianMs(cold),
      coldMeanMs: mean(cold, "cpuMs"),
      firstMs: mean(firsts, "cpuMs"),
      repeatedMs: mean(repeated, "cpuMs"),
      answerBytes: mean(firsts, "answerBytes"),
    }));
  }
  const groupBytes = Math.round(total(near, "bytes") / total(near, "reads"));
  console.log(JSON.stringify({
    stateReads: mean(states, "reads"),
    stateReadBytes: mean(states, "bytes"),
    stateMs: medianMs(states),
    groupBytes,
    ...await folderCosts(groupBytes),
  }));
  let stored = 0;
  for await (const { size } of memory.list("")) stored += size;
  console.log(JSON.stringify({ storedBytes: stored, publishing, look }));
  await made.close();
}

/** Publishes the home. Measures the first publication, and a check without changes. */
async function publish(made: Awaited<ReturnType<typeof createHomeApi>>, bucket: Bucket) {
  const { publisher, close } = await openHomePublisher({ home: made.home, bucket }, homeParts);
  const start = process.cpuUsage();
  const { sentBytes, failed } = await publisher.publishAll();
  if (failed > 0) throw new Error("The home cannot be published");
  const first = process.cpuUsage(start);
  const [rid] = await made.storage.repositoryIds();
  const cpuMs = async (step: () => Promise<unknown>) => {
    const before = process.cpuUsage();
    await step();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  // As in the publisher, after the references have expired.
  const looks: number[] = [];
  const unchanged: number[] = [];
  const changes: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    await pause(TRUSTED_MS + 100);
    looks.push(
      await cpuMs(async () => {
        const repository = (await made.storage.repository(rid!))!;
        await repository.ref("HEAD");
        const task = new Task();
        await digestOfRefs(await resolveRefs(repository, "refs/", task), task);
      }),
    );
    unchanged.push(await cpuMs(() => publisher.publishAll()));
    const who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
    const git = (...args: string[]) =>
      execFileSync("git", [...who, "--git-dir", repositoryPath(made.home, rid!), ...args]).toString().trim();
    const head = git("rev-parse", "HEAD");
    const commit = git("commit-tree", `${head}^{tree}`, "-p", head, "-m", `Change ${i}`);
    git("update-ref", `refs/heads/change-${i}`, commit);
    await pause(TRUSTED_MS + 100);
    changes.push(await cpuMs(() => publisher.publishAll()));
  }
  await close();
  return {
    publishing: {
      cpuMs: (first.user + first.system) / 1000,
      sentBytes,
      changeMs: median(changes) - median(unchanged),
    },
    look: median(looks),
  };
}

/** Paths of each kind of request, all of them different. */
// deno-lint-ignore no-explicit-any -- answers of many shapes
async function pathsOf(read: (path: string) => Promise<any>, rid: string): Promise<Record<string, string[]>> {
  const project = `/api/v1/projects/${rid}`;
  const spread = <T>(list: readonly T[]) =>
    list.filter((_, i) => i % Math.max(1, Math.floor(list.length / SAMPLES)) === 0).slice(0, SAMPLES);
  const { head } = await read(project);
  const oids: string[] = [];
  for (let page = 0; page < Number(values.commits); page += Math.ceil(Number(values.commits) / SAMPLES)) {
    const commits = await read(`${project}/commits?parent=${head}&page=${page}&perPage=1`);
    oids.push(commits.commits?.[0]?.commit?.id ?? commits[0]?.commit?.id ?? commits[0]?.id);
  }
  const known = oids.filter(Boolean);
  const root = await read(`${project}/tree/${head}/`);
  const files: string[] = [];
  const folders: string[] = [""];
  for (let folder = folders.shift(); folder !== undefined && files.length < 200; folder = folders.shift()) {
    const { entries } = folder === "" ? root : await read(`${project}/tree/${head}/${folder}/`);
    for (const { kind, path } of entries) (kind === "tree" ? folders : files).push(path);
  }
  const issues = await read(`${project}/issues?state=all&perPage=100`);
  const patches = await read(`${project}/patches?state=all&perPage=100`);
  return {
    project: [project],
    tree: spread(known).map((oid) => `${project}/tree/${oid}/`),
    blob: spread(files).map((path) => `${project}/blob/${head}/${path}`),
    commit: spread(known).map((oid) => `${project}/commits/${oid}`),
    history: [
      `${project}/commits?parent=${head}`,
      ...spread(known).map((oid) => `${project}/commits?parent=${oid}`),
    ],
    issues: [`${project}/issues?perPage=10`, `${project}/issues?state=all&perPage=10&page=3`],
    issue: spread<{ id: string }>(issues).map(({ id }) => `${project}/issues/${id}`),
    patches: [`${project}/patches?perPage=10`],
    patch: spread<{ id: string }>(patches).map(({ id }) => `${project}/patches/${id}`),
    raw: spread(files).map((path) => `/raw/${rid}/${head}/${path}`),
  };
}
