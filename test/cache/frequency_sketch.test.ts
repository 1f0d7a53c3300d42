import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FrequencySketch, keyedHash, MAX_COUNT } from "../../src/cache/tiny_lfu_map.ts";

const hash = (n: number) => keyedHash(`key ${n}`, [1, 2]);

describe("FrequencySketch", () => {
  it("counts uses, up to the largest count", () => {
    const sketch = new FrequencySketch(64);
    assert.equal(sketch.count(hash(1)), 0);
    for (let i = 1; i <= MAX_COUNT + 5; i++) {
      sketch.use(hash(1));
      assert.equal(sketch.count(hash(1)), Math.min(i, MAX_COUNT));
    }
    assert.equal(sketch.count(hash(2)), 0);
    assert.equal(sketch.uses, MAX_COUNT + 5);
  });

  it("never counts too few, and rarely too many, of as many keys as it was made for", () => {
    const sketch = new FrequencySketch(1000);
    const usesOf = (key: number) => key % 5;
    for (let key = 0; key < 1000; key++) for (let i = 0; i < usesOf(key); i++) sketch.use(hash(key));
    let tooMany = 0;
    for (let key = 0; key < 1000; key++) {
      const count = sketch.count(hash(key));
      assert.ok(count >= usesOf(key), `key ${key}`);
      if (count > usesOf(key)) tooMany++;
    }
    assert.ok(tooMany < 50, `${tooMany} of 1000`);
  });

  it("forgets what is no longer used", () => {
    const sketch = new FrequencySketch(64);
    for (let i = 0; i < MAX_COUNT; i++) sketch.use(hash(1));
    for (const count of [7, 3, 1, 0]) {
      sketch.age();
      assert.equal(sketch.count(hash(1)), count);
    }
    assert.equal(sketch.uses, 0);
  });

  it("takes 32 bytes for each key at most, whatever is counted", () => {
    const sketch = new FrequencySketch(1000);
    for (let key = 0; key < 100_000; key++) sketch.use(hash(key));
    assert.ok(sketch.bytes <= 32 * 1000, `${sketch.bytes}`);
  });
});
