/** Places for git's processes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProcessPlaces } from "../../src/git_http/process_places.ts";

/** Lets everything that is due happen. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

/** Takes a place and notes the name when it is taken. */
function taker(places: ProcessPlaces, taken: string[]) {
  return async (name: string, peer?: string, signal?: AbortSignal) => {
    const giveBack = await places.take({ peer, signal });
    taken.push(name);
    return giveBack;
  };
}

describe("places for processes", () => {
  it("are taken in the order of arrival", async () => {
    const places = new ProcessPlaces(2);
    const taken: string[] = [];
    const take = taker(places, taken);
    const first = await take("a");
    await take("b");
    const third = take("c");
    void take("d");
    await settle();
    assert.deepEqual(taken, ["a", "b"]);
    first();
    first();
    await settle();
    assert.deepEqual(taken, ["a", "b", "c"]);
    (await third)();
    await settle();
    assert.deepEqual(taken, ["a", "b", "c", "d"]);
    assert.equal(places.taken, 2);
  });

  it("are not all taken by one peer", async () => {
    const places = new ProcessPlaces(3, { maxOfPeer: 1 });
    const taken: string[] = [];
    const take = taker(places, taken);
    const first = await take("a", "192.0.2.1");
    void take("b", "192.0.2.1");
    await take("c", "192.0.2.2");
    await take("d");
    assert.deepEqual(taken, ["a", "c", "d"]);
    first();
    await settle();
    assert.deepEqual(taken, ["a", "c", "d", "b"]);
  });

  it("are refused when too many wait, or a wait is too long", async () => {
    const places = new ProcessPlaces(1, { maxWaiting: 1, waitMs: 1 });
    await places.take({});
    const waiting = places.take({});
    await assert.rejects(places.take({}), { code: "unavailable", retryAfterSeconds: 10 });
    await assert.rejects(waiting, { code: "unavailable" });
    assert.equal(places.taken, 1);
  });

  it("are not waited for by a client that has left", async () => {
    const places = new ProcessPlaces(1);
    const giveBack = await places.take({});
    const client = new AbortController();
    const waiting = places.take({ signal: client.signal });
    client.abort();
    await assert.rejects(waiting, { code: "unavailable" });
    await assert.rejects(places.take({ signal: client.signal }), { code: "unavailable" });
    giveBack();
    assert.equal(places.taken, 0);
  });

  it("can be had without waiting", () => {
    const places = new ProcessPlaces(2);
    const first = places.takeNow({ peer: "192.0.2.1" });
    assert.ok(first);
    assert.equal(places.takeNow({ peer: "192.0.2.1" }), undefined);
    assert.ok(places.takeNow({}));
    assert.equal(places.takeNow({}), undefined);
    first();
    assert.equal(places.taken, 1);
  });

  it("are looked for, again and again, while somebody waits and all are taken", async () => {
    let looks = 0;
    const enough = Promise.withResolvers<void>();
    const places = new ProcessPlaces(1, { makeRoomMs: 1 }, () => {
      if (++looks === 3) enough.resolve();
    });
    const giveBack = await places.take({});
    assert.equal(looks, 0);
    const waiting = places.take({});
    assert.equal(looks, 1);
    await enough.promise;
    giveBack();
    (await waiting)();
    const after = looks;
    await settle();
    assert.equal(looks, after);
  });
});
