/** The latest changes: in how few puts they are told, and whom they never name. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import { RECENT_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { PUBLISHED_FORMAT } from "../../../../extensions/replicas/format/manifest.ts";
import {
  MAX_RECENT_CHANGES,
  RECENT,
  type RecentChanges,
} from "../../../../extensions/replicas/format/recent_changes.ts";
import {
  RECENT_PUT_MS,
  RecentChangesWriter,
} from "../../../../extensions/replicas/publisher/recent_changes_writer.ts";
import { ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";

const [A, B, C] = [
  "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji",
  "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
  "rad:z4DXA1GVio72yNrs8FFzcEJNTPBrQ",
] as const;

async function begin(lease = 7) {
  const scripted = new ScriptedBucket();
  const clock = { nowMs: 0 };
  const hidden = new Set<RepoId>();
  /** Runs before each put. */
  const script: { before: () => Promise<Error | void> | Error | void } = { before: () => {} };
  const bucket = wrapBucket(scripted.bucket, ({ name }) => name === "put" ? script.before() : undefined);
  const writer = new RecentChangesWriter({
    bucket,
    isPublic: (rid) => Promise.resolve(!hidden.has(rid)),
    nowMs: () => clock.nowMs,
  });
  writer.begin(lease);
  const read = async (): Promise<RecentChanges> => {
    const found = await scripted.inner.get(RECENT_KEY);
    assert.ok(typeof found === "object");
    return RECENT.decode(found.bytes);
  };
  const puts = () => scripted.take().filter(({ name }) => name === "put").length;
  await writer.flush();
  assert.deepEqual(await read(), { format: PUBLISHED_FORMAT, lease, told: 0, changes: [] });
  assert.equal(puts(), 1);
  clock.nowMs += RECENT_PUT_MS;
  return { scripted, bucket, clock, hidden, script, writer, read, puts };
}

describe("the latest changes", () => {
  it("take one put a second, however many they are, and no put without changes", async () => {
    const { clock, writer, read, puts } = await begin();
    writer.add(A, 1);
    await writer.flush();
    for (let i = 2; i <= 50; i++) {
      writer.add(B, i);
      writer.add(A, i);
      clock.nowMs += 20;
      await writer.flush();
    }
    assert.equal(puts(), 1);
    clock.nowMs += RECENT_PUT_MS - 49 * 20;
    await writer.flush();
    assert.deepEqual(await read(), {
      format: PUBLISHED_FORMAT,
      lease: 7,
      told: 3,
      changes: [[A, 1], [B, 50], [A, 50]],
    });
    clock.nowMs += 10 * RECENT_PUT_MS;
    await writer.flush();
    assert.equal(puts(), 1);
    writer.add(C, 1);
    await writer.flush();
    writer.add(C, 2);
    await writer.flush({ isLast: true });
    assert.equal((await read()).told, 5);
    assert.equal(puts(), 2);
  });

  it("are the last ones, and their number", async () => {
    const { clock, writer, read } = await begin();
    for (let i = 1; i <= MAX_RECENT_CHANGES + 1; i++) {
      writer.add(A, i);
      await writer.flush();
      clock.nowMs += RECENT_PUT_MS;
    }
    const { told, changes } = await read();
    assert.deepEqual([told, changes.length, changes[0]], [MAX_RECENT_CHANGES + 1, MAX_RECENT_CHANGES, [
      A,
      2,
    ]]);
  });

  it("name only public repositories: before the put, during it, and afterwards", async () => {
    const { clock, hidden, script, writer, read, puts } = await begin();
    hidden.add(A);
    writer.add(A, 1);
    await writer.flush();
    assert.equal(puts(), 0);
    script.before = () => void hidden.add(B);
    writer.add(B, 1);
    writer.add(C, 1);
    await writer.flush();
    assert.deepEqual((await read()).changes, [null, [C, 1]]);
    script.before = () => {};
    clock.nowMs += RECENT_PUT_MS;
    writer.add(C, 2);
    await writer.hide([C]);
    assert.deepEqual((await read()).changes, [null, null]);
    assert.equal((await read()).told, 2);
    puts();
    await writer.hide([A, B, C]);
    await writer.flush();
    assert.equal(puts(), 0);
  });

  it("are reported later when a put fails, by other numbers, and what was to be hidden is", async () => {
    const { clock, script, writer, read, puts } = await begin();
    // It took effect.
    script.before = () => new BucketError("unavailable", "504");
    writer.add(A, 1);
    await assert.rejects(writer.flush(), BucketError);
    assert.deepEqual((await read()).changes, [[A, 1]]);
    script.before = () => {};
    writer.add(A, 2);
    await writer.flush();
    assert.deepEqual(await read(), {
      format: PUBLISHED_FORMAT,
      lease: 7,
      told: 2,
      changes: [[A, 1], [A, 2]],
    });
    script.before = () => Promise.reject(new BucketError("unavailable", "500"));
    await assert.rejects(writer.hide([A]), BucketError);
    assert.deepEqual((await read()).changes, [[A, 1], [A, 2]]);
    script.before = () => {};
    puts();
    await writer.flush();
    assert.deepEqual((await read()).changes, [null, null]);
    clock.nowMs += RECENT_PUT_MS;
    await writer.flush();
    assert.equal(puts(), 1);
  });

  it("begin again with another lease, and replace the present object", async () => {
    const { scripted, clock, writer, read } = await begin();
    writer.add(A, 1);
    await writer.flush();
    writer.add(B, 1);
    writer.begin(9);
    await scripted.inner.put(RECENT_KEY, new Uint8Array(2 ** 20));
    await writer.flush();
    assert.deepEqual(await read(), { format: PUBLISHED_FORMAT, lease: 9, told: 0, changes: [] });
    clock.nowMs += RECENT_PUT_MS;
    await scripted.inner.delete([RECENT_KEY]);
    writer.add(C, 4);
    await writer.flush();
    assert.deepEqual((await read()).changes, [[C, 4]]);
    await scripted.inner.put(RECENT_KEY, new Uint8Array(10));
    await writer.renew();
    assert.deepEqual((await read()).changes, [[C, 4]]);
  });
});
