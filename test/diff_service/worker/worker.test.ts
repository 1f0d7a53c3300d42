import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { answerJobs, postLog, type RecycleLimits } from "../../../src/diff_service/worker/worker.ts";
import {
  fromErrorText,
  type FromWorker,
  toErrorText,
  type ToWorker,
} from "../../../src/diff_service/worker/protocol.ts";
import { DamagedError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../src/storage/memory.ts";
import { blob, ELSEWHERE } from "../../diff/trees.ts";
import { putTree } from "../../support/world.ts";
import { encodeFiles } from "../../../src/diff_service/render/diff.ts";
import { textOf } from "../fake_workers.ts";

const RECYCLE_LIMITS: RecycleLimits = { jobBytes: 2 ** 20, totalBytes: 2 ** 23 };

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";

/** A worker in this process, on a storage of one repository. */
async function startHere(now?: () => number): Promise<{
  repository: MemoryRepository;
  ask(message: ToWorker): Promise<FromWorker>;
  tell(message: ToWorker): void;
  transferred: ArrayBuffer[];
  isClosed: () => boolean;
}> {
  const storage = createMemoryStorage();
  const repository = storage.create(RID);
  const transferred: ArrayBuffer[] = [];
  let next = Promise.withResolvers<FromWorker>();
  let isClosed = false;
  const take = answerJobs({
    storage,
    loadLibgit2,
    recycleLimits: RECYCLE_LIMITS,
    post(message, transfer) {
      transferred.push(...transfer);
      next.resolve(structuredClone(message));
    },
    close: () => isClosed = true,
    ...now && { now },
  });
  assert.deepEqual(await next.promise, { kind: "ready" });
  return {
    repository,
    ask(message) {
      next = Promise.withResolvers();
      take(structuredClone(message));
      return next.promise;
    },
    tell: (message) => take(structuredClone(message)),
    transferred,
    isClosed: () => isClosed,
  };
}

const diffJob = (oldTree: Oid | undefined, newTree: Oid, rid = RID): ToWorker => ({
  kind: "job",
  job: { kind: "diff", rid: rid as RepoId, oldTree, newTree },
});

describe("a worker", () => {
  it("makes diffs and hands their bytes over", async () => {
    const { repository, ask, transferred } = await startHere();
    const [old, now] = [putTree(repository, { a: "1\n" }), putTree(repository, { b: "2\n" })];
    const answer = await ask(diffJob(old, now));
    assert.ok(answer.kind === "made" && !answer.needsRecycling);
    assert.deepEqual(JSON.parse(textOf(answer.made)).stats, { filesChanged: 2, insertions: 1, deletions: 1 });
    assert.ok("touched" in answer.made);
    assert.deepEqual(answer.made.touched, [blob(repository, "1\n"), blob(repository, "2\n")]);
    assert.equal(transferred[0]?.byteLength, answer.made.json.length);
  });

  it("ends its job at its next pause when it is closed, and closes its files after it", async () => {
    let nowMs = 0;
    const { repository, ask, tell, isClosed } = await startHere(() => nowMs += 60_000);
    const job = ask(diffJob(undefined, putTree(repository, { a: "1\n" })));
    tell({ kind: "close" });
    assert.equal(isClosed(), false);
    const answer = await job;
    assert.ok(answer.kind === "failed" && answer.error.message === "The worker is closed");
    await Promise.resolve();
    assert.equal(isClosed(), true);
  });

  it("makes a part of a diff", async () => {
    const { repository, ask, transferred } = await startHere();
    const [old, now] = [putTree(repository, { a: "1\n" }), putTree(repository, { a: "2\n" })];
    const whole = await ask(diffJob(old, now));
    assert.ok(whole.kind === "made");
    const [before, after] = ["1\n", "2\n"].map((text) => ({
      oid: blob(repository, text),
      mode: "blob" as const,
    }));
    const file = { kind: "modified", path: "a", old: before, new: after } as const;
    const batch = encodeFiles([file], 0, "modified");
    const part = await ask({ kind: "job", job: { kind: "part", rid: repository.rid, batch } });
    assert.ok(part.kind === "made" && textOf(whole.made).includes(textOf(part.made).slice(1)));
    assert.equal(transferred.at(-1)?.byteLength, part.made.json.length);
  });

  it("shows files", async () => {
    const { repository, ask } = await startHere();
    const oid = blob(repository, "1\n");
    const answer = await ask({ kind: "job", job: { kind: "files", rid: repository.rid, oids: [oid] } });
    assert.ok(answer.kind === "made");
    assert.equal(textOf(answer.made), `"${oid}":{"id":"${oid}","binary":false,"content":"1\\n"}`);
  });

  it("reports damage, and goes on", async () => {
    const { repository, ask } = await startHere();
    const now = putTree(repository, { a: "1\n" });
    for (
      const job of [
        diffJob(undefined, ELSEWHERE),
        diffJob(undefined, now, "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5"),
      ]
    ) {
      const answer = await ask(job);
      assert.ok(answer.kind === "failed");
      assert.ok(fromErrorText(answer.error) instanceof DamagedError);
    }
    assert.equal((await ask(diffJob(undefined, now))).kind, "made");
  });

  it("is recycled when it has read much", async () => {
    const { repository, ask } = await startHere();
    const half = "x".repeat(RECYCLE_LIMITS.jobBytes / 2);
    const now = putTree(repository, { a: `${half}a`, b: `${half}b` });
    const answer = await ask(diffJob(undefined, now));
    assert.ok(answer.kind === "made" && answer.needsRecycling);
  });

  it("is recycled when it has made much in all", async () => {
    const { repository, ask } = await startHere();
    const most = "x".repeat(RECYCLE_LIMITS.jobBytes / 4);
    let needsRecycling = false;
    let jobs = 0;
    for (; !needsRecycling; jobs++) {
      const answer = await ask(diffJob(undefined, putTree(repository, { a: `${most}${jobs}` })));
      assert.ok(answer.kind === "made");
      needsRecycling = answer.needsRecycling;
    }
    assert.equal(jobs, Math.ceil(RECYCLE_LIMITS.totalBytes / (RECYCLE_LIMITS.jobBytes / 2)));
  });

  it("closes its files when it is closed", async () => {
    const { ask, isClosed } = await startHere();
    assert.deepEqual(await ask({ kind: "close" }), { kind: "closed" });
    assert.equal(isClosed(), true);
  });
});

describe("what crosses", () => {
  it("are errors with name, message and stack", () => {
    const error = new RangeError("odd");
    const crossed = fromErrorText(structuredClone(toErrorText(error)));
    assert.deepEqual([crossed.name, crossed.message, crossed.stack], ["RangeError", "odd", error.stack]);
    assert.equal(fromErrorText(toErrorText("text")).message, "text");
  });

  it("are lines of the log with their causes", () => {
    const lines: FromWorker[] = [];
    const log = postLog((message) => lines.push(structuredClone(message)));
    log("warn", "plain");
    log("error", "caused", new DamagedError("short"));
    log("info", "odd", 7);
    assert.deepEqual(
      lines.map((line) => line.kind === "log" && [line.level, line.message, causeOf(line.cause)]),
      [["warn", "plain", undefined], ["error", "caused", "short"], ["info", "odd", "7"]],
    );
  });
});

function causeOf(cause: { message: string } | string | undefined): string | undefined {
  return typeof cause === "object" ? cause.message : cause;
}
