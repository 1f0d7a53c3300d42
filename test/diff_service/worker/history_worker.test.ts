/** The worker of long histories. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createWorkerPool } from "../../../src/diff_service/worker/pool.ts";
import { toErrorText } from "../../../src/diff_service/worker/protocol.ts";
import { DamagedError, UnsupportedError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { StartWorker, WorkerPurpose } from "../../../src/ports/workers.ts";
import { FakeClock, FakeWorkers } from "../fake_workers.ts";

const MINUTE_MS = 60_000;
/** After this time a history worker may be started again, whatever happened to the one before. */
const A_WHILE_MS = 10 * MINUTE_MS;

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const OID = "1".repeat(40) as Oid;

/** A pool of fake workers. */
function createPool() {
  const [workers, clock] = [new FakeWorkers(), new FakeClock()];
  const log: string[] = [];
  const purposes: (WorkerPurpose | undefined)[] = [];
  const shown: number[] = [];
  const startWorker: StartWorker = (events, purpose) => {
    purposes.push(purpose);
    return workers.start(events, purpose);
  };
  const pool = createWorkerPool({
    startWorker,
    log: (level, message, cause) => void log.push(`${level} ${message}: ${cause}`),
    now: clock.now,
    setTimer: clock.setTimer,
  });
  const read = () => pool.readHistory(RID, OID, (commits) => shown.push(commits));
  return { ...workers, workers, clock, log, purposes, shown, pool, read };
}

/** Lets everything run that has been resolved. */
const settle = () => new Promise<void>((resume) => setTimeout(resume, 0));

describe("the worker of a history", () => {
  it("is started for it, in addition to the workers of diffs, and ends with it", async () => {
    const { started, purposes, pool, read, shown, clock } = createPool();
    pool.warmUp();
    const history = read();
    assert.deepEqual(purposes, [undefined, "history"]);
    const worker = started[1]!;
    assert.deepEqual(worker.sent, [{ kind: "history", rid: RID, oid: OID }]);
    assert.equal(worker.isHeld, true);
    worker.ready();
    worker.say({ kind: "progress", commits: 4096 });
    worker.say({ kind: "history", made: "tooLong" });
    assert.equal(await history, "tooLong");
    assert.deepEqual(shown, [4096]);
    assert.deepEqual([worker.isToldToClose, worker.isHeld, worker.isTerminated], [true, false, false]);
    worker.say({ kind: "closed" });
    assert.equal(worker.isTerminated, true);
    void read();
    assert.equal(started.length, 3);
    started[2]!.say({ kind: "history", made: undefined });
    clock.pass(MINUTE_MS);
    assert.equal(started[2]!.isTerminated, true);
    pool.close();
  });

  it("reads one at a time", async () => {
    const { started, read, pool } = createPool();
    const first = read();
    assert.equal(await read(), undefined);
    assert.equal(started.length, 1);
    started[0]!.say({ kind: "history", made: "tooLong" });
    assert.equal(await first, "tooLong");
    pool.close();
  });

  it("that fails is not replaced for a while; the same fault is logged once", async () => {
    const { workers, started, read, log, clock, pool } = createPool();
    let isRead = false;
    const faults: (() => void | Promise<void>)[] = [
      () => started.at(-1)!.end(),
      () => started.at(-1)!.end(),
      () =>
        started.at(-1)!.say({
          kind: "failed",
          error: toErrorText(new DamagedError("gone")),
          needsRecycling: true,
        }),
      async () => {
        for (let seconds = 0; !isRead && seconds < 600; seconds++) {
          clock.pass(1000);
          await settle();
        }
      },
    ];
    for (const fault of faults) {
      isRead = false;
      const history = read().finally(() => isRead = true);
      await fault();
      assert.equal(await history, undefined);
      assert.equal(started.at(-1)!.isTerminated, true);
      const { length } = started;
      assert.equal(await read(), undefined);
      assert.equal(started.length, length);
      clock.pass(A_WHILE_MS);
    }
    workers.refusal = new Error("not permitted");
    assert.equal(await read(), undefined);
    const without = "warn A long history is read without a worker";
    assert.deepEqual(log.map((line) => line.replace(/\d+ seconds/, "… seconds")), [
      `${without}: Error: crashed`,
      `${without}: DamagedError: gone`,
      `${without}: Error: It took longer than … seconds`,
      `${without}: Error: not permitted`,
    ]);
    pool.close();
  });

  it("that ends although it could not be asked is no more than a failure", async () => {
    const { workers, started, read, pool } = createPool();
    workers.lost = new Error("gone");
    assert.equal(await read(), undefined);
    started[0]!.end();
    await pool.close();
  });

  it("is never asked again where workers read through this thread", async () => {
    const { started, read, log, clock, pool } = createPool();
    const history = read();
    const error = toErrorText(new UnsupportedError("The storage is in another thread"));
    started[0]!.say({ kind: "failed", error, needsRecycling: true });
    assert.equal(await history, undefined);
    clock.pass(100 * A_WHILE_MS);
    assert.equal(await read(), undefined);
    assert.equal(started.length, 1);
    assert.deepEqual(log, []);
    pool.close();
  });

  it("ends with the pool", async () => {
    const { started, read, clock, pool } = createPool();
    const history = read();
    const closed = pool.close();
    assert.equal(await history, undefined);
    assert.equal(started[0]!.isToldToClose, true);
    clock.pass(MINUTE_MS);
    await closed;
    assert.equal(started[0]!.isTerminated, true);
    assert.equal(await read(), undefined);
    assert.equal(started.length, 1);
  });
});
