/** Replicas of buckets whose description of the node is away, missing or damaged. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { type Bucket, BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import { NODE_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { createReplica, type ReplicaOptions } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { FakeTimers } from "../../../support/fake_timers.ts";
import { CountingBucket } from "../../../support/published.ts";
import { silentBucket } from "../../../support/silent_bucket.ts";
import { ALICE, createWorld } from "../../../support/world.ts";

/** Time between two reads of a bucket that cannot be served yet, in milliseconds. */
const SECOND_MS = 1000;
/** Longest time of an answer while the bucket is away, in milliseconds. */
const PROMISED_MS = 10_000;
/** Time after which the description is read again, in milliseconds. */
const MINUTE_MS = 60_000;

const NOTHING = "warn The bucket has no publication: run xylem publish first";
const MENDED = `info The description of the node ${ALICE} can be read now`;

/** A bucket with a published home, and a replica that is opened on demand. */
async function openWorld({ isEmpty = false } = {}) {
  const world = createWorld();
  const memory = createMemoryBucket();
  const bucket = new CountingBucket(memory);
  const timers = new FakeTimers();
  timers.nowMs = 1_700_000_000_000;
  const node = { node: createAbsentNode(), profile: { nodeId: ALICE, alias: "alice", pinned: () => [] } };
  const publish = () => createTestPublisher(world.storage, memory, { node, now: timers.now }).publishAll();
  if (!isEmpty) await publish();
  const log: string[] = [];
  const open = async (from: Bucket = bucket, options: Partial<ReplicaOptions> = {}) => {
    const replica = await createReplica(from, {
      loadLibgit2: () => Promise.reject(new Error("not needed")),
      environment: {
        now: timers.now,
        log: (level, message, cause) =>
          void log.push(`${level} ${message}${cause instanceof Error ? `: ${cause.message}` : ""}`),
      },
      ...options,
    });
    const ask = async (path = "/api/v1", init?: RequestInit) => {
      const { status, headers, body } = await replica.fetch(new Request(`http://localhost${path}`, init));
      await body?.cancel();
      return { status, headers };
    };
    return { replica, ask };
  };
  const putNode = async (change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>) => {
    const found = await memory.get(NODE_KEY);
    assert.ok(typeof found === "object");
    await memory.put(NODE_KEY, change(found.bytes));
  };
  return { world, memory, bucket, timers, publish, log, open, putNode };
}

const text = (value: string) => new TextEncoder().encode(value);
const flipped = (bytes: Uint8Array<ArrayBuffer>, at: number) =>
  bytes.map((byte, i) => i === at ? byte ^ 1 : byte);

const DAMAGES: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>>> = {
  "empty": () => new Uint8Array(),
  "cut short": (bytes) => bytes.slice(0, -1),
  "of other bytes": () => text("<html></html>".repeat(100)),
  "null": () => text("null"),
  "deeply nested": () => text("[".repeat(100_000)),
  "with a flipped bit in its digest": (bytes) => flipped(bytes, 12),
  "with a flipped bit in its content": (bytes) => flipped(bytes, bytes.length - 20),
  "larger than any description": () => new Uint8Array(2 ** 24 + 1),
};

describe("a replica of a bucket that cannot be served yet", () => {
  it("answers everything with 503 and Retry-After, and has no profile", async () => {
    const { open, world: { hello: { rid } } } = await openWorld({ isEmpty: true });
    const { replica, ask } = await open();
    assert.equal(replica.profile, undefined);
    const paths = [
      "/",
      "/api/v1",
      "/api/v1/projects",
      "/api/v1/node",
      "/nothing",
      "/%",
      `/${rid}.git/info/refs`,
    ];
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
        const { status, headers } = await ask(path, { method });
        assert.equal(status, 503, `${method} ${path}`);
        assert.equal(headers.get("retry-after"), "5");
        assert.equal(headers.get("via"), "1.1 xylem-replica");
        assert.equal(headers.get("access-control-allow-origin"), "*");
        assert.equal(headers.get("cache-control"), "no-store");
      }
    }
    await replica.close();
    assert.equal((await ask()).status, 503);
  });

  it("passes nothing on to its origin either", async () => {
    const { open } = await openWorld({ isEmpty: true });
    const fetch = () => Promise.reject(new Error("asked"));
    const { replica, ask } = await open(undefined, { origin: { url: "http://origin.example", fetch } });
    assert.equal((await ask("/api/v1/sessions", { method: "POST" })).status, 503);
    await replica.close();
  });

  it("goes on by itself when something is published, and says so", async () => {
    const { open, publish, log, timers } = await openWorld({ isEmpty: true });
    const { replica, ask } = await open();
    assert.equal((await ask("/api/v1/projects?show=all")).status, 503);
    assert.deepEqual(log, [NOTHING]);
    await publish();
    timers.nowMs += SECOND_MS;
    assert.equal((await ask("/api/v1/projects?show=all")).status, 200);
    assert.equal(replica.profile?.nodeId, ALICE);
    assert.equal(replica.profile?.alias, "alice");
    assert.deepEqual(log, [NOTHING, MENDED]);
    await replica.close();
  });

  it("reads the bucket once a second at most, however many requests come", async () => {
    const { open, bucket, timers, log } = await openWorld({ isEmpty: true });
    const { replica, ask } = await open();
    for (let second = 1; second <= 5; second++) {
      bucket.reset();
      timers.nowMs += SECOND_MS - 1;
      await Promise.all(Array.from({ length: 100 }, () => ask()));
      assert.deepEqual(bucket.asked, []);
      timers.nowMs++;
      await Promise.all(Array.from({ length: 100 }, () => ask()));
      await ask();
      assert.deepEqual(bucket.asked, [NODE_KEY]);
    }
    assert.deepEqual(log, [NOTHING]);
    await replica.close();
    bucket.reset();
    timers.nowMs += SECOND_MS;
    await ask();
    assert.deepEqual(bucket.asked, []);
  });

  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`says that a description is damaged that is ${name}, and goes on when it is mended`, async () => {
      const { open, memory, putNode, log, timers, bucket } = await openWorld();
      const sound = await memory.get(NODE_KEY);
      assert.ok(typeof sound === "object");
      await putNode(damage);
      const { replica, ask } = await open();
      for (let second = 0; second < 5; second++) {
        assert.equal((await ask("/api/v1/projects")).status, 503);
        timers.nowMs += SECOND_MS;
      }
      assert.equal(log.length, 1, log.join());
      assert.match(
        log[0]!,
        /^warn (Object "node\.json" of the bucket is damaged|The bucket cannot be read): ./,
      );
      // Another reason.
      bucket.fault = () => Promise.reject(new BucketError("denied", "no permission"));
      assert.equal((await ask()).status, 503);
      bucket.fault = undefined;
      assert.deepEqual(log.slice(1), ["warn The bucket cannot be read: no permission"]);
      timers.nowMs += SECOND_MS;
      await memory.put(NODE_KEY, sound.bytes);
      assert.equal((await ask()).status, 200);
      assert.deepEqual(log.slice(2), [MENDED]);
      await replica.close();
    });
  }

  for (const fault of [new BucketError("unavailable", "away"), new TypeError("broken"), "thrown"]) {
    it(`begins though its bucket fails with ${fault}`, async () => {
      const { open, bucket, timers, log } = await openWorld();
      bucket.fault = () => Promise.reject(fault);
      const { replica, ask } = await open();
      for (let second = 0; second < 5; second++) {
        assert.equal((await ask()).status, 503);
        timers.nowMs += SECOND_MS;
      }
      assert.equal(log.length, 1, log.join());
      assert.match(log[0]!, /^(warn|error) The bucket cannot be read/);
      bucket.fault = undefined;
      assert.equal((await ask()).status, 200);
      await replica.close();
    });
  }

  it("begins though its bucket is silent, and answers within ten seconds", async () => {
    const { open, memory, timers } = await openWorld();
    const silent = silentBucket(memory);
    silent.isSilent = true;
    const opening = open(silent.bucket, { startTimer: timers.startTimer });
    let isOpen = false;
    void opening.then(() => isOpen = true);
    const openingMs = timers.nowMs;
    while (!isOpen && timers.nowMs - openingMs < PROMISED_MS) await timers.advance(SECOND_MS / 2);
    const { replica, ask } = await opening;
    assert.equal((await ask()).status, 503);
    timers.nowMs += SECOND_MS;
    const startMs = timers.nowMs;
    const answers = Array.from({ length: 50 }, async () => {
      const { status } = await ask();
      return { status, tookMs: timers.nowMs - startMs };
    });
    await timers.advance(PROMISED_MS);
    for (const { status, tookMs } of await Promise.all(answers)) {
      assert.equal(status, 503);
      assert.ok(tookMs < PROMISED_MS, `${tookMs}`);
    }
    silent.isSilent = false;
    assert.equal((await ask()).status, 200);
    await replica.close();
  });
});

describe("a replica whose bucket hangs later", () => {
  it("is stale as soon as a read is late, says so in its log, and is ready again afterwards", async () => {
    const { open, memory, timers, log } = await openWorld();
    const silent = silentBucket(memory);
    const { replica, ask } = await open(silent.bucket, { startTimer: timers.startTimer });
    assert.equal(await replica.readiness(), "ready");
    silent.isSilent = true;
    timers.nowMs += MINUTE_MS;
    const late = replica.readiness();
    await timers.advance(SECOND_MS);
    assert.equal(await late, "stale");
    assert.ok(log.some((line) => line.startsWith("warn The bucket has not sent")), log.join());
    await timers.advance(PROMISED_MS);
    assert.ok(log.some((line) => line.includes("The bucket takes too long")), log.join());
    silent.isSilent = false;
    timers.nowMs += MINUTE_MS;
    assert.equal(await replica.readiness(), "ready");
    assert.equal((await ask()).status, 200);
    await replica.close();
  });
});

describe("a replica whose description of the node is damaged later", () => {
  it("keeps the last good one", async () => {
    const { open, putNode, memory, timers, log } = await openWorld();
    const { replica, ask } = await open();
    for (const damage of [...Object.values(DAMAGES), undefined]) {
      if (damage === undefined) await memory.delete([NODE_KEY]);
      else await putNode(damage);
      timers.nowMs += MINUTE_MS;
      for (
        const path of ["/api/v1", "/api/v1/node", "/api/v1/node/policies/repos", `/api/v1/nodes/${ALICE}`]
      ) {
        assert.equal((await ask(path)).status, 200, path);
      }
      assert.equal(replica.profile?.nodeId, ALICE);
    }
    assert.ok(log.length > 0 && log.every((line) => line.startsWith("warn ")), log.join());
    await replica.close();
  });
});
