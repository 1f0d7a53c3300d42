/** A replica as a service of a program, before its bucket can be served. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../extensions/replicas/bucket/memory.ts";
import { BucketError } from "../../../extensions/replicas/bucket/bucket.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import { createTestPublisher } from "../../extensions/replicas/publisher/test_publisher.ts";
import { CountingBucket } from "../../support/published.ts";
import { ALICE, createWorld } from "../../support/world.ts";
import { adapter } from "../this_runtime.ts";

describe("serveReplica", () => {
  it("answers 503 until the description of the node can be read, then knows the node", async () => {
    const world = createWorld();
    const bucket = new CountingBucket(createMemoryBucket());
    const clock = { nowMs: 1_700_000_000_000 };
    const log: string[] = [];
    bucket.fault = () => Promise.reject(new BucketError("unavailable", "away"));
    const replica = await adapter.serveReplica({
      bucket,
      listen: [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }],
      environment: { now: () => clock.nowMs, log: (level, message) => void log.push(`${level} ${message}`) },
    });
    const ask = async (path = "/api/v1/projects?show=all") => {
      const { status, headers, body } = await fetch(`${replica.urls[0]}${path}`);
      await body?.cancel();
      return `${status} ${headers.get("retry-after") ?? ""}`.trim();
    };
    const nodeId = () => replica.profile?.nodeId;
    try {
      assert.equal(nodeId(), undefined);
      for (const path of ["/", "/api/v1", "/nothing", undefined]) assert.equal(await ask(path), "503 5");
      bucket.fault = undefined;
      const node = { node: createAbsentNode(), profile: { nodeId: ALICE, pinned: () => [] } };
      await createTestPublisher(world.storage, bucket, { node, now: () => clock.nowMs }).publishAll();
      clock.nowMs += 60_000;
      assert.equal(await ask(), "200");
      assert.equal(nodeId(), ALICE);
      assert.deepEqual(log, [
        "warn The bucket cannot be read",
        `info The description of the node ${ALICE} can be read now`,
      ]);
    } finally {
      await replica.close();
    }
  });
});
