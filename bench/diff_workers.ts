/**
 * Measures the benefit of workers: the time of short requests while large diffs are made, with and without
 * workers, and the time of first answers for the commits of a stored home in both cases. Works on each
 * runtime: `node bench/diff_workers.ts`.
 */
import { join } from "node:path";
import process from "node:process";
import { assembleHomeApi, type HomeApi } from "../adapters/home/home.ts";
import type { HomeParts } from "../adapters/home/parts.ts";
import type { Client } from "../mod.ts";
import { parseCommit } from "../test/support/commits.ts";
import { makeLargeDiffHome, SHAPES } from "../test/adapters/large_diff.ts";
import { adapter } from "../test/adapters/this_runtime.ts";
import { GitRepository } from "../test/support/git.ts";
import { removeFolder, temporaryFolder } from "../test/support/programs.ts";

const CLIENT: Client = { transport: "unix" };
const PROJECT = `http://localhost/api/v1/projects/${SHAPES}`;
/** Pause between two short requests, in milliseconds. */
const PAUSE_MS = 2;

const { homeWorkers: _none, ...alone }: HomeParts = adapter.homeParts;
const WAYS: readonly (readonly [string, HomeParts])[] = [["with workers", adapter.homeParts], [
  "without",
  alone,
]];

const folder = temporaryFolder("bench-workers");
try {
  const { home, old, now } = makeLargeDiffHome(folder);
  const git = new GitRepository(join(home, "storage", SHAPES.slice("rad:".length)));
  const commits = git.objects().filter(({ oid, kind, bytes }) =>
    kind === "commit" && oid !== old.commit && oid !== now.commit && parseCommit(bytes).parents.length > 0
  ).map(({ oid }) => oid);
  print(`${"milliseconds".padEnd(44)}   count   median      99 %      max`);

  for (const [way, parts] of WAYS) {
    await withApi(home, parts, async (made) => {
      await get(made, "");
      let areMade = false;
      const diffs = Promise.all(
        [`/diff/${old.commit}/${now.commit}`, `/diff/${now.commit}/${old.commit}`].map(
          (path) => get(made, path),
        ),
      ).then(() => areMade = true);
      const times: number[] = [];
      while (!areMade) {
        const due = performance.now() + PAUSE_MS;
        await new Promise((resume) => setTimeout(resume, PAUSE_MS));
        await get(made, "");
        // Counted from the due time: a blocked process also delays the requests that arrive meanwhile.
        times.push(performance.now() - due);
      }
      await diffs;
      report(`/projects/:project during large diffs, ${way}`, times);
    });
  }
  for (const [way, parts] of WAYS) {
    await withApi(home, parts, async (made) => {
      const before = residentMegabytes();
      const times: number[] = [];
      for (const commit of commits) {
        const start = performance.now();
        await get(made, `/commits/${commit}`);
        times.push(performance.now() - start);
      }
      report(`/commits/:sha asked first, ${way}`, times);
      const start = performance.now();
      await get(made, "/commits?perPage=60");
      report(`  a page of them, ${way}`, [performance.now() - start]);
      print(`  memory: ${before} MB before, ${residentMegabytes()} MB after`);
    });
  }
} finally {
  removeFolder(folder);
}

async function withApi(home: string, parts: HomeParts, use: (made: HomeApi) => Promise<void>): Promise<void> {
  const made = await assembleHomeApi({ home }, parts);
  made.workers?.warmUp();
  await use(made);
  made.workers?.close();
  made.storage.close();
}

async function get({ api }: HomeApi, path: string): Promise<void> {
  const response = await api.fetch(new Request(PROJECT + path), CLIENT);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}`);
}

function report(name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const figures = [sorted[sorted.length >> 1]!, sorted[Math.floor(sorted.length * 0.99)]!, sorted.at(-1)!];
  print(
    `${name.padEnd(44)}${String(times.length).padStart(8)}` +
      figures.map((time) => time.toFixed(2).padStart(10)).join(""),
  );
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage().rss / 2 ** 20);
}

function print(line: string): void {
  process.stdout.write(line + "\n");
}
