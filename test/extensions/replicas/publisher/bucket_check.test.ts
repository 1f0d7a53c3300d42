/** What a check of a bucket finds, without the home. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import {
  CATALOGUE_KEY,
  contentKey,
  LEASE_KEY,
  manifestKey,
  NODE_KEY,
  RECENT_KEY,
  repositoryPrefix,
  sha256Of,
} from "../../../../extensions/replicas/format/keys.ts";
import { checkBucket, type Damage } from "../../../../extensions/replicas/publisher/bucket_check.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { ALICE, createWorld } from "../../../support/world.ts";
import { ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";
import { createDerive, createTestPublisher, publisherParts } from "./test_publisher.ts";

const NOW_MS = 1_700_000_000_123;

/** A published home. */
async function publish() {
  const world = createWorld();
  const scripted = new ScriptedBucket();
  const publisher = createTestPublisher(world.storage, scripted.inner, {
    derive: createDerive(),
    now: () => NOW_MS,
    node: { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() },
  });
  await publisher.publishAll();
  const { unpack } = publisherParts(world.storage, scripted.inner);
  const check = async (bucket: Bucket = scripted.inner) => {
    const damages: Damage[] = [];
    const report = await checkBucket({ bucket, unpack }, (damage) => damages.push(damage));
    assert.equal(report.damaged, damages.length);
    return { report, damages };
  };
  return { world, scripted, publisher, check };
}

describe("a check of a bucket", () => {
  it("finds no damage in a sound one, and reports its contents and its age", async () => {
    const { scripted, check } = await publish();
    const { report, damages } = await check();
    assert.deepEqual(damages, []);
    const { objects, bytes, ...others } = report;
    const counted = (await scripted.keys()).filter((key) => key.includes("/"));
    assert.equal(objects, counted.length);
    assert.ok(bytes > 1000);
    assert.deepEqual(others, {
      repositories: 1,
      clones: 0,
      unreferenced: 0,
      unreferencedBytes: 0,
      publishedAtMs: NOW_MS,
      publisherSeenAtMs: (await scripted.inner.head(LEASE_KEY))!.modifiedMs,
      damaged: 0,
    });
  });

  it("finds each missing object, and each object with a changed byte", async () => {
    const { scripted, check } = await publish();
    const keys = (await scripted.keys()).filter((key) => key !== LEASE_KEY);
    assert.ok(keys.length > 5);
    for (const key of keys) {
      const found = await scripted.inner.get(key);
      assert.ok(typeof found === "object");
      const bytes = found.bytes.slice();
      bytes[bytes.length >> 1]! ^= 1;
      await scripted.inner.put(key, bytes);
      assert.ok((await check()).damages.some((one) => one.key === key && one.problem === "damaged"), key);
      await scripted.inner.delete([key]);
      const { damages } = await check();
      const gone = damages.find((one) => one.key === key);
      const problem = key.endsWith("manifest.json") ? "without a manifest" : "missing";
      // Earlier publishers put none of the latest changes.
      assert.equal(gone?.problem, key === RECENT_KEY ? undefined : problem, key);
      await scripted.inner.put(key, found.bytes);
    }
    assert.deepEqual((await check()).damages, []);
  });

  it("counts what nothing names, and finds repositories that no list has", async () => {
    const { world, scripted, check } = await publish();
    const bytes = new TextEncoder().encode("stray");
    await scripted.inner.put(`${repositoryPrefix(world.helloRid)}of-another-program`, bytes);
    assert.deepEqual((await check()).damages, []);
    await scripted.inner.put(contentKey(world.helloRid, "derived", sha256Of(bytes)), bytes);
    const { report, damages } = await check();
    assert.deepEqual([damages, report.unreferenced, report.unreferencedBytes], [[], 1, bytes.length]);
    await scripted.inner.delete([CATALOGUE_KEY, NODE_KEY]);
    assert.deepEqual((await check()).damages, [
      { key: NODE_KEY, problem: "missing" },
      { key: CATALOGUE_KEY, problem: "missing" },
      { key: manifestKey(world.helloRid), problem: "not in the catalogue" },
    ]);
  });

  it("is not misled by a publisher that puts another state meanwhile", async () => {
    const { world, scripted, publisher, check } = await publish();
    let isMoved = false;
    const bucket = wrapBucket(scripted.inner, async ({ name, key }) => {
      if (isMoved || name !== "get" || key !== manifestKey(world.helloRid)) return;
      isMoved = true;
      world.hello.setRef("refs/heads/other", world.hello.ref("refs/heads/master")!.oid!);
      await publisher.publishAll();
    });
    const { damages } = await check(bucket);
    assert.ok(isMoved);
    assert.deepEqual(damages, []);
  });
});
