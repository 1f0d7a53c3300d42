import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createWorkerPool,
  JOB_LIMIT_MS,
  MAX_WAITING_JOBS,
  START_LIMIT_MS,
  type WorkerPool,
} from "../../../src/diff_service/worker/pool.ts";
import { DamagedError, UnavailableError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { type DiffJob, type MadeDiff, NoWorkersError } from "../../../src/ports/workers.ts";
import { FakeClock, type FakeWorker, FakeWorkers, textOf } from "../fake_workers.ts";

/** Shorter than the time that a job waits before another worker is started, in milliseconds. */
const MOMENT_MS = 50;
/** Longer than that time, and short for a job. */
const LONG_WAIT_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Whether an error says that the job can be tried again, and when. */
function isUnavailable(error: unknown): boolean {
  return error instanceof UnavailableError && error.retryAfterSeconds! >= 1;
}

interface TestPool {
  readonly pool: WorkerPool;
  readonly workers: FakeWorkers;
  readonly clock: FakeClock;
  readonly log: string[];
  /** The worker that was started as the first, the second … */
  worker(number: number): FakeWorker;
  run(name: string, signal?: AbortSignal): Promise<MadeDiff>;
  /** Runs a job of another repository, for a peer. */
  runOf(repository: string, name: string, peer?: string): Promise<MadeDiff>;
}

function createTestPool(size?: number, processors = 2): TestPool {
  const workers = new FakeWorkers();
  const clock = new FakeClock();
  const log: string[] = [];
  const pool = createWorkerPool({
    startWorker: workers.start,
    ...(size !== undefined && { size }),
    processors,
    log: (level, message, cause) =>
      void log.push(`${level} ${message}${cause instanceof Error ? `: ${cause.message}` : ""}`),
    now: clock.now,
    setTimer: clock.setTimer,
  });
  return {
    pool,
    workers,
    clock,
    log,
    worker: (number) => workers.started[number - 1] ?? assert.fail(`No worker ${number} was started`),
    run(name, signal) {
      const made = pool.run(jobOf(name), signal);
      made.catch(() => {});
      return made;
    },
    runOf(repository, name, peer) {
      const made = pool.run(jobOf(name, repository), undefined, peer);
      made.catch(() => {});
      return made;
    },
  };
}

function jobOf(name: string, rid = "rad:z1"): DiffJob {
  return { kind: "diff", rid: rid as RepoId, oldTree: undefined, newTree: name as Oid };
}

/** A pool whose one worker is ready. */
function createReadyPool(size?: number, processors?: number): TestPool {
  const test = createTestPool(size, processors);
  test.pool.warmUp();
  test.worker(1).ready();
  return test;
}

const WITHOUT_WORKERS = "Diffs are made without workers: none can be started";

/** Lets the start fail that a job waits for. */
function notReadyInTime(made: Promise<MadeDiff>, clock: FakeClock): Promise<MadeDiff> {
  clock.pass(START_LIMIT_MS);
  return made;
}

describe("jobs", () => {
  it("start no worker before the first job", () => {
    assert.equal(createTestPool().workers.started.length, 0);
  });

  it("are done by one worker in their order", async () => {
    const { run, worker, workers } = createTestPool();
    const made = [run("a"), run("b"), run("c")];
    assert.deepEqual(worker(1).jobs, []);
    worker(1).ready();
    for (const [i, text] of ["A", "B", "C"].entries()) {
      assert.equal(worker(1).jobs.length, i + 1);
      worker(1).make(text);
    }
    assert.deepEqual((await Promise.all(made)).map(textOf), ["A", "B", "C"]);
    assert.deepEqual(worker(1).jobs, ["a", "b", "c"]);
    assert.equal(workers.started.length, 1);
  });

  it("have another worker started when they wait for long, up to the size of the pool", async () => {
    const { run, worker, workers, clock } = createReadyPool();
    const made = ["a", "b", "c", "d"].map((name) => run(name));
    clock.pass(MOMENT_MS);
    assert.equal(workers.started.length, 1);
    clock.pass(LONG_WAIT_MS);
    worker(2).ready();
    clock.pass(LONG_WAIT_MS);
    assert.equal(workers.started.length, 2);
    assert.deepEqual([worker(1).jobs, worker(2).jobs], [["a"], ["b"]]);
    worker(2).make("B");
    worker(2).make("C");
    worker(2).make("D");
    worker(1).make("A");
    assert.deepEqual((await Promise.all(made)).map(textOf), ["A", "B", "C", "D"]);
  });

  it("do not have one started when the wait was short", () => {
    const { run, worker, workers, clock } = createReadyPool();
    void run("a");
    void run("b");
    clock.pass(MOMENT_MS);
    worker(1).make("A");
    clock.pass(LONG_WAIT_MS);
    assert.equal(workers.started.length, 1);
  });

  it("have another one started only if there is a processor for it, while workers end jobs", () => {
    const workersAfterWaits = (processors: number) => {
      const { run, worker, workers, clock } = createReadyPool(undefined, processors);
      for (let i = 0; i < 9; i++) {
        void run(`${i}`);
        void run(`more ${i}`);
        clock.pass(LONG_WAIT_MS / 9);
        worker(1).make("");
      }
      return workers.started.length;
    };
    assert.deepEqual([2, 3].map(workersAfterWaits), [1, 2]);
  });

  it("fail as the worker says, damage as damage", async () => {
    const { run, worker } = createReadyPool();
    const [damaged, other] = [run("a"), run("b")];
    const fail = (error: Error) =>
      worker(1).say({
        kind: "failed",
        error: { name: error.name, message: error.message, stack: error.stack },
        needsRecycling: false,
      });
    fail(new DamagedError("broken"));
    fail(new RangeError("odd"));
    await assert.rejects(damaged, (error) => error instanceof DamagedError && error.message === "broken");
    await assert.rejects(other, { name: "RangeError", message: "odd" });
  });

  it("are refused when too many wait", async () => {
    const { run, worker, log } = createReadyPool(1);
    void run("running");
    for (let i = 0; i < MAX_WAITING_JOBS; i++) void run(`${i}`);
    await assert.rejects(run("late"), isUnavailable);
    await assert.rejects(run("too late"), isUnavailable);
    assert.deepEqual(log, ["warn Diffs are refused: too many are being made"]);
    worker(1).make("");
    void run("later");
    assert.equal(worker(1).jobs.at(-1), "0");
  });

  it("are dropped without a client before they begin, and finished afterwards", async () => {
    const { run, worker } = createReadyPool(1);
    const [begun, waiting] = [new AbortController(), new AbortController()];
    const [first, second, third] = [run("a", begun.signal), run("b", waiting.signal), run("c")];
    await assert.rejects(run("d", AbortSignal.abort()), { name: "UnavailableError" });
    begun.abort();
    waiting.abort();
    await assert.rejects(second, { name: "UnavailableError" });
    worker(1).make("A");
    worker(1).make("C");
    assert.deepEqual([textOf(await first), textOf(await third)], ["A", "C"]);
    assert.deepEqual(worker(1).jobs, ["a", "c"]);
  });

  it("are ended soon without a client after they have begun", async () => {
    const { run, worker, clock } = createReadyPool(1);
    const leaving = new AbortController();
    const [left, next] = [run("a", leaving.signal), run("b")];
    clock.pass(1);
    leaving.abort();
    clock.pass(MOMENT_MS);
    assert.equal(worker(1).isToldToClose, false);
    clock.pass(JOB_LIMIT_MS / 2);
    assert.equal(worker(1).isToldToClose, true);
    await assert.rejects(left, { name: "UnavailableError" });
    worker(2).ready();
    worker(2).make("B");
    assert.equal(textOf(await next), "B");
    void run("a");
    assert.deepEqual(worker(2).jobs, ["b", "a"]);
  });
});

describe("jobs of several repositories and peers", () => {
  /** A pool of two workers, which hostile jobs keep busy, and of which more wait. */
  function createBusyPool(): TestPool {
    const test = createReadyPool();
    for (let i = 0; i < 12; i++) void test.runOf("rad:zhostile", `h${i}`, "192.0.2.1");
    test.clock.pass(LONG_WAIT_MS);
    test.worker(2).ready();
    return test;
  }

  it("get a worker of their own when the others are busy for one repository or peer", async () => {
    const { runOf, worker, workers, clock } = createBusyPool();
    clock.pass(LONG_WAIT_MS);
    assert.equal(workers.started.length, 2);
    const honest = runOf("rad:zhonest", "honest", "192.0.2.2");
    clock.pass(LONG_WAIT_MS);
    worker(3).ready();
    assert.deepEqual(worker(3).jobs, ["honest"]);
    worker(3).make("HONEST");
    assert.equal(textOf(await honest), "HONEST");
    assert.deepEqual(worker(3).jobs, ["honest"]);
    clock.pass(LONG_WAIT_MS);
    assert.equal(workers.started.length, 3);
  });

  it("take turns with those that came earlier", () => {
    const { runOf, worker } = createBusyPool();
    void runOf("rad:zhonest", "a", "192.0.2.2");
    void runOf("rad:zhonest", "b", "192.0.2.2");
    worker(1).make("");
    assert.deepEqual(worker(1).jobs, ["h0", "a"]);
    worker(2).make("");
    assert.deepEqual(worker(2).jobs, ["h1", "b"]);
  });

  it("take turns with jobs of another peer in the same repository", () => {
    const { runOf, worker } = createBusyPool();
    void runOf("rad:zhostile", "honest", "192.0.2.2");
    worker(1).make("");
    assert.deepEqual(worker(1).jobs, ["h0", "honest"]);
  });

  it("are not refused because one repository or peer has filled the queue", async () => {
    const { runOf, worker } = createBusyPool();
    const hostile = Array.from(
      { length: MAX_WAITING_JOBS - 9 },
      (_, i) => runOf("rad:zhostile", `more${i}`, "192.0.2.1"),
    );
    await assert.rejects(hostile.at(-1)!, isUnavailable);
    void runOf("rad:zhonest", "honest", "192.0.2.2");
    await assert.rejects(hostile.at(-2)!, isUnavailable);
    worker(1).make("");
    assert.deepEqual(worker(1).jobs, ["h0", "honest"]);
  });
});

describe("a job that takes too long", () => {
  it("is refused in the end, its worker ended, and the next one goes to another", async () => {
    const { run, worker, clock, log } = createReadyPool(1);
    const [long, next] = [run("a"), run("b")];
    clock.pass(JOB_LIMIT_MS - 1);
    assert.equal(worker(1).isToldToClose, false);
    clock.pass(1);
    await assert.rejects(long, isUnavailable);
    // It is told first: some runtimes do not close the files of a worker that is terminated.
    assert.deepEqual([worker(1).isToldToClose, worker(1).isTerminated], [true, false]);
    clock.pass(START_LIMIT_MS / 2);
    assert.equal(worker(1).isTerminated, true);
    worker(1).end();
    worker(2).ready();
    worker(2).make("B");
    assert.equal(textOf(await next), "B");
    assert.deepEqual(log, ["warn The diff of trees (none) and a in rad:z1 took longer than 10 seconds"]);
  });

  it("has its time from when it is begun", async () => {
    const { run, worker, clock } = createReadyPool(1);
    const [, second] = [run("a"), run("b")];
    clock.pass(JOB_LIMIT_MS - 1);
    worker(1).make("A");
    clock.pass(JOB_LIMIT_MS - 1);
    worker(1).make("B");
    assert.equal(textOf(await second), "B");
  });

  it("is not tried again for a while", async () => {
    const { run, worker, workers, clock } = createReadyPool(1);
    void run("a");
    clock.pass(JOB_LIMIT_MS);
    const refused = await run("a").catch((error) => error);
    assert.ok(isUnavailable(refused));
    assert.equal(workers.started.length, 1);
    clock.pass(1000 * refused.retryAfterSeconds);
    void run("a");
    worker(2).ready();
    assert.deepEqual(worker(2).jobs, ["a"]);
  });

  it("is ignored when it ends after all", async () => {
    const { run, worker, clock } = createReadyPool(1);
    const [long, next] = [run("a"), run("b")];
    clock.pass(JOB_LIMIT_MS);
    worker(2).ready();
    worker(1).make("A");
    worker(2).make("B");
    await assert.rejects(long, isUnavailable);
    assert.equal(textOf(await next), "B");
  });
});

describe("a worker", () => {
  it("that crashes fails its job alone", async () => {
    const { run, worker, log } = createReadyPool(1);
    const [lost, next] = [run("a"), run("b")];
    worker(1).end(new Error("trap"));
    await assert.rejects(lost, isUnavailable);
    await assert.rejects(run("a"), isUnavailable);
    worker(2).ready();
    worker(2).make("B");
    assert.equal(textOf(await next), "B");
    assert.deepEqual(log, ["error A worker has ended: The diff of trees (none) and a in rad:z1: trap"]);
  });

  it("that is recycled closes its files and is ended, and another is there before it is needed", async () => {
    const { run, worker } = createReadyPool(1);
    const [large, next] = [run("a"), run("b")];
    worker(1).make("A", true);
    assert.equal(textOf(await large), "A");
    assert.deepEqual([worker(1).isToldToClose, worker(1).isTerminated, worker(1).isHeld], [
      true,
      false,
      false,
    ]);
    worker(1).say({ kind: "closed" });
    assert.equal(worker(1).isTerminated, true);
    worker(1).end();
    worker(2).ready();
    worker(2).make("B");
    assert.equal(textOf(await next), "B");
  });

  it("that is idle for a while is ended when there is another, the only one later", () => {
    const { run, worker, workers, clock } = createReadyPool();
    void run("a");
    void run("b");
    clock.pass(LONG_WAIT_MS);
    worker(2).ready();
    worker(1).make("A");
    worker(2).make("B");
    clock.pass(LONG_WAIT_MS);
    void run("c");
    worker(1).make("C");
    clock.pass(LONG_WAIT_MS);
    assert.deepEqual([worker(1).isToldToClose, worker(2).isToldToClose], [false, false]);
    clock.pass(MINUTE_MS);
    assert.deepEqual([worker(1).isToldToClose, worker(2).isToldToClose], [false, true]);
    clock.pass(HOUR_MS);
    assert.equal(worker(1).isToldToClose, true);
    void run("d");
    assert.equal(workers.started.length, 3);
  });

  it("keeps the process only while there is work", () => {
    const { run, worker } = createReadyPool();
    assert.equal(worker(1).isHeld, false);
    void run("a");
    assert.equal(worker(1).isHeld, true);
    worker(1).make("A");
    assert.equal(worker(1).isHeld, false);
  });

  it("writes to the log", () => {
    const { worker, log } = createReadyPool();
    worker(1).say({ kind: "log", level: "warn", message: "Pack is damaged", cause: undefined });
    const cause = { name: "DamagedError", message: "short", stack: undefined };
    worker(1).say({ kind: "log", level: "error", message: "Pack is gone", cause });
    assert.deepEqual(log, ["warn Pack is damaged", "error Pack is gone: short"]);
  });
});

describe("a pool that can start no worker", () => {
  it("says so to everybody, and once in the log", async () => {
    const { run, workers, clock, log } = createTestPool();
    workers.refusal = new Error("not allowed");
    await assert.rejects(run("a"), NoWorkersError);
    await assert.rejects(run("b"), NoWorkersError);
    clock.pass(MINUTE_MS);
    await assert.rejects(run("c"), NoWorkersError);
    assert.deepEqual(log, [`warn ${WITHOUT_WORKERS}: not allowed`]);
  });

  it("tries again by itself, less and less often, and says when it has one", async () => {
    const { run, worker, workers, clock, log } = createTestPool();
    await assert.rejects(notReadyInTime(run("a"), clock), NoWorkersError);
    const pausesMs: number[] = [];
    while (workers.started.length < 11) {
      const started = workers.started.length;
      await assert.rejects(run("b"), NoWorkersError);
      const failedMs = clock.now();
      while (workers.started.length === started) clock.pass(1000);
      pausesMs.push(clock.now() - failedMs);
      if (workers.started.length < 11) clock.pass(START_LIMIT_MS);
    }
    assert.deepEqual(pausesMs, pausesMs.toSorted((a, b) => a - b));
    assert.ok(pausesMs[0]! < MINUTE_MS && pausesMs[1]! > pausesMs[0]!);
    assert.ok(pausesMs.at(-1)! > MINUTE_MS && pausesMs.at(-1)! < HOUR_MS);
    worker(11).ready();
    assert.deepEqual(log, [
      `warn ${WITHOUT_WORKERS}: It was not ready in time`,
      "warn Diffs are made with workers again",
    ]);
    const made = run("e");
    worker(11).make("E");
    assert.equal(textOf(await made), "E");

    // The next failure is one of its own.
    worker(11).end();
    await assert.rejects(notReadyInTime(run("f"), clock), NoWorkersError);
    clock.pass(pausesMs[0]!);
    assert.equal(workers.started.length, 13);
  });

  it("tries nothing more when it is closed", async () => {
    const { pool, workers, clock } = createTestPool();
    workers.refusal = new Error("not allowed");
    pool.warmUp();
    await pool.close();
    assert.equal(clock.pending, 0);
  });

  it("says so when it ends before it is ready, or is not ready in time", async () => {
    for (const never of [false, true]) {
      const { run, worker, clock } = createTestPool();
      const made = [run("a"), run("b")];
      if (never) clock.pass(START_LIMIT_MS);
      else worker(1).end();
      for (const promise of made) await assert.rejects(promise, NoWorkersError);
      assert.equal(worker(1).isTerminated, true);
    }
  });

  it("lets jobs wait for the worker that there is", async () => {
    const { run, worker, workers, clock } = createReadyPool();
    const made = [run("a"), run("b")];
    workers.refusal = new Error("no memory");
    clock.pass(LONG_WAIT_MS);
    worker(1).make("A");
    worker(1).make("B");
    assert.deepEqual((await Promise.all(made)).map(textOf), ["A", "B"]);
  });
});

describe("a closed pool", () => {
  it("has ended its workers and refuses what is under way, what waits and what comes", async () => {
    const { pool, run, worker, clock, workers } = createReadyPool(1);
    const made = [run("a"), run("b")];
    const closed = pool.close();
    for (const promise of [...made, run("c")]) {
      await assert.rejects(promise, (error) => error instanceof UnavailableError);
    }
    // It closes its files after its job.
    assert.deepEqual([worker(1).isToldToClose, worker(1).isHeld, worker(1).isTerminated], [
      true,
      true,
      false,
    ]);
    worker(1).make("A");
    worker(1).say({ kind: "closed" });
    await closed;
    assert.equal(worker(1).isTerminated, true);
    pool.warmUp();
    assert.deepEqual([workers.started.length, clock.pending], [1, 0]);
  });

  it("ends a worker that does not close its files in time", async () => {
    const { pool, run, worker, clock } = createReadyPool(1);
    void run("a");
    const closed = pool.close();
    clock.pass(MINUTE_MS);
    await closed;
    assert.deepEqual([worker(1).isHeld, worker(1).isTerminated], [false, true]);
  });

  it("does not wait for a worker that ends before it has closed its files", async () => {
    const { pool, worker, clock } = createReadyPool(1);
    const closed = pool.close();
    worker(1).end();
    await closed;
    assert.equal(clock.pending, 0);
    assert.equal(pool.close(), closed);
  });

  it("waits for a worker that has been recycled", async () => {
    const { pool, run, worker } = createReadyPool(1);
    void run("a");
    worker(1).make("A", true);
    const closed = pool.close();
    for (const one of [worker(1), worker(2)]) {
      assert.deepEqual([one.isToldToClose, one.isHeld, one.isTerminated], [true, true, false]);
      one.say({ kind: "closed" });
    }
    await closed;
  });
});
