/** Places for git's processes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPlaces, takePlace } from "../../../extensions/git/home_git_program.ts";

describe("places for processes", () => {
  it("are not all taken by one peer", async () => {
    const places = createPlaces(4);
    const peer = "192.0.2.1";
    const first = await takePlace(places, { peer });
    await takePlace(places, { peer });
    const third = takePlace(places, { peer });
    assert.equal(places.tryEnter({ keys: [peer] }), undefined);
    await takePlace(places, { peer: "192.0.2.2" });
    await takePlace(places, {});
    assert.deepEqual([places.running, places.waiting], [4, 1]);
    first();
    await third;
    assert.deepEqual([places.running, places.waiting], [4, 0]);
  });

  it("are refused when too many wait, or a wait is too long", async () => {
    const places = createPlaces(1, { maxWaiting: 1, waitMs: 1 });
    await takePlace(places, {});
    const waiting = takePlace(places, {});
    await assert.rejects(takePlace(places, {}), { name: "UnavailableError", retryAfterSeconds: 10 });
    await assert.rejects(waiting, { name: "UnavailableError" });
    assert.equal(places.running, 1);
  });

  it("are not waited for by a client that has left", async () => {
    const places = createPlaces(1);
    const giveBack = await takePlace(places, {});
    const client = new AbortController();
    const waiting = takePlace(places, { signal: client.signal });
    client.abort();
    await assert.rejects(waiting, { name: "UnavailableError" });
    await assert.rejects(takePlace(places, { signal: client.signal }), { name: "UnavailableError" });
    giveBack();
    assert.equal(places.running, 0);
  });

  it("can be had without waiting", () => {
    const places = createPlaces(2);
    const first = places.tryEnter({ keys: ["192.0.2.1"] });
    assert.ok(first);
    assert.equal(places.tryEnter({ keys: ["192.0.2.1"] }), undefined);
    assert.ok(places.tryEnter());
    assert.equal(places.tryEnter(), undefined);
    first();
    assert.equal(places.running, 1);
  });
});
