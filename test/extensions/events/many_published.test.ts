/** Live changes at a replica of many repositories: how soon each is told, and what that costs the bucket. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LiveChanges } from "../../../extensions/events/live_changes.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { createMemoryBucket } from "../../../extensions/replicas/bucket/memory.ts";
import { LEASE_KEY, RECENT_KEY } from "../../../extensions/replicas/format/keys.ts";
import { createBucketStorage } from "../../../extensions/replicas/storage/storage.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";
import { createTestPublisher } from "../replicas/publisher/test_publisher.ts";
import { wrapBucket } from "../replicas/publisher/scripted_bucket.ts";
import { FakeTimers } from "../../support/fake_timers.ts";
import { CountingBucket } from "../../support/published.ts";
import { createRepository, putCommit, setHead } from "../../support/world.ts";
import { liveParts } from "./live_parts.ts";

const REPOSITORIES = 64;
// As docs/api.md (4.16) says.
const FRESH_MS = 2_000;
const [CHECK_MS, ASKED_IN_A_LOOK] = [400, 16];
/** Time in which each repository has had a turn. */
const SWEEP_MS = CHECK_MS * (1 + Math.ceil(REPOSITORIES / ASKED_IN_A_LOOK));
/** Longer than changes are looked for when nobody listens, and than a lease is trusted. */
const [LONG_MS, LEASE_MS] = [120_000, 30_000];
/** Time between two looks of a test whether something was told, in milliseconds. */
const STEP_MS = 100;

async function openReplica() {
  const storage = createMemoryStorage();
  const repositories = Array.from({ length: REPOSITORIES }, (_, i) => {
    const repository = createRepository(storage, { name: `many-${i}` });
    setHead(repository, putCommit(repository, { folder: { README: `${i}` }, message: "One\n" }));
    return repository;
  });
  const inner = createMemoryBucket();
  const bucket = new CountingBucket(inner);
  const publisher = createTestPublisher(storage, inner);
  await publisher.publishAll();
  const timers = new FakeTimers();
  const changes = new LiveChanges({
    storage: createBucketStorage(bucket, {
      freshSeconds: FRESH_MS / 1000,
      environment: { now: timers.now },
    }),
    ...liveParts(timers),
  });
  let told: { readonly type: string; readonly rid?: RepoId }[] = [];
  let lastId: string | undefined;
  /** Listens from here on, or goes on where the last listener has ended. */
  const listen = async (goesOn = false) => {
    const { stream, end } = await changes.open({ isOwner: false, lastId: goesOn ? lastId : undefined });
    told = [];
    void (async () => {
      for await (const bytes of stream) {
        const text = new TextDecoder().decode(bytes);
        for (const [, data] of text.matchAll(/^data: (.*)$/gm)) told.push(JSON.parse(data!));
        for (const [, id] of text.matchAll(/^id: (.*)$/gm)) lastId = id;
      }
    })();
    await timers.advance(0);
    return end;
  };
  let branches = 0;
  /** Moves a reference that no list shows. */
  const move = (number: number) => {
    const repository = repositories[number]!;
    repository.setRef(`refs/heads/side-${branches++}`, repository.ref("refs/heads/master")!.oid!);
    return repository.rid;
  };
  /** Time until something is told of a repository, and what. */
  const heard = async (rid: RepoId, limitMs: number) => {
    const startMs = timers.nowMs;
    for (;;) {
      const found = told.find((one) => one.rid === rid);
      if (found !== undefined) return { type: found.type, ms: timers.nowMs - startMs };
      if (timers.nowMs - startMs > limitMs) return undefined;
      await timers.advance(STEP_MS);
    }
  };
  return { storage, repositories, inner, bucket, publisher, timers, changes, listen, move, heard };
}

describe("changes of many published repositories", () => {
  it("are each reported within a second and the time for which a manifest is trusted, for few reads", async () => {
    const { publisher, bucket, timers, changes, listen, move, heard } = await openReplica();
    await listen();
    await timers.advance(SWEEP_MS);
    for (const number of [0, 37, REPOSITORIES - 1, 12, 37]) {
      const rid = move(number);
      await publisher.publishAll();
      const { type, ms } = (await heard(rid, SWEEP_MS))!;
      assert.equal(type, "references");
      assert.ok(ms <= FRESH_MS / 2 + CHECK_MS + STEP_MS, `after ${ms} ms`);
      await listen();
    }
    await timers.advance(FRESH_MS * 2);
    bucket.reset();
    const seconds = 60;
    await timers.advance(1000 * seconds);
    const manifests = bucket.asked.filter((key) => key.endsWith("/manifest.json")).length;
    assert.ok(manifests <= 1000 * seconds / CHECK_MS + 1, `${manifests} manifests`);
    const others = 2 / FRESH_MS + 1 / FRESH_MS + 1 / LEASE_MS;
    assert.ok(bucket.reads - manifests <= 1000 * seconds * others + 3, `${bucket.reads} reads`);
    await changes.close();
  });

  it("report repositories that come and go, also when the latest changes do not name them", async () => {
    const { storage, inner, publisher, timers, changes, listen, heard } = await openReplica();
    await listen();
    await timers.advance(SWEEP_MS);
    for (const isNamed of [true, false]) {
      const publish = async () => {
        await publisher.publishAll();
        if (!isNamed) await inner.delete([RECENT_KEY]);
        await listen();
      };
      const { rid } = createRepository(storage, { name: `comes-${isNamed}` });
      await publish();
      assert.equal((await heard(rid, FRESH_MS + 1000))?.type, "repository");
      storage.delete(rid);
      await publish();
      assert.equal((await heard(rid, FRESH_MS + 1000))?.type, "repository");
    }
    await changes.close();
  });

  it("are a reset while it is not known how a repository was before", async () => {
    const { publisher, changes, listen, move, heard, timers } = await openReplica();
    await listen();
    // Most are not looked at before the changes; some are between a change and the time when it is told.
    const rids = Array.from({ length: REPOSITORIES / 4 }, (_, i) => move(4 * i));
    await publisher.publishAll();
    const startMs = timers.nowMs;
    const types: string[] = [];
    for (const rid of rids) types.push((await heard(rid, FRESH_MS + SWEEP_MS))!.type);
    assert.ok(timers.nowMs - startMs < FRESH_MS + 1000);
    const resets = types.filter((type) => type === "reset").length;
    assert.ok(resets > rids.length / 2, `${types}`);
    assert.ok(types.every((type) => type === "reset" || type === "references"), `${types}`);
    await timers.advance(SWEEP_MS);
    await listen();
    const rid = move(4);
    await publisher.publishAll();
    assert.equal((await heard(rid, FRESH_MS + 1000))!.type, "references");
    await changes.close();
  });

  it("are found in rounds when they are not reported, or reported without the lease", async () => {
    const { storage, inner, publisher, timers, changes, listen, move, heard } = await openReplica();
    await listen();
    await timers.advance(SWEEP_MS);
    await inner.delete([RECENT_KEY]);
    let rid = move(30);
    const silent = wrapBucket(inner, ({ name, key }) => {
      if (name === "put" && key === RECENT_KEY) throw new Error("not put");
    });
    // The publisher of an earlier version, which puts no such object.
    const quiet = (bucket = inner) => createTestPublisher(storage, bucket);
    await assert.rejects(quiet(silent).publishAll());
    await quiet().publishAll();
    await inner.delete([RECENT_KEY]);
    assert.equal((await heard(rid, FRESH_MS + CHECK_MS + SWEEP_MS))?.type, "references");
    // It is killed with the manifest in the bucket, and what it has told is that of the one before.
    await listen();
    await publisher.publishAll();
    await timers.advance(LEASE_MS + SWEEP_MS);
    const told = await inner.get(RECENT_KEY);
    assert.ok(typeof told === "object");
    rid = move(31);
    await quiet().publishAll();
    await inner.put(RECENT_KEY, told.bytes);
    assert.equal((await heard(rid, LEASE_MS + SWEEP_MS))?.type, "references");
    assert.ok(await inner.head(LEASE_KEY));
    await changes.close();
  });

  it("that happened without readers are reported exactly, and so are changes after a new publisher", async () => {
    const { storage, inner, publisher, timers, changes, listen, move, heard } = await openReplica();
    const leave = await listen();
    await timers.advance(SWEEP_MS);
    leave();
    await timers.advance(LONG_MS);
    let rid = move(50);
    await publisher.publishAll();
    await listen(true);
    assert.equal((await heard(rid, FRESH_MS + 1000))?.type, "references");
    rid = move(51);
    const next = createTestPublisher(storage, inner);
    await next.publishAll();
    assert.equal((await heard(rid, FRESH_MS + 1000))?.type, "references");
    await changes.close();
  });
});
