/** What a replica takes from the latest changes, and when it trusts them: what a stranger may have written, too. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { LEASE_KEY, RECENT_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { LEASE } from "../../../../extensions/replicas/format/lease_record.ts";
import {
  MAX_RECENT_BYTES,
  MAX_RECENT_CHANGES,
  RECENT,
  type RecentChanges,
} from "../../../../extensions/replicas/format/recent_changes.ts";
import { encodeSealed } from "../../../../extensions/replicas/format/sealed_json.ts";
import { createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import type { ChangesPlace } from "../../../../src/ports/catalogued_storage.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { damaged } from "../format/fuzz.ts";
import { CountingBucket } from "../../../support/published.ts";
import { createWorld } from "../../../support/world.ts";

const A = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const B = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const FRESH_MS = 2000;
/** The lease is read as often (docs/replicas.md, "Age"). */
const SIGN_MS = 30_000;
const TOLD: RecentChanges = { format: 5, lease: 4, told: 12, changes: [[A, 1], null, [B, 1], [A, 2]] };
const NOTHING = { place: undefined, rids: [], hasMissed: true };

async function open(recent: RecentChanges | null = TOLD) {
  const clock = { nowMs: 1_700_000_000_000 };
  const bucket = new CountingBucket(createMemoryBucket({ now: () => clock.nowMs }));
  const storage = createBucketStorage(bucket, {
    freshSeconds: FRESH_MS / 1000,
    environment: { now: () => clock.nowMs },
  });
  const putLease = (number: number) =>
    bucket.put(LEASE_KEY, LEASE.encode({ holder: "somebody", number, beat: 1 }));
  const put = (bytes: Uint8Array<ArrayBuffer>) => bucket.put(RECENT_KEY, bytes);
  await putLease(4);
  if (recent !== null) await put(RECENT.encode(recent));
  /** Asks when the bucket is asked, too. */
  const ask = (place?: ChangesPlace) => {
    clock.nowMs += FRESH_MS;
    return storage.changesAfter(place);
  };
  return { clock, bucket, storage, put, putLease, ask };
}

describe("the latest changes at a replica", () => {
  it("are those after a place", async () => {
    const { ask } = await open();
    const place = { log: 4, told: 12 };
    assert.deepEqual(await ask(), { place, rids: [], hasMissed: true });
    assert.deepEqual(await ask(place), { place, rids: [], hasMissed: false });
    assert.deepEqual(await ask({ log: 4, told: 11 }), { place, rids: [A], hasMissed: false });
    assert.deepEqual(await ask({ log: 4, told: 9 }), { place, rids: [B, A], hasMissed: false });
    assert.deepEqual(await ask({ log: 4, told: 8 }), { place, rids: [A, B, A], hasMissed: false });
  });

  it("may have others before them: after a gap, of another publisher, and of an earlier state", async () => {
    const { ask } = await open();
    const all = { place: { log: 4, told: 12 }, rids: [A, B, A], hasMissed: true };
    assert.deepEqual(await ask({ log: 4, told: 7 }), all);
    assert.deepEqual(await ask({ log: 3, told: 12 }), all);
    assert.deepEqual(await ask({ log: 4, told: 13 }), all);
  });

  it("are not trusted when another publisher has the lease, or it cannot be read", async () => {
    const { ask, putLease, bucket, clock } = await open();
    const place = { log: 4, told: 12 };
    await ask();
    await putLease(5);
    clock.nowMs += SIGN_MS;
    assert.deepEqual(await ask(place), NOTHING);
    await putLease(4);
    assert.deepEqual(await ask(place), { place, rids: [], hasMissed: false });
    for (const bytes of [new Uint8Array(), new Uint8Array(100), new TextEncoder().encode('{"number":"4"}')]) {
      await bucket.put(LEASE_KEY, bytes);
      clock.nowMs += SIGN_MS;
      assert.deepEqual(await ask(place), NOTHING);
    }
  });

  it("are not there when they are missing, damaged, too many, too long, or of another format", async () => {
    const { ask, put, bucket, storage } = await open(null);
    assert.deepEqual(await ask(), NOTHING);
    const sound = RECENT.encode(TOLD);
    const more = Array.from({ length: MAX_RECENT_CHANGES + 1 }, () => [A, 1]);
    const wrong = [
      ...damaged(sound, 25),
      new Uint8Array(MAX_RECENT_BYTES + 1),
      new Uint8Array(2 ** 24),
      ...[
        { ...TOLD, format: 2 },
        { ...TOLD, format: 3 },
        { ...TOLD, more: 1 },
        { ...TOLD, lease: 0 },
        { ...TOLD, told: 3 },
        { ...TOLD, told: 2 ** 53 },
        { ...TOLD, told: 1000, changes: more },
        { ...TOLD, changes: [[A, 0]] },
        { ...TOLD, changes: [[A]] },
        { ...TOLD, changes: [["../../x", 1]] },
        { ...TOLD, changes: [[A.slice("rad:".length), 1]] },
        { ...TOLD, changes: [{ rid: A }] },
        [],
        null,
      ].map(encodeSealed),
    ];
    for (const bytes of wrong) {
      await put(bytes);
      assert.deepEqual(await ask({ log: 4, told: 12 }), NOTHING);
    }
    await put(sound);
    assert.deepEqual((await ask()).place, { log: 4, told: 12 });
    bucket.fault = () => Promise.reject(new Error("broken"));
    assert.deepEqual(await ask({ log: 4, told: 12 }), NOTHING);
    bucket.fault = undefined;
    assert.deepEqual((await ask({ log: 4, told: 12 })).hasMissed, false);
    assert.equal(await storage.repository(A), undefined);
  });

  it("cost a read in half the time for which a manifest is trusted, and few of the lease", async () => {
    const { clock, bucket, storage } = await open();
    await storage.changesAfter(undefined);
    bucket.reset();
    const steps = 600;
    for (let i = 0; i < steps; i++) {
      clock.nowMs += 100;
      await storage.changesAfter({ log: 4, told: 12 });
    }
    const count = (wanted: string) => bucket.asked.filter((key) => key === wanted).length;
    assert.equal(count(RECENT_KEY), steps * 100 / (FRESH_MS / 2));
    assert.equal(count(LEASE_KEY), steps * 100 / SIGN_MS);
  });

  it("make fresh repositories and lists be read again", async () => {
    const world = createWorld();
    const clock = { nowMs: 1_700_000_000_000 };
    const bucket = new CountingBucket(createMemoryBucket());
    const publisher = createTestPublisher(world.storage, bucket);
    await publisher.publishAll();
    const storage = createBucketStorage(bucket, {
      freshSeconds: 3600,
      environment: { now: () => clock.nowMs },
    });
    const { helloRid, hello } = world;
    const headOf = async () => (await (await storage.repository(helloRid))!.ref("refs/heads/other"))?.oid;
    const rowOf = async () => {
      for await (const { listing } of (await storage.listings()).all()) return listing?.head;
    };
    const { place } = await storage.changesAfter(undefined);
    const before = await rowOf();
    assert.equal(await headOf(), undefined);
    hello.setRef("refs/heads/other", world.commits[0]);
    await publisher.publishAll();
    assert.equal(await headOf(), undefined);
    clock.nowMs += 1_800_000;
    const changed = await storage.changesAfter(place);
    assert.deepEqual([changed.rids, changed.hasMissed], [[helloRid], false]);
    assert.equal(await headOf(), world.commits[0]);
    assert.equal(await rowOf(), before);
    bucket.reset();
    await headOf();
    await rowOf();
    await storage.changesAfter(changed.place);
    assert.equal(bucket.reads, 0);
  });
});
