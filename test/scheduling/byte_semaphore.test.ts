/** Bytes in memory that several requests share. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ByteSemaphore, type Reservation } from "../../src/scheduling/byte_semaphore.ts";

/** Lets everything run that has been resolved. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

describe("bytes", () => {
  it("are there up to the bound, and again when they are given back", async () => {
    const room = new ByteSemaphore(10);
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

  it("are there for one reservation however large it is", () => {
    const room = new ByteSemaphore(10);
    assert.ok(room.tryTake(100));
    assert.equal(room.tryTake(1), undefined);
  });

  it("are handed out in the order of the requests", async () => {
    const room = new ByteSemaphore(10);
    const reservation = room.tryTake(10)!;
    const order: string[] = [];
    const all = ["a", "b", "c"].map((name) => room.take(5).then((taken) => (order.push(name), taken)));
    await settle();
    assert.deepEqual(order, []);
    reservation.release();
    const [a] = await Promise.all(all.slice(0, 2));
    assert.deepEqual(order, ["a", "b"]);
    assert.equal(room.tryTake(1), undefined);
    a!.release();
    await all[2];
    assert.deepEqual(order, ["a", "b", "c"]);
  });

  it("are not reserved for those who have left", async () => {
    const room = new ByteSemaphore(10);
    const reservation = room.tryTake(10)!;
    const leaving = new AbortController();
    const [left, stays] = [room.take(10, leaving.signal), room.take(1)];
    leaving.abort(new Error("left"));
    await assert.rejects(left, /left/);
    await assert.rejects(room.take(1, AbortSignal.abort(new Error("gone"))), /gone/);
    reservation.release();
    await stays;
    assert.equal(room.taken, 1);
  });

  it("may be reserved beyond the bound, or grow beyond it, and count once", () => {
    const room = new ByteSemaphore(10);
    const reservation = room.force(8);
    room.force(8);
    assert.deepEqual([room.taken, room.hasRoom(0)], [16, false]);
    reservation.resize(1);
    assert.deepEqual([room.taken, room.hasRoom(1)], [9, true]);
    reservation.release();
    reservation.resize(5);
    reservation.release();
    assert.equal(room.taken, 8);
  });

  it("are taken from holders that can give them back", () => {
    const held: Reservation[] = [];
    const room: ByteSemaphore = new ByteSemaphore(10, () => {
      const oldest = held.shift();
      oldest?.release();
      return oldest !== undefined;
    });
    held.push(room.force(4), room.force(4), room.force(4));
    assert.equal(room.hasRoom(6), true);
    assert.deepEqual([room.taken, held.length], [4, 1]);
  });

  it("are searched again and again while work waits", async () => {
    let isStill = false;
    const room: ByteSemaphore = new ByteSemaphore(10, () => {
      if (isStill) reservation.release();
      return isStill;
    });
    const reservation = room.force(10);
    const waiting = room.take(5);
    await settle();
    // Nobody tells the semaphore of it.
    isStill = true;
    await waiting;
    assert.equal(room.taken, 5);
  });

  it("are not reserved for those who leave behind the first", async () => {
    const room = new ByteSemaphore(10);
    const reservation = room.force(10);
    const leaving = new AbortController();
    const [first, second, third] = [room.take(5), room.take(5, leaving.signal), room.take(5)];
    leaving.abort(new Error("left"));
    await assert.rejects(second, /left/);
    reservation.release();
    await Promise.all([first, third]);
    assert.equal(room.taken, 10);
  });
});
