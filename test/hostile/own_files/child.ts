/**
 * Takes cases of damaged files on the runtime that runs this: `child.ts STAGE FOLDER SEED FIRST END`, where
 * STAGE is the path of a stage as JSON. Writes a line of JSON before and after each case.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import process from "node:process";
import { announceService, findService } from "../../../adapters/node/running_service.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import { createReplica } from "../../../extensions/replicas/replica/replica.ts";
import type { Api } from "../../../src/api.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { MAX_GROWTH_MIB } from "../limits.ts";
import { Random } from "../requests/random.ts";
import { mutate } from "./mutations.ts";
import { OWNER, type Stage, STRANGER } from "./stage.ts";

/** Cases of one trial: what fails together is tried alone. */
const CASES_AT_ONCE = 4;
/** Lines of the log that a trial may cause. */
const MAX_LINES = 200;
/** Wait for work in the background, in milliseconds. */
const LIMIT_MS = 15_000;

const [, , stagePath = "", work = "", seed = "0", first = "0", end = "0"] = process.argv;
const stage: Stage = JSON.parse(readFileSync(stagePath, "utf8"));
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** Status and body of an answer. */
interface Answered {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Cases that are tried together: what was damaged, and what went wrong. */
interface Trial {
  readonly cases: readonly number[];
  readonly log: string[];
  readonly wrong: string[];
  readonly damages: string[];
}

type Kind = (trial: Trial) => Promise<void>;

/** What is right, by path. */
const right = {
  home: new Map<string, Answered>(),
  replica: new Map<string, Answered>(),
  olderReplica: new Map<string, Answered>(),
};
/** A cache folder that a replica has filled. */
const savedBlocks = join(work, "../saved-blocks");

const environmentOf = ({ log }: Pick<Trial, "log">) => ({
  log: (level: string, message: string, cause?: unknown) =>
    void log.push(
      `${level} ${message}${
        cause === undefined ? "" : `: ${cause instanceof Error ? cause.message : cause}`
      }`,
    ),
});

/** Asks for all paths; those that answer otherwise than expected are noted. */
async function askAll(
  api: Pick<Api, "fetch">,
  paths: readonly string[],
  client: typeof OWNER,
  check: (path: string, answered: Answered) => string | undefined,
  trial: Trial,
  when: string,
): Promise<void> {
  // Several at a time, as clients do.
  await Promise.all(paths.map(async (path) => {
    const answered = await ask(api, path, client);
    const fault = check(path, answered);
    if (fault !== undefined) trial.wrong.push(`${when}: ${path}: ${fault}`);
  }));
}

/** Asks for a path. A search whose index is still being made says no number of texts, and is made again. */
async function ask(api: Pick<Api, "fetch">, path: string, client: typeof OWNER): Promise<Answered> {
  for (const deadline = Date.now() + LIMIT_MS;;) {
    const response = await api.fetch(new Request(`http://localhost/api/v1${path}`), client);
    const { status, headers } = response;
    const text = await response.text();
    const isWhole = !path.startsWith("/search") || status !== 200 || headers.has("x-total-count");
    if (isWhole || Date.now() > deadline) return { status, text, retryAfter: headers.get("retry-after") };
  }
}

function differs(expected: Answered | undefined, { status, text }: Answered): string | undefined {
  if (expected === undefined || status !== expected.status) return `${status} ${text.slice(0, 200)}`;
  if (text === expected.text) return undefined;
  const at = [...text].findIndex((letter, i) => letter !== expected.text[i]);
  const part = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  return `another answer: …${part(text)}… in place of …${part(expected.text)}…`;
}

/** A home with a cache folder and a file of sessions. */
const homeTrial: Kind = async (trial) => {
  const cache = join(work, "cache");
  const sessions = join(work, "file.sessions");
  cpSync(stage.cache, cache, { recursive: true });
  cpSync(stage.sessions, sessions);
  damageSome(trial, [...filesIn(cache), sessions], [
    ...filesIn(stage.cache),
    ...filesIn(stage.olderCache),
    stage.otherSessions,
  ]);
  const ofSessions = trial.damages.find((damage) => damage.startsWith("file.sessions"));
  const check = (path: string, answered: Answered) => differs(right.home.get(path), answered);
  for (const start of [1, 2]) {
    const lines = trial.log.length;
    const options = { home: stage.home, cachePath: cache, environment: environmentOf(trial) };
    const home = await adapter.createHomeApi({ ...options, sessions }).catch((error) => {
      // What shows no sign that it is ours is left alone.
      if (!UNLIKE_OURS.test(ofSessions ?? "")) trial.wrong.push(`start ${start}: ${error}`);
      return adapter.createHomeApi(options);
    });
    await askAll(home.api, stage.homePaths, OWNER, check, trial, `start ${start}`);
    for (const token of stage.tokens) {
      const path = `/sessions/${token}`;
      const answered = await ask(home.api, path, OWNER);
      const fault = check(path, answered);
      if (fault !== undefined && (ofSessions === undefined || answered.status !== 404)) {
        trial.wrong.push(`start ${start}: session: ${fault}`);
      }
    }
    await askAll(home.api, stage.homePaths, OWNER, check, trial, `start ${start}, again`);
    await rebuilt(cache, trial);
    await home.close();
    if (start === 2) expectSilence(trial, lines, "start 2");
  }
};

/** Of a damaged bucket, parts may have been saved: they are found out when they are next needed, and read again. */
const SAVED_PART = /^warn The saved copy of object "[^"]+" is damaged; the object is read again/;

function expectSilence({ log, wrong, damages }: Trial, since: number, when: string): void {
  // A folder in the place of the search index stays, and is told of at each start.
  const hasFolder = damages.some((damage) => /\.db: a folder/.test(damage));
  const lines = log.slice(since).filter((line) =>
    !(hasFolder && /search index is in memory/.test(line)) && !SAVED_PART.test(line)
  );
  if (lines.length > 0) wrong.push(`${when} logs ${lines.join(" | ").slice(0, 500)}`);
}

/** Damages of a file of sessions after which the service does not start: nothing says that it is ours. */
const UNLIKE_OURS = /: (a folder|a link|a pipe|random bytes|swapped|overwritten|some flipped)/;

/** Damages a file for each case of a trial. */
function damageSome({ cases, damages }: Trial, files: string[], donors: readonly string[]): void {
  for (const number of cases) {
    const random = new Random(Number(seed), number);
    const [path] = files.splice(random.below(files.length), 1);
    if (path === undefined) return;
    const like = donors.filter((donor) => endOf(donor) === endOf(path));
    const from = like.length > 0 && random.isOneIn(2) ? like : donors;
    damages.push(`${relative(work, path)}: ${mutate(path, random, from)}`);
  }
}

/** Resolves when all indexes of history are there again. */
async function rebuilt(cache: string, trial: Trial): Promise<void> {
  const folder = adapter.createCacheFolder(cache);
  const names = filesIn(stage.cache).map((path) => relative(stage.cache, path))
    .filter((name) => name.endsWith(".xylem")).map((name) => name.slice(0, -".xylem".length));
  for (const name of names) {
    for (const deadline = Date.now() + LIMIT_MS;; await new Promise((resume) => setTimeout(resume, 5))) {
      const bytes = await folder.read(name);
      if (bytes !== undefined && bytes.length > 30_000 && bytes.length < 60_000) break;
      if (Date.now() < deadline) continue;
      trial.wrong.push(`${name} is not made again`);
      return;
    }
  }
}

/** A replica whose bucket is damaged, and mended later. */
const bucketTrial: Kind = async (trial) => {
  const { cases, damages } = trial;
  const [bucket, cache] = [join(work, "bucket"), join(work, "cache")];
  cpSync(stage.bucket, bucket, { recursive: true });
  // Without a cache folder, with an empty one, and with one that has all.
  const ways = cases[0]! % 3;
  if (ways === 2) cpSync(savedBlocks, cache, { recursive: true });
  const files = filesIn(bucket).filter((path) => !SKIPPED.test(path));
  damageSome(trial, files, [...filesIn(stage.bucket), ...filesIn(stage.olderBucket)]);
  // Manifests and the catalogue say what there is: without one, a repository is absent.
  const isAbsent = damages.some((damage) => DOCUMENT_GONE.test(damage));
  const check = (path: string, answered: Answered) => {
    if (answered.status === 503 && answered.retryAfter !== null) return undefined;
    // A manifest may be that of an older state.
    if (differs(right.olderReplica.get(path), answered) === undefined) return undefined;
    if (isAbsent && (answered.status === 404 || LISTS.test(path))) return undefined;
    return differs(right.replica.get(path), answered);
  };
  const whole = (path: string, answered: Answered) => differs(right.replica.get(path), answered);
  const open = () => openReplica(bucket, ways === 0 ? undefined : cache, trial);
  const replica = await open();
  // While somebody listens, the replica looks for changes.
  const listener = await listen(replica);
  for (const round of [1, 2]) {
    await askAll(replica, stage.replicaPaths, STRANGER, check, trial, `round ${round}`);
  }
  rmSync(bucket, { recursive: true });
  cpSync(stage.bucket, bucket, { recursive: true });
  // A replica that has never seen the description of the node asks for it now and then.
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline;) {
    if ((await ask(replica, "/node", STRANGER)).status !== 503) break;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  const lines = trial.log.length;
  await askAll(replica, stage.replicaPaths, STRANGER, whole, trial, "mended");
  if (listener.hasEnded) trial.wrong.push("the stream of events has ended");
  await replica.close();
  const next = await open();
  await askAll(next, stage.replicaPaths, STRANGER, whole, trial, "started again");
  await next.close();
  expectSilence(trial, lines, "the mended bucket");
};

/** Listens to live changes, if they are served, and drops them. */
async function listen(replica: Pick<Api, "fetch">): Promise<{ hasEnded: boolean }> {
  const { body, status } = await replica.fetch(new Request("http://localhost/api/v1/events"), STRANGER);
  const listener = { hasEnded: false };
  void body?.pipeTo(new WritableStream()).catch(() => {}).then(() => listener.hasEnded = status === 200);
  return listener;
}

/** Files of a bucket that no reader needs. */
const SKIPPED = /\.xylem|publisher\.json/;
const DOCUMENT_GONE = /(manifest|repositories)\.json: (gone|a pipe|a folder|a link)/;
const LISTS = /^\/(projects\?|stats)/;

/** A replica whose cache folder is damaged. */
const blocksTrial: Kind = async (trial) => {
  const cache = join(work, "cache");
  cpSync(savedBlocks, cache, { recursive: true });
  damageSome(trial, filesIn(cache), [...filesIn(savedBlocks), ...filesIn(stage.cache)]);
  const check = (path: string, answered: Answered) => differs(right.replica.get(path), answered);
  for (const start of [1, 2]) {
    const lines = trial.log.length;
    const replica = await openReplica(stage.bucket, cache, trial);
    for (const when of [`start ${start}`, `start ${start}, again`]) {
      await askAll(replica, stage.replicaPaths, STRANGER, check, trial, when);
    }
    await replica.close();
    await settled(cache);
    if (start === 2) expectSilence(trial, lines, "start 2");
  }
};

/** Waits until nothing is written into a folder any more. */
async function settled(cache: string): Promise<void> {
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline;) {
    if (!readdirSync(cache).some((name) => name.endsWith(".tmp"))) return;
    await new Promise((resume) => setTimeout(resume, 2));
  }
}

async function openReplica(bucket: string, cache: string | undefined, trial: Pick<Trial, "log">) {
  const { homeParts } = adapter;
  return await createReplica(createFolderBucket(bucket, { fileSystem: homeParts.fileSystem }), {
    loadLibgit2: homeParts.loadLibgit2,
    freshSeconds: 0,
    ...homeParts.inflate && { inflate: homeParts.inflate },
    environment: environmentOf(trial),
    ...cache !== undefined && { cacheFolder: adapter.createCacheFolder(cache) },
  });
}

/** Addresses of a service, and of the next one on the same home. */
const RUNNING_URL = "http://127.0.0.1:9090", NEXT_URL = "http://127.0.0.1:9091";

/** The saved address of a service, which a command looks for. */
const serviceTrial: Kind = async (trial) => {
  const { wrong } = trial;
  const cache = join(work, "cache");
  cpSync(stage.cache, cache, { recursive: true });
  const running = await announceService(cache, stage.home, RUNNING_URL);
  const files = filesIn(cache).filter((path) => basename(path).startsWith("service-"));
  damageSome(trial, files, filesIn(stage.cache));
  const found = await findService(cache, stage.home);
  if (found !== undefined && found !== RUNNING_URL) wrong.push(`finds ${found}`);
  running?.close();
  if (await findService(cache, stage.home) !== undefined) wrong.push("finds a service that has ended");
  const next = await announceService(cache, stage.home, NEXT_URL);
  const foundNext = await findService(cache, stage.home);
  if (foundNext !== NEXT_URL) wrong.push(`finds ${foundNext} instead of the next service`);
  next?.close();
};

/** Paths of all files below a folder. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)).sort();
}

/** Kind of a file, by its name. */
function endOf(path: string): string {
  return /([a-z]+)(?:-[0-9a-f]{64}|\.json|\.xylem|\.db)?$/.exec(path)?.[1] ?? "";
}

/** Kinds of trials in turn. */
const KINDS: readonly [string, Kind][] = [
  ["home", homeTrial],
  ["bucket", bucketTrial],
  ["blocks", blocksTrial],
  ["service", serviceTrial],
];

/** Most memory of this process since it was last reset, in MiB. */
function peakMiB(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0) / 1024;
}

async function prepare(): Promise<void> {
  const none = { log: [] };
  const home = await adapter.createHomeApi({ home: stage.home, sessions: stage.sessions });
  for (const path of stage.homePaths) right.home.set(path, await ask(home.api, path, OWNER));
  for (const token of stage.tokens) {
    right.home.set(`/sessions/${token}`, await ask(home.api, `/sessions/${token}`, OWNER));
  }
  await home.close();
  rmSync(savedBlocks, { recursive: true, force: true });
  const replicas = [
    [stage.bucket, savedBlocks, right.replica],
    [stage.olderBucket, undefined, right.olderReplica],
  ] as const;
  for (const [bucket, cache, answers] of replicas) {
    const replica = await openReplica(bucket, cache, none);
    for (const path of stage.replicaPaths) answers.set(path, await ask(replica, path, STRANGER));
    await replica.close();
  }
  await settled(savedBlocks);
  for (const [path, { status, text }] of [...right.home, ...right.replica]) {
    if (status !== 200) throw new Error(`${path} answers ${status} ${text}`);
  }
}

/** Takes a trial, and reports it. */
async function take(turn: number, cases: readonly number[]): Promise<boolean> {
  const [name, kind] = KINDS[turn % KINDS.length]!;
  const trial: Trial = { cases, log: [], wrong: [], damages: [] };
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  print({ begun: cases, name });
  writeFileSync("/proc/self/clear_refs", "5");
  const before = peakMiB();
  const startMs = performance.now();
  await kind(trial).catch((error) => {
    trial.wrong.push(`threw ${error instanceof Error ? error.stack : error}`);
  });
  const { damages, wrong, log } = trial;
  const ms = performance.now() - startMs;
  const grownMiB = peakMiB() - before;
  if (grownMiB > MAX_GROWTH_MIB) wrong.push(`took ${grownMiB.toFixed(0)} MiB`);
  if (log.length > MAX_LINES) wrong.push(`${log.length} lines in the log`);
  print({
    cases,
    name,
    damages,
    wrong: wrong.slice(0, 5),
    ms,
    grownMiB,
    lines: log.length,
    log: log.slice(0, 5),
  });
  return wrong.length === 0;
}

process.on("unhandledRejection", (error) => {
  print({ unhandled: error instanceof Error ? error.stack : String(error) });
  process.exit(1);
});
await prepare();
print({ ready: true });
for (let number = Number(first); number < Number(end);) {
  const turn = Math.floor(number / CASES_AT_ONCE);
  const cases: number[] = [];
  do cases.push(number++); while (number < Number(end) && number % CASES_AT_ONCE !== 0);
  if (await take(turn, cases) || cases.length === 1) continue;
  for (const one of cases) await take(turn, [one]);
}
process.exit();
