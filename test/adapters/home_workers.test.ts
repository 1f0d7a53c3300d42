/** Real workers on the runtime that executes this. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { assembleHomeApi } from "../../adapters/home/home.ts";
import type { HomeParts } from "../../adapters/home/parts.ts";
import type { StartWorker, WorkerPool } from "../../mod.ts";
import type { Job } from "../../src/ports/workers.ts";
import { makeDiff } from "../../src/diff_service/render/diff.ts";
import { makeFiles } from "../../src/diff_service/render/files.ts";
import { createWorkerPool, JOB_LIMIT_MS } from "../../src/diff_service/worker/pool.ts";
import type { ToWorker } from "../../src/diff_service/worker/protocol.ts";
import { Libgit2 } from "../../src/diff/libgit2/engine.ts";
import type { CommitColumns } from "../../src/git/commit_columns.ts";
import { emptyTables } from "../../src/git/commit_tables.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { FakeClock } from "../diff_service/fake_workers.ts";
import { parseCommit } from "../support/commits.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { textOf } from "../diff_service/fake_workers.ts";
import { GitRepository } from "../support/git.ts";
import { folderOnDisk, removeFolder, ROOT } from "../support/programs.ts";
import { serve } from "./cli/command.ts";
import { type LargeDiffHome, makeLargeDiffHome, SHAPES } from "./large_diff.ts";
import { adapter } from "./this_runtime.ts";
import { Task } from "../../src/scheduling/task.ts";

/** Requests that are answered while a large diff is made; without workers, it would be one or two. */
const SHORT_REQUESTS = 20;

let folder: string;
let large: LargeDiffHome;
let root: string;
before(() => {
  folder = folderOnDisk("workers");
  large = makeLargeDiffHome(folder);
  root = join(large.home, "storage");
});
after(() => removeFolder(folder));

const largeJob = (): Job => ({ kind: "diff", rid: SHAPES, oldTree: large.old.tree, newTree: large.now.tree });
const smallJob = (): Job => ({ kind: "diff", rid: SHAPES, oldTree: undefined, newTree: large.old.tree });

/** Lends a pool of one worker and closes it. */
async function withPool(
  use: (pool: WorkerPool) => Promise<void>,
  options: { startWorker?: StartWorker; setTimer?: (ms: number, callback: () => void) => () => void } = {},
): Promise<string[]> {
  const log: string[] = [];
  const pool = createWorkerPool({
    startWorker: adapter.homeWorkers(root),
    size: 1,
    log: (level, message) => void log.push(`${level} ${message}`),
    ...options,
  });
  try {
    await use(pool);
  } finally {
    pool.close();
  }
  return log;
}

/** Every commit against its first parent. */
function pairsOf(rid: RepoId): { old: Oid | undefined; now: Oid }[] {
  const objects = new GitRepository(join(root, rid.slice("rad:".length))).objects();
  const commits = new Map(
    objects.filter(({ kind }) => kind === "commit").map(({ oid, bytes }) => [oid, parseCommit(bytes)]),
  );
  return [...commits.values()].flatMap(({ tree, parents: [parent] }) => {
    const old = parent === undefined ? undefined : commits.get(parent)?.tree;
    return tree === large.now.tree || parent !== undefined && old === undefined ? [] : [{ old, now: tree }];
  });
}

describe("a worker", () => {
  it("makes the diffs that this process makes, and shows the same files", async () => {
    const storage = createHomeStorage({ fileSystem: adapter.fileSystem, inflate: adapter.inflate, root });
    const libgit2 = new Libgit2(adapter.loadLibgit2);
    const log = await withPool(async (pool) => {
      for (const rid of [SHAPES, "rad:znfUeJyw5tcTtg8WrhWPfgidivEa" as RepoId]) {
        const repository: Repository = storage.repository(rid) ?? assert.fail();
        for (const { old, now } of pairsOf(rid)) {
          const [there, here] = [
            await pool.run({ kind: "diff", rid, oldTree: old, newTree: now }),
            await makeDiff({ libgit2, repository }, old, now),
          ];
          assert.equal(textOf(there), textOf(here));
          assert.deepEqual([there.touched, there.left], [here.touched, here.left]);
          const files = await pool.run({ kind: "files", rid, oids: there.touched });
          assert.equal(textOf(files), textOf(await makeFiles(repository, here.touched)));
        }
      }
    });
    assert.deepEqual(log, []);
    storage.close();
  });

  it("reports damage", async () => {
    await withPool(async (pool) => {
      const job: Job = { kind: "diff", rid: SHAPES, oldTree: undefined, newTree: "1".repeat(40) as Oid };
      await assert.rejects(pool.run(job), { name: "DamagedError", message: /1111 is missing or not a tree/ });
    });
  });

  it("reads the histories that this process reads", async () => {
    const storage = createHomeStorage({ fileSystem: adapter.fileSystem, inflate: adapter.inflate, root });
    const log = await withPool(async (pool) => {
      const repository = storage.repository(SHAPES) ?? assert.fail();
      const made = await pool.readHistory(SHAPES, large.now.commit, () => {});
      assert.ok(typeof made === "object");
      const here = new CommitGraph();
      const tip = (await here.load(repository, large.now.commit, new Task()))!;
      const rows = [...here.walk(tip)];
      const { commits: moved } = emptyTables();
      await moved.append(made, new Task());
      assert.equal(moved.size, rows.length);
      const describe = (commits: Pick<CommitColumns, "oidOf" | "treeOf" | "timeOf">, row: number) => [
        commits.oidOf(row),
        commits.treeOf(row),
        commits.timeOf(row),
      ];
      assert.deepEqual(
        rows.map((row) => describe(moved, moved.rowOf(here.commits.oidOf(row))!)),
        rows.map((row) => describe(here.commits, row)),
      );
      assert.equal(await pool.readHistory(SHAPES, "1".repeat(40) as Oid, () => {}), undefined);
    });
    assert.deepEqual(log, []);
    storage.close();
  });

  it("reads no history of a storage that it reads through this thread", async () => {
    const storage = createHomeStorage({ fileSystem: adapter.fileSystem, inflate: adapter.inflate, root });
    const startWorker = adapter.homeParts.storageWorkers?.(storage) ?? assert.fail();
    const log = await withPool(async (pool) => {
      assert.equal(await pool.readHistory(SHAPES, large.now.commit, () => {}), undefined);
    }, { startWorker });
    assert.deepEqual(log, []);
    storage.close();
  });

  it("that is ended in the midst of a job is replaced", async () => {
    let started = 0;
    const startWorker: StartWorker = (events) => {
      const worker = adapter.homeWorkers(root)(events);
      if (++started > 1) return worker;
      const post = (message: unknown) => {
        worker.post(message);
        worker.terminate();
      };
      return { hold: (isNeeded) => worker.hold(isNeeded), terminate: () => worker.terminate(), post };
    };
    const log = await withPool(async (pool) => {
      await assert.rejects(pool.run(largeJob()), { name: "UnavailableError" });
      assert.match(textOf(await pool.run(smallJob())), /"filesChanged":2/);
    }, { startWorker });
    assert.match(log.join(), /^error A worker has ended: The diff of trees \w+ and \w+ in rad:\w+$/);
  });

  it("that is idle for long is gone", async () => {
    const gone = Promise.withResolvers<void>();
    const clock = new FakeClock();
    let isLeaving = false;
    const startWorker: StartWorker = (events) => {
      const worker = adapter.homeWorkers(root)({
        ...events,
        end(cause) {
          events.end(cause);
          gone.resolve();
        },
      });
      const post: typeof worker.post = (message) => {
        isLeaving ||= (message as ToWorker).kind === "close";
        worker.post(message);
      };
      return { hold: (isNeeded) => worker.hold(isNeeded), terminate: () => worker.terminate(), post };
    };
    const log = await withPool(async (pool) => {
      await pool.run(smallJob());
      while (!isLeaving) clock.pass(1000);
      // A worker on its way out keeps no process.
      const staying = setInterval(() => {}, 1000);
      await gone.promise;
      clearInterval(staying);
      assert.match(textOf(await pool.run(smallJob())), /"filesChanged":2/);
    }, { startWorker, setTimer: clock.setTimer });
    assert.deepEqual(log, []);
  });

  it("that works for too long is ended and replaced", async () => {
    // The first job has but a moment.
    let jobs = 0;
    const setTimer = (ms: number, callback: () => void) => {
      const isOver = ms === JOB_LIMIT_MS && ++jobs === 1;
      const timer = isOver ? setTimeout(callback, 50) : undefined;
      return () => clearTimeout(timer);
    };
    const log = await withPool(async (pool) => {
      await assert.rejects(pool.run(largeJob()), { name: "UnavailableError" });
      assert.match(textOf(await pool.run(smallJob())), /"filesChanged":2/);
    }, { setTimer });
    assert.match(log.join(), /^warn The diff of trees .* took longer than 10 seconds$/);
  });
});

describe("the API of a home", () => {
  const base = `http://localhost/api/v1/projects/${SHAPES}`;
  const client = { transport: "unix" } as const;

  it("answers with workers as it does without", async () => {
    const { homeWorkers: _none, ...alone }: HomeParts = adapter.homeParts;
    const made = [
      await adapter.createHomeApi({ home: large.home }),
      await assembleHomeApi({ home: large.home }, alone),
    ];
    const paths = [
      "/commits?perPage=100",
      `/commits/${large.now.commit}`,
      `/diff/${large.old.commit}/${large.now.commit}`,
    ];
    for (const path of paths) {
      const [first, second] = await Promise.all(
        made.map(async ({ api }) => await (await api.fetch(new Request(base + path), client)).text()),
      );
      assert.ok(first !== undefined && first.length > 1000);
      assert.equal(first, second);
    }
    assert.deepEqual(made.map(({ workers }) => workers !== undefined), [true, false]);
    for (const { workers, storage } of made) {
      workers?.close();
      storage.close();
    }
  });

  it("answers short requests while a large diff is made", async () => {
    const { api, workers, storage } = await adapter.createHomeApi({ home: large.home });
    let isMade = false;
    const diff = api.fetch(new Request(`${base}/diff/${large.old.commit}/${large.now.commit}`), client)
      .finally(() => isMade = true);
    let answered = 0;
    while (!isMade && answered < SHORT_REQUESTS) {
      assert.equal((await api.fetch(new Request(base), client)).status, 200);
      // Whatever has arrived is heard first.
      await new Promise((resume) => setTimeout(resume, 0));
      answered++;
    }
    assert.equal(answered, SHORT_REQUESTS);
    assert.equal(isMade, false);
    assert.equal((await diff).status, 200);
    workers?.close();
    storage.close();
  });

  it("keeps no process from ending", async () => {
    const script = join(ROOT, "test/adapters/embedding_child.ts");
    const runtime = "Deno" in globalThis ? ["run", "--quiet", "--no-check", "--allow-all"] : [];
    const path = `/api/v1/projects/${SHAPES}/diff/${large.old.commit}/${large.now.commit}`;
    const args = [...runtime, script, large.home, path];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    assert.match(stdout, /^200 \d+\n$/);
    assert.equal(stderr, "");
  });
});

describe("a service", () => {
  it("ends on close, though a large diff is being made", async () => {
    const serving = await serve(["--listen", "127.0.0.1:0", "--home", large.home]);
    const url = `${serving.urls[0]}/api/v1/projects/${SHAPES}`;
    const diff = fetch(`${url}/diff/${large.old.commit}/${large.now.commit}`);
    diff.catch(() => {});
    assert.equal((await fetch(url)).status, 200);
    const { status } = await serving.end();
    assert.equal(status, 0);
    const response = await diff.catch(() => undefined);
    await response?.body?.cancel();
  });
});

describe("Deno's permissions", () => {
  const skip = "Deno" in globalThis ? false : "only Deno has permissions";

  /** What is logged while the large diff is answered. */
  async function logWith(...readable: string[]): Promise<string> {
    const permissions = [`--allow-read=${[large.home, ...readable].join()}`, "--allow-net=127.0.0.1:0"];
    const serving = await serve(["--listen", "127.0.0.1:0", "--home", large.home], { permissions });
    const path = `/api/v1/projects/${SHAPES}/diff/${large.old.commit}/${large.now.commit}`;
    const { status, body } = await fetch(serving.urls[0] + path);
    await body?.cancel();
    assert.equal(status, 200);
    const { stderr } = await serving.end();
    return stderr.replace(/^\S+ warn (keys\/radicle is missing|Deno lacks permissions): .*\n/gm, "");
  }

  it("let workers start that may read their modules", { skip }, async () => {
    assert.equal(await logWith("adapters", "extensions", "src"), "");
  });

  it("need not let workers start: then diffs are made without them", { skip }, async () => {
    const log = await logWith();
    assert.match(
      log,
      /^\S+ warn Diffs are made without workers: none can be started: A worker needs --allow-read=.*\n$/,
    );
  });
});
