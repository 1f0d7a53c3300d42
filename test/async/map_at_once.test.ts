/** Work on several items at a time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mapAtOnce } from "../../src/async/map_ahead.ts";

describe("mapAtOnce", () => {
  it("gives the results in the order of the items", async () => {
    const waits = [3, 1, 2];
    const results = await mapAtOnce(waits, 2, async (wait) => {
      for (let turn = 0; turn < wait; turn++) await Promise.resolve();
      return `after ${wait}`;
    });
    assert.deepEqual(results, ["after 3", "after 1", "after 2"]);
  });

  it("works on no more items at a time than allowed", async () => {
    let [running, most] = [0, 0];
    await mapAtOnce(Array(20).keys(), 4, async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    });
    assert.equal(most, 4);
  });

  it("begins nothing after a failure, and throws it when the rest has ended", async () => {
    const begun: string[] = [];
    const slow = Promise.withResolvers<void>();
    let hasThrown = false;
    const mapping = mapAtOnce(["slow", "failing", "later"], 2, async (name) => {
      begun.push(name);
      if (name === "failing") throw new Error("Refused");
      await slow.promise;
    }).catch((error) => {
      hasThrown = true;
      throw error;
    });
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    assert.equal(hasThrown, false);
    slow.resolve();
    await assert.rejects(mapping, /Refused/);
    assert.deepEqual(begun, ["slow", "failing"]);
  });
});
