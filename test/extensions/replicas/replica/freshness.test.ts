/** How old a replica's answers are: what they say of it, and when they are too old to be shown. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BucketError, type BucketObstacle } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { LEASE_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { createReplica, type ReplicaOptions } from "../../../../extensions/replicas/replica/replica.ts";
import { MAX_DENIED_AGE_MS } from "../../../../extensions/replicas/storage/fresh_document.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { CountingBucket } from "../../../support/published.ts";
import { ALICE, createWorld } from "../../../support/world.ts";

const NOW_MS = 1_700_000_000_000;

async function openWorld(options: Partial<ReplicaOptions> = {}) {
  const world = createWorld();
  const clock = { nowMs: NOW_MS };
  const bucket = new CountingBucket(createMemoryBucket({ now: () => clock.nowMs }));
  const node = { node: createAbsentNode(), profile: { nodeId: ALICE, pinned: () => [] } };
  await createTestPublisher(world.storage, bucket, { node, now: () => clock.nowMs }).publishAll();
  const replica = await createReplica(bucket, {
    loadLibgit2: () => Promise.reject(new Error("not needed")),
    environment: { now: () => clock.nowMs },
    ...options,
  });
  const get = (path = `/api/v1/projects/${world.helloRid}`) =>
    replica.fetch(new Request(`http://localhost${path}`));
  const statuses = async (...paths: string[]) => {
    const found: number[] = [];
    for (const path of paths) found.push((await get(path)).status);
    return found;
  };
  const fail = (obstacle: BucketObstacle) =>
    bucket.fault = () => Promise.reject(new BucketError(obstacle, ""));
  return { world, clock, bucket, replica, get, statuses, fail, node };
}

/** Times of an answer, in seconds since the beginning. */
function timesOf({ headers }: Response) {
  return ["xylem-published", "xylem-confirmed", "xylem-publisher-seen"].map((name) => {
    const text = headers.get(name);
    return text === null ? undefined : (Date.parse(text) - NOW_MS) / 1000;
  });
}

describe("a state that the bucket does not confirm", () => {
  it("is shown for half a minute while the bucket refuses, whatever is known of it, and again afterwards", async () => {
    const { world, clock, bucket, statuses, fail } = await openWorld();
    const paths = [`/api/v1/projects/${world.helloRid}`, "/api/v1/projects?show=all"];
    assert.deepEqual(await statuses(...paths), [200, 200]);
    fail("denied");
    clock.nowMs += MAX_DENIED_AGE_MS - 1;
    assert.deepEqual(await statuses(...paths), [200, 200]);
    clock.nowMs += 1;
    assert.deepEqual(await statuses(...paths, ...paths), [503, 503, 503, 503]);
    // A bucket that is away later has not lifted the refusal.
    fail("unavailable");
    clock.nowMs += 10_000;
    assert.deepEqual(await statuses(...paths), [503, 503]);
    bucket.fault = undefined;
    clock.nowMs += 10_000;
    assert.deepEqual(await statuses(...paths), [200, 200]);
  });

  it("is 503 with Retry-After, and the root, which balancers check, still answers", async () => {
    const { get, statuses, clock, fail } = await openWorld();
    await get();
    fail("denied");
    clock.nowMs += 3_600_000;
    const refused = await get();
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "5");
    assert.deepEqual(timesOf(refused), [0, 0, undefined]);
    assert.deepEqual(await statuses("/api/v1"), [200]);
  });

  for (const obstacle of ["unavailable", "broken"] as const) {
    it(`is shown for ever when the bucket is ${obstacle}`, async () => {
      const { get, clock, fail } = await openWorld();
      await get();
      fail(obstacle);
      clock.nowMs += 365 * 86_400_000;
      assert.equal((await get()).status, 200);
    });

    it(`is shown for the time of maxStaleSeconds when the bucket is ${obstacle}`, async () => {
      const { get, clock, fail, bucket } = await openWorld({ maxStaleSeconds: 100 });
      await get();
      fail(obstacle);
      clock.nowMs += 99_999;
      assert.equal((await get()).status, 200);
      clock.nowMs += 1;
      assert.equal((await get()).status, 503);
      bucket.fault = undefined;
      clock.nowMs += 2_000;
      assert.equal((await get()).status, 200);
    });
  }

  it("is no shorter than a second, and then asked for as often", async () => {
    for (const maxStaleSeconds of [NaN, 0.5, -1]) {
      await assert.rejects(openWorld({ maxStaleSeconds }), TypeError);
    }
    const { get, clock } = await openWorld({ maxStaleSeconds: 1 });
    await get();
    clock.nowMs += 1_000;
    assert.equal((await get()).status, 200);
  });
});

describe("the answers of a replica", () => {
  it("say when their state was published, and when the bucket confirmed it", async () => {
    const { get, clock, fail, replica, world } = await openWorld();
    clock.nowMs += 10_000;
    assert.deepEqual(timesOf(await get()), [0, 10, undefined]);
    clock.nowMs += 1_000;
    assert.deepEqual(timesOf(await get()), [0, 10, undefined]);
    clock.nowMs += 1_000;
    assert.deepEqual(timesOf(await get()), [0, 12, undefined]);
    fail("unavailable");
    clock.nowMs += 60_000;
    assert.deepEqual(timesOf(await get()), [0, 12, undefined]);
    assert.deepEqual(replica.freshness(world.helloRid), {
      publishedAtMs: NOW_MS,
      confirmedAtMs: NOW_MS + 12_000,
    });
    // Those that name no repository say it of the description of the node.
    assert.deepEqual(timesOf(await get("/api/v1/projects")), [0, 10, undefined]);
    assert.deepEqual(timesOf(await get(`/api/v1/projects/${world.secretRid}`)), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("say when a publisher was there last; its silence changes nothing else", async () => {
    const { get, clock, bucket } = await openWorld();
    clock.nowMs += 60_000;
    await bucket.put(LEASE_KEY, new TextEncoder().encode("{}"));
    bucket.reset();
    await get();
    assert.deepEqual(timesOf(await get()), [0, 60, 60]);
    assert.equal(bucket.asked.filter((key) => key === LEASE_KEY).length, 1);
    clock.nowMs += 30 * 86_400_000;
    const { status } = await get();
    assert.equal(status, 200);
    assert.equal(timesOf(await get())[2], 60);
  });
});
