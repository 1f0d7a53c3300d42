/** Reads with a consistency token at any replica: a state at least as new, or 503. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import {
  CONSISTENCY_TOKEN_FIELD,
  type ConsistencyToken,
  TokenSigner,
} from "../../../../extensions/replicas/origin/consistency_token.ts";
import type { FetchOrigin } from "../../../../extensions/replicas/origin/forward.ts";
import { MAX_READS_BY_TOKEN } from "../../../../extensions/replicas/replica/passed_on.ts";
import { createReplica, type ReplicaOptions } from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { CountingBucket } from "../../../support/published.ts";
import { manifestKey } from "../../../../extensions/replicas/format/keys.ts";
import { ALICE, ALICE_SEED, createWorld, publish, putCommit, setHead } from "../../../support/world.ts";

const NOW_MS = 1_700_000_000_000;
const KEY = "a key that origin and replicas have";
const signer = new TokenSigner(KEY);

/** A published home, and replicas of it with an origin that answers what a test says. */
async function openWorld(answer: FetchOrigin = () => Promise.resolve(new Response("origin"))) {
  const world = createWorld();
  const { hello: repository, commits: [, , head] } = world;
  const bucket = new CountingBucket(createMemoryBucket());
  const clock = { nowMs: NOW_MS };
  const node = { node: createAbsentNode(), profile: { nodeId: ALICE, pinned: () => [] } };
  const publisher = createTestPublisher(world.storage, bucket, { node, now: () => clock.nowMs });
  await publisher.publishAll();
  let asked = 0;
  const fetch: FetchOrigin = (...request) => {
    asked++;
    return answer(...request);
  };
  const replica = async (options: Partial<ReplicaOptions> = {}) => {
    const opened = await createReplica(bucket, {
      loadLibgit2: () => Promise.reject(new Error("not needed")),
      environment: { now: () => clock.nowMs },
      origin: { url: "http://origin.example", fetch },
      tokenKey: KEY,
      ...options,
    });
    return async (token: string | undefined, { rid = repository.rid, headers = {} } = {}) => {
      const response = await opened.fetch(
        new Request(`http://localhost/api/v1/projects/${rid}`, {
          headers: { ...headers, ...(token !== undefined && { [CONSISTENCY_TOKEN_FIELD]: token }) },
        }),
      );
      const text = await response.text();
      return response.status === 200 ? (text === "origin" ? "origin" : "bucket") : response.status;
    };
  };
  /** Changes the repository, and publishes it. */
  const publishChange = async () => {
    const more = putCommit(repository, { folder: { more: "More\n" }, parents: [head], message: "More" });
    setHead(repository, more);
    publish(repository, ALICE_SEED, { master: more });
    await publisher.publishAll();
  };
  const token = (others: Partial<ConsistencyToken> = {}) =>
    signer.sign({ rid: repository.rid, digest: "0".repeat(32), atMs: NOW_MS + 1, ...others });
  return { repository, bucket, clock, replica, publishChange, token, asked: () => asked, world };
}

describe("a read with a consistency token", () => {
  it("is answered by the origin until the bucket has the state, at a replica that knows nothing", async () => {
    const { replica, token, publishChange, clock } = await openWorld();
    const read = await replica();
    assert.equal(await read(token()), "origin");
    assert.equal(await read(undefined), "bucket");
    clock.nowMs += 1000;
    await publishChange();
    // The replica would ask the bucket again in a second: for the token it does so now.
    assert.equal(await read(token()), "bucket");
    assert.equal(await (await replica())(token()), "bucket");
  });

  it("reads the bucket again once for all concurrent requests", async () => {
    const { replica, token, bucket, repository } = await openWorld();
    const read = await replica();
    await read(undefined);
    bucket.reset();
    await Promise.all(Array.from({ length: 8 }, () => read(token())));
    assert.deepEqual(bucket.asked.filter((key) => key === manifestKey(repository.rid)).length, 1);
  });

  it("is 503 while the origin is away, never an older state; others are answered", async () => {
    const { replica, token } = await openWorld(() => Promise.reject(new TypeError("refused")));
    const read = await replica();
    assert.equal(await read(token()), 503);
    assert.equal(await read(undefined), "bucket");
    assert.equal(await (await replica({ origin: undefined as never }))(token()), 503);
  });

  it("is answered by the origin while the bucket is away", async () => {
    const { replica, token, bucket } = await openWorld();
    const read = await replica();
    bucket.fault = () => Promise.reject(new BucketError("unavailable", "away"));
    assert.equal(await read(token()), "origin");
    assert.equal(await read(undefined), 503);
  });

  it("is shown while the token lives, and as to others afterwards", async () => {
    const { replica, token, clock } = await openWorld();
    const read = await replica();
    clock.nowMs += 600_000;
    assert.equal(await read(token()), "origin");
    clock.nowMs += 1;
    assert.equal(await read(token()), "bucket");
  });

  it("is as one without, when the token is forged, foreign, of the future or expired", async () => {
    const { replica, token, asked, world } = await openWorld();
    const read = await replica();
    const wrong = [
      token().slice(0, -1),
      `${token().slice(0, -1)}x`,
      `${token()}, ${token()}`,
      "x".repeat(10_000),
      new TokenSigner("another key of thirty-two characters").sign({
        rid: world.helloRid,
        digest: "0".repeat(32),
        atMs: NOW_MS + 1,
      }),
      token({ rid: world.secretRid }),
      token({ atMs: NOW_MS + 60_000 }),
      token({ atMs: NOW_MS - 600_000 }),
    ];
    for (const text of wrong) assert.equal(await read(text), "bucket", text);
    assert.equal(await (await replica({ tokenKey: undefined as never }))(token()), "bucket");
    assert.equal(asked(), 0);
  });

  it("is not passed on in circles: what came through a proxy with Via gets the bucket's state or 503", async () => {
    const { replica, token, asked } = await openWorld();
    const read = await replica();
    const headers = { via: "1.1 xylem-replica" };
    assert.equal(await read(token(), { headers }), 503);
    assert.equal(await read(token({ atMs: NOW_MS - 1 }), { headers }), "bucket");
    assert.equal(asked(), 0);
  });

  it("reveals nothing about a private repository that others do not get", async () => {
    const { replica, token, world } = await openWorld(() =>
      Promise.resolve(new Response("", { status: 404 }))
    );
    const read = await replica();
    const rid = world.secretRid;
    assert.equal(await read(undefined, { rid }), 404);
    assert.equal(await read(token({ rid }), { rid }), 404);
  });

  it(`is passed on ${MAX_READS_BY_TOKEN} at a time; further ones are 503, and others are not hindered`, async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const { replica, token, asked } = await openWorld(() => promise.then(() => new Response("origin")));
    const read = await replica();
    const reads = Array.from({ length: MAX_READS_BY_TOKEN + 3 }, () => read(token()));
    // Those that are refused end, when all have been asked.
    const refused = await Promise.race(reads);
    assert.equal(refused, 503);
    assert.equal(asked(), MAX_READS_BY_TOKEN);
    assert.equal(await read(undefined), "bucket");
    assert.equal(await read(token()), 503);
    resolve(new Response());
    const answers = await Promise.all(reads);
    assert.equal(answers.filter((answer) => answer === "origin").length, MAX_READS_BY_TOKEN);
    assert.equal(answers.filter((answer) => answer === 503).length, 3);
    assert.equal(await read(token()), "origin");
  });
});
