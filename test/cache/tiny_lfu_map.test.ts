import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TinyLfuMap } from "../../src/cache/tiny_lfu_map.ts";
import { LruMap } from "../../src/cache/lru_map.ts";

const CAPACITY = 64 * 1024;
const unit = CAPACITY / 64;

const createMap = () => new TinyLfuMap<number>(CAPACITY, { weigh: (weight) => weight });

/** Asks for a key as a service does: a value that is missing is made and set. */
function ask(map: Pick<TinyLfuMap<number>, "get" | "set">, key: string, weight = unit): boolean {
  if (map.get(key) !== undefined) return true;
  map.set(key, weight);
  return false;
}

/** Keys of a set that are found when each is asked for once. */
function hits(map: Pick<TinyLfuMap<number>, "get" | "set">, keys: readonly string[], weight = unit): number {
  return keys.filter((key) => ask(map, key, weight)).length;
}

const keysOf = (name: string, length: number) => Array.from({ length }, (_, i) => `${name} ${i}`);

describe("TinyLfuMap", () => {
  it("finds what fits in a circle that is twice as large as the map, where LRU finds nothing", () => {
    const [map, lru] = [createMap(), new LruMap<string, number>(CAPACITY, (weight) => weight)];
    const circle = keysOf("circle", 2 * CAPACITY / unit);
    for (let round = 0; round < 50; round++) {
      const [found, byLru] = [
        hits(map, circle),
        hits(lru, circle),
      ];
      assert.equal(byLru, 0);
      if (round > 0) assert.ok(found > 50, `round ${round}: ${found} of the 64 that fit`);
    }
  });

  it("finds all of a circle that fits in it", () => {
    const map = createMap();
    const circle = keysOf("circle", CAPACITY / unit);
    hits(map, circle);
    for (let round = 0; round < 20; round++) assert.equal(hits(map, circle), circle.length);
  });

  it("keeps what is used often while a stranger asks for many things once", () => {
    const map = createMap();
    const often = keysOf("often", 40);
    for (let round = 0; round < 3; round++) hits(map, often);
    for (let i = 0; i < 20_000; i++) {
      ask(map, `once ${i}`, unit * (1 + i % 8) / 2);
      if (i % 100 === 0) ask(map, often[i / 100 % often.length]!);
    }
    assert.ok(hits(map, often) >= 0.9 * often.length);
  });

  it("gives the place of what is no longer used to what is used now, however often it was used", () => {
    const map = createMap();
    const [old, now] = [keysOf("old", 56), keysOf("now", 56)];
    for (let round = 0; round < 100; round++) hits(map, old);
    for (let round = 0; round < 400; round++) hits(map, now);
    assert.equal(hits(map, now), now.length);
  });

  it("finds what was just asked for, also when it is full of what is used often", () => {
    const map = createMap();
    const often = keysOf("often", 64);
    for (let round = 0; round < 20; round++) hits(map, often);
    for (let i = 0; i < 100; i++) {
      assert.ok(!ask(map, `new ${i}`));
      assert.ok(ask(map, `new ${i}`));
    }
  });

  it("prefers what is worth more for its weight", () => {
    const map = new TinyLfuMap<{ weight: number; worth: number }>(CAPACITY, {
      weigh: ({ weight }) => weight,
      worthOf: ({ worth }) => worth,
    });
    const use = (key: string, worth: number) => {
      const isThere = map.get(key) !== undefined;
      if (!isThere) map.set(key, { weight: unit, worth });
      return isThere;
    };
    const [cheap, dear] = [keysOf("cheap", 100), keysOf("dear", 40)];
    let found = 0;
    for (let round = 0; round < 10; round++) {
      for (const key of cheap) use(key, unit);
      found = dear.filter((key) => use(key, 3 * unit)).length;
    }
    assert.equal(found, dear.length);
  });

  it("admits one large value instead of several only if these are used less", () => {
    const map = createMap();
    const small = keysOf("small", 56);
    for (let round = 0; round < 3; round++) hits(map, small);
    const large = 8 * unit;
    const isAdmittedAfter = (uses: number, key: string) => {
      for (let i = 0; i < uses; i++) ask(map, key, large);
      // Leaves the window.
      hits(map, keysOf(`after ${key}`, 8));
      return map.get(key) !== undefined;
    };
    assert.ok(!isAdmittedAfter(2, "seldom"));
    assert.equal(hits(map, small), small.length);
    assert.ok(isAdmittedAfter(8, "often"));
    assert.equal(hits(map, small), small.length - 8, "only as much left as was needed");
  });

  it("finds a value of a quarter of its capacity that was just requested, and rejects larger ones", () => {
    const map = createMap();
    const often = keysOf("often", 56);
    for (let round = 0; round < 5; round++) hits(map, often);
    for (let i = 0; i < 20; i++) {
      assert.ok(!ask(map, `large ${i}`, CAPACITY / 4));
      assert.ok(ask(map, `large ${i}`, CAPACITY / 4));
      assert.ok(!ask(map, `too large ${i}`, CAPACITY / 4 + 1));
      assert.ok(!ask(map, `too large ${i}`, CAPACITY / 4 + 1));
      hits(map, keysOf(`once ${i}`, 8));
    }
    assert.ok(often.filter((key) => map.get(key) !== undefined).length >= 48, "of the main part only once");
  });

  it("never weighs more than its capacity, and hands out each value that it has no room for", () => {
    const kept = new Set<object>();
    const map = new TinyLfuMap<{ weight: number }>(CAPACITY, {
      weigh: ({ weight }) => weight,
      onDrop: (value) => assert.ok(kept.delete(value)),
    });
    let seed = 7;
    const random = (below: number) => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) % below;
    for (let i = 0; i < 20_000; i++) {
      const key = `${random(random(400) + 1)}`;
      if (map.get(key) !== undefined && random(10) > 0) continue;
      const value = { weight: 1 + random(random(2) ? unit : 20 * unit) };
      kept.delete(map.delete(key) ?? {});
      kept.add(value);
      map.set(key, value);
      if (random(50) === 0) kept.delete(map.delete(key) ?? {});
      assert.ok(map.weight <= CAPACITY);
      assert.equal(
        [...kept as Set<{ weight: number }>].reduce((sum, { weight }) => sum + weight, 0),
        map.weight,
      );
    }
    assert.ok(map.weight > CAPACITY / 2);
  });

  it("without capacity has nothing", () => {
    const map = new TinyLfuMap<number>(0, { weigh: (weight) => weight });
    map.set("key", 1);
    assert.equal(map.get("key"), undefined);
    assert.equal(map.weight, 0);
  });
});
