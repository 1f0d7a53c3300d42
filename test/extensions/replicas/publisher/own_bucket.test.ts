/** The bucket of one publisher: what it remembers, and what it does not do without the lease. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LostLease } from "../../../../extensions/replicas/publisher/lease.ts";
import { OwnBucket } from "../../../../extensions/replicas/publisher/own_bucket.ts";
import { ScriptedBucket } from "./scripted_bucket.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A bucket whose lease a test takes away. */
function open(limitBytes = 10_000) {
  const scripted = new ScriptedBucket();
  const lease = { isLost: false, isKnown: false };
  const fail = () => {
    throw new LostLease();
  };
  const own = new OwnBucket(scripted.bucket, {
    check: () => lease.isKnown && fail(),
    confirm: () => lease.isLost ? Promise.reject(new LostLease()) : Promise.resolve(),
  }, limitBytes);
  return { scripted, lease, own };
}

describe("the bucket of one publisher", () => {
  it("is not asked for what it has put or read", async () => {
    const { scripted, own } = open();
    await scripted.inner.put("read", bytes("read"));
    const put = await own.put("put", bytes("put"));
    for (const key of ["put", "read"]) {
      const first = await own.get(key);
      assert.ok(typeof first === "object");
      first.bytes.fill(0);
      const part = await own.get(key, { range: { start: 1, end: 3 } });
      assert.ok(typeof part === "object");
      assert.equal(new TextDecoder().decode(part.bytes), key.slice(1, 3));
      assert.equal((await own.head(key))?.size, key.length);
    }
    assert.deepEqual([await own.head("put")].map((head) => ({ etag: head?.etag })), [put]);
    assert.deepEqual(scripted.take().map(({ name, key }) => `${name} ${key}`), ["put put", "get read"]);
  });

  it("is asked for what is beyond the limit, was removed, or is another one in a list", async () => {
    const { scripted, own } = open(2_000);
    for (let i = 0; i < 10; i++) await own.put(`key${i}`, new Uint8Array(500));
    scripted.take();
    await own.get("key0");
    await own.get("key9");
    await own.delete(["key9"]);
    assert.equal(await own.get("key9"), undefined);
    await own.get("key0");
    await scripted.inner.put("key0", bytes("other"));
    for await (const entry of own.list("key0")) assert.equal(own.compare(entry), "other");
    await own.get("key0");
    assert.deepEqual(
      scripted.take().map(({ name, key }) => `${name} ${key}`),
      ["get key0", "delete key9", "get key9", "list key0", "get key0"],
    );
  });

  it("is not changed without the lease", async () => {
    const { scripted, lease, own } = open();
    lease.isKnown = true;
    await assert.rejects(own.put("a", bytes("a")), LostLease);
    await assert.rejects(own.delete(["a"]), LostLease);
    assert.deepEqual(scripted.take(), []);
  });

  it("reads the lease when a put meets another object", async () => {
    const { scripted, lease, own } = open();
    await scripted.inner.put("a", bytes("a"));
    assert.equal(await own.put("a", bytes("b"), { ifMatch: '"other"' }), "conflict");
    lease.isLost = true;
    await assert.rejects(own.put("a", bytes("b"), { ifMatch: '"other"' }), LostLease);
  });

  it("takes a new object back that it has put without the lease", async () => {
    const { scripted, lease, own } = open();
    lease.isLost = true;
    await assert.rejects(own.put("a", bytes("a"), { ifNoneMatch: "*" }), LostLease);
    assert.deepEqual(await scripted.keys(), []);
  });
});
