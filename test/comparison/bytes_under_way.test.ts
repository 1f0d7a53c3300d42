import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BytesUnderWay } from "../../src/comparison/bytes_under_way.ts";

/** Lets everything run that has been resolved. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

describe("room", () => {
  it("is there up to the limit, and again when it is given back", async () => {
    const room = new BytesUnderWay(10);
    const [one, two] = [room.tryTake(6), room.tryTake(4)];
    assert.equal(room.tryTake(1), undefined);
    two!.release();
    two!.release();
    assert.equal(room.taken, 6);
    assert.ok(room.tryTake(4));
    one!.resize(2);
    assert.ok(await room.take(4));
    assert.equal(room.taken, 10);
  });

  it("is there for one part however large it is", () => {
    const room = new BytesUnderWay(10);
    assert.ok(room.tryTake(100));
    assert.equal(room.tryTake(1), undefined);
  });

  it("is handed out in the order in which it was asked for", async () => {
    const room = new BytesUnderWay(10);
    const lease = room.tryTake(10)!;
    const order: string[] = [];
    const all = ["a", "b", "c"].map((name) => room.take(5).then((taken) => (order.push(name), taken)));
    await settle();
    assert.deepEqual(order, []);
    lease.release();
    const [a] = await Promise.all(all.slice(0, 2));
    assert.deepEqual(order, ["a", "b"]);
    assert.equal(room.tryTake(1), undefined);
    a!.release();
    await all[2];
    assert.deepEqual(order, ["a", "b", "c"]);
  });

  it("is not kept for those who have left", async () => {
    const room = new BytesUnderWay(10);
    const lease = room.tryTake(10)!;
    const leaving = new AbortController();
    const [left, stays] = [room.take(10, leaving.signal), room.take(1)];
    leaving.abort(new Error("left"));
    await assert.rejects(left, /left/);
    await assert.rejects(room.take(1, AbortSignal.abort(new Error("gone"))), /gone/);
    lease.release();
    await stays;
    assert.equal(room.taken, 1);
  });
});
