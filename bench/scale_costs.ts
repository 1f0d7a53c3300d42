// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures the constants of the simulation (`scale_constants.ts`) on a generated repository: processor time, bucket reads and bytes of each
 * kind of request through a bucket in memory, in a replica that has answered for another repository and does not know this one, in one
 * that knows it but not the object asked for, and once more for the same; what the cache folder takes. Then the publisher: one look at a repository, and one publication of a change.
 * `node bench/scale_costs.ts [--commits 3000] [--issues 100]` prints lines of JSON. Needs the real programs (test/interop/install.sh).
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
/** Objects of a kind that are asked for. */
const SAMPLES = 12;
/** Every so many of them are asked of a replica that knows nothing: new ones and old ones. */
const COLD_STEP = 2;
/** The same request once more, for a stable processor time. */
const REPEATS = 50;

/** A repository for which each replica answers first: what a process does once is no cost of a repository. */
const OTHER = { name: "other", commits: 100, files: 30, isHeavy: false, issues: 5, patches: 2 };

/** Writes and reads of the folder in a round. */
const SAVED = 100;

/** Rounds of the folder, and of the publisher. */
const ROUNDS = 7;
/** Time for which a home trusts references without a look. */
const TRUSTED_MS = 1000;

/** One compiled module for all replicas: the machine code of its functions is made once in a process, too. */
const libgit2 = loadLibgit2();

const folder = temporaryFolder("scale-costs");
const sum = { reads: 0, bytes: 0 };
try {
  await measure();
} finally {
  removeFolder(folder);
}

/** What a request took. */
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

/** Processor time in the middle: the garbage of earlier replicas is collected in some of the requests. */
function medianMs(rows: readonly Asked[]): number {
  return Number(median(rows.map(({ cpuMs }) => cpuMs)).toPrecision(3));
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]!;
}

/** Processor time to save a part of so many bytes in the cache folder, and to read it there. */
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

/** A bucket that counts its reads. */
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
  const open = async (cacheBytes?: number) => {
    const replica = await createReplica(counted(memory), {
      loadLibgit2: () => libgit2,
      inflate,
      freshSeconds: 3600,
      ...(cacheBytes === 0 && { cacheBytes }),
    });
    for (const path of otherPaths) await ask(replica, path);
    return replica;
  };
  // Compiled code, so that a cold replica is cold in its data alone.
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
      // The manifest, and the start of the newest pack: what each answer of a repository needs.
      states.push(await ask(replica, `/api/v1/projects/${rid}`));
      await replica.close();
      const empty = await open();
      cold.push(await ask(empty, path));
      await empty.close();
    }
    // Without cached answers: what a first request takes when its blocks are there.
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

/** Publishes the home; measures the first publication, and a look at what has not changed. */
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
  // As the publisher looks: when the references are not trusted any more.
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
