import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TinyLfuMap, UseCounts } from "../../src/cache/tiny_lfu_map.ts";

describe("UseCounts", () => {
  it("counts uses, up to the largest count", () => {
    const uses = new UseCounts(2 ** 16);
    assert.equal(uses.of("one"), 0);
    const counts = Array.from({ length: 1000 }, () => {
      uses.add("one");
      return uses.of("one");
    });
    const largest = uses.of("one");
    assert.ok(largest < 1000);
    assert.deepEqual(counts, counts.map((_, i) => Math.min(i + 1, largest)));
    assert.equal(uses.of("other"), 0);
    assert.equal(uses.sum, 1000);
  });

  it("counts each of many keys by itself", () => {
    const uses = new UseCounts(2 ** 20);
    const usesOf = (key: number) => key % 5;
    for (let key = 0; key < 1000; key++) for (let i = 0; i < usesOf(key); i++) uses.add(`key ${key}`);
    for (let key = 0; key < 1000; key++) assert.equal(uses.of(`key ${key}`), usesOf(key));
  });

  it("forgets what is no longer used", () => {
    const uses = new UseCounts(2 ** 16);
    for (let i = 0; i < 7; i++) uses.add("one");
    for (const count of [3, 1, 0]) {
      uses.halve();
      assert.equal(uses.of("one"), count);
    }
    assert.equal(uses.sum, 0);
  });

  it("is full of long keys as of many, and is not when it has forgotten them", () => {
    const uses = new UseCounts(2 ** 16);
    for (let i = 0; !uses.isFull; i++) uses.add(`${i}`.padStart(8192, "x"));
    assert.equal(uses.of("0".padStart(8192, "x")), 1);
    assert.ok(uses.sum <= 5);
    uses.halve();
    assert.ok(!uses.isFull);
    for (let i = 0; !uses.isFull; i++) uses.add(`${i}`);
    assert.ok(uses.sum > 500);
    assert.ok(uses.sum < 2 ** 10);
  });

  it("never take more memory than a map gives them, whatever is asked for", () => {
    const map = new TinyLfuMap<number>(2 ** 16, { weigh: (weight) => weight });
    let most = 0;
    for (let i = 0; i < 20_000; i++) {
      const key = `${i}`.padStart(1000, "x");
      // Each several times: none of them is forgotten when the counts are halved once.
      for (let uses = 0; uses < 20; uses++) map.get(key);
      if (map.uses.isFull) most++;
    }
    assert.equal(most, 0);
  });
});
