/** Answers of a replica whose bucket is slow: each of them comes within ten seconds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import type { Answer } from "../../../../src/http/answer.ts";
import { formatRid } from "../../../../src/ids/rid.ts";
import { withinTimeout } from "../../../../extensions/replicas/replica/answer_timeout.ts";
import { createReplica } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { FakeTimers } from "../../../support/fake_timers.ts";
import { silentBucket } from "../../../support/silent_bucket.ts";
import { ALICE, createWorld } from "../../../support/world.ts";

/** Longest time of an answer while the bucket is away, in milliseconds. */
const PROMISED_MS = 10_000;

async function openReplica() {
  const world = createWorld();
  const memory = createMemoryBucket();
  const timers = new FakeTimers();
  const node = { node: createAbsentNode(), profile: { nodeId: ALICE, pinned: () => [] } };
  await createTestPublisher(world.storage, memory, { node, now: timers.now }).publishAll();
  const bucket = silentBucket(memory);
  const replica = await createReplica(bucket.bucket, {
    loadLibgit2: () => Promise.reject(new Error("not needed")),
    environment: { now: timers.now },
    startTimer: timers.startTimer,
  });
  const get = async (path: string, init?: RequestInit) => {
    const { status, headers } = await replica.fetch(new Request(`http://localhost${path}`, init));
    return { status, retryAfter: Number(headers.get("retry-after")), headers, atMs: timers.nowMs };
  };
  return { world, timers, bucket, replica, get };
}

/** Ids of which there is no repository. */
const STRANGE_RIDS = Array.from(
  { length: 128 },
  (_, i) => formatRid(new Uint8Array(20).fill(i)),
);

describe("a replica whose bucket is away", () => {
  it("answers each of many requests with 503 and Retry-After in time", async () => {
    const { timers, bucket, replica, get, world } = await openReplica();
    bucket.isSilent = true;
    const paths = [
      `/api/v1/projects/${world.hello.rid}`,
      "/api/v1/projects?show=all",
      `/api/v1/repos/${world.hello.rid}/commits`,
      ...STRANGE_RIDS.map((rid) => `/api/v1/projects/${rid}`),
    ];
    const answers: Awaited<ReturnType<typeof get>>[] = [];
    for (const path of paths) void get(path).then((answer) => answers.push(answer));
    await timers.advance(PROMISED_MS);
    assert.equal(answers.length, paths.length);
    for (const { status, retryAfter, atMs } of answers) {
      assert.equal(status, 503);
      assert.ok(retryAfter > 0 && atMs < PROMISED_MS);
    }
    bucket.isSilent = false;
    assert.equal((await get(paths[0]!)).status, 200);
    await replica.close();
  });

  it("shows what it knows after a short wait", async () => {
    const { timers, bucket, replica, get, world } = await openReplica();
    const path = `/api/v1/projects/${world.hello.rid}`;
    assert.equal((await get(path)).status, 200);
    bucket.isSilent = true;
    await timers.advance(60_000);
    const answering = get(path);
    await timers.advance(PROMISED_MS);
    const { status, atMs } = await answering;
    assert.equal(status, 200);
    assert.ok(atMs <= 62_000, `${atMs}`);
    await replica.close();
  });
});

describe("an answer", () => {
  const request = (method = "GET") => new Request("http://localhost/", { method });
  const late: Answer = { status: 200, headers: {}, body: undefined };

  function answering() {
    const timers = new FakeTimers();
    const reads = { isReading: false };
    const made = Promise.withResolvers<Answer>();
    return { timers, reads, made };
  }

  it("that needs many slow reads is 503 in the end, as pages of other origins may read it", async () => {
    for (const method of ["GET", "HEAD"]) {
      const { timers, reads, made } = answering();
      reads.isReading = true;
      const answer = withinTimeout(request(method), made.promise, reads, timers.startTimer);
      await timers.advance(PROMISED_MS);
      const { status, headers, body } = await answer;
      assert.equal(status, 503);
      assert.ok(Number(headers["retry-after"]) > 0);
      assert.equal(headers["access-control-allow-origin"], "*");
      assert.equal(body === undefined, method === "HEAD");
      assert.equal(timers.running, 0);
    }
  });

  it("that takes long without the bucket is waited for, until the bucket is read", async () => {
    const { timers, reads, made } = answering();
    const answer = withinTimeout(request(), made.promise, reads, timers.startTimer);
    await timers.advance(60_000);
    made.resolve(late);
    assert.equal(await answer, late);
    assert.equal(timers.running, 0);
    const next = answering();
    const second = withinTimeout(request(), next.made.promise, next.reads, next.timers.startTimer);
    await next.timers.advance(20_000);
    next.reads.isReading = true;
    await next.timers.advance(1000);
    assert.equal((await second).status, 503);
  });

  it("that comes too late is discarded", async () => {
    const { timers, reads, made } = answering();
    reads.isReading = true;
    let isCanceled = false;
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({ cancel: () => void (isCanceled = true) });
    const body = { stream, heldBytes: 0 };
    const answer = withinTimeout(request(), made.promise, reads, timers.startTimer);
    await timers.advance(PROMISED_MS);
    assert.equal((await answer).status, 503);
    made.resolve({ ...late, body });
    await timers.advance(0);
    assert.ok(isCanceled);
  });
});
