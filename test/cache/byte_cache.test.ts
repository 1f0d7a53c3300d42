import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ByteCache, type CachedBytes } from "../../src/cache/byte_cache.ts";

const CAPACITY = 64 * 1024;
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);
const bufferOf = (cached: CachedBytes | undefined) => cached?.bytes.buffer;

describe("finished bytes", () => {
  it("are remembered with their header fields", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("a", { bytes: bytes(3, 7), headers: { "content-type": "text/plain" } });
    const cached = memory.get("a");
    assert.deepEqual(cached?.bytes, bytes(3, 7));
    assert.deepEqual(cached?.headers, { "content-type": "text/plain" });
    assert.equal(memory.get("b"), undefined);
  });

  it("are forgotten by use when memory runs out", () => {
    const memory = new ByteCache(CAPACITY);
    const ask = (key: string) => memory.get(key) ?? memory.set(key, { bytes: bytes(CAPACITY / 16) });
    const often = Array.from({ length: 12 }, (_, i) => `often ${i}`);
    for (let round = 0; round < 5; round++) often.forEach(ask);
    for (let i = 0; i < 100; i++) ask(`once ${i}`);
    assert.equal(often.filter((key) => memory.get(key) !== undefined).length, often.length);
    assert.notEqual(memory.get("once 99"), undefined, "used lately");
    assert.equal(memory.get("once 90"), undefined);
    assert.ok(memory.weight <= CAPACITY);
  });

  it("of many parts stay rather than as many bytes of one", () => {
    const memory = new ByteCache(2 ** 20);
    const parts = (name: string) =>
      Array.from({ length: 20 }, (_, i) => ({ key: `${name}, part ${i}`, start: i, end: i + 1 }));
    const ask = (name: string, withParts: boolean) =>
      memory.get(name) ?? memory.set(name, { bytes: bytes(2 ** 16) }, withParts ? parts(name) : []);
    const names = (kind: string) => Array.from({ length: 10 }, (_, i) => `${kind} ${i}`);
    for (let round = 0; round < 5; round++) {
      for (const name of names("file")) ask(name, false);
      for (const name of names("page")) ask(name, true);
    }
    assert.deepEqual(names("page").filter((name) => memory.get(name) === undefined), []);
    assert.notDeepEqual(names("file").filter((name) => memory.get(name) === undefined), []);
  });

  it("count with their keys and header fields, so that many small ones are bounded, too", () => {
    const memory = new ByteCache(CAPACITY);
    const keys = Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(1000, "."));
    for (const key of keys) memory.set(key, { bytes: bytes(0), headers: { etag: key } });
    const kept = keys.filter((key) => memory.get(key) !== undefined);
    assert.ok(kept.length > 0 && kept.length * 4000 <= CAPACITY, `${kept.length} entries`);
    assert.equal(kept.at(-1), keys.at(-1));
  });

  it("larger than a quarter of the memory are not remembered, and cost nothing else its place", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("small", { bytes: bytes(1) });
    assert.ok(!memory.admits(CAPACITY / 4));
    memory.set("large", { bytes: bytes(CAPACITY / 4) });
    assert.equal(memory.get("large"), undefined);
    assert.notEqual(memory.get("small"), undefined);
    assert.ok(memory.admits(CAPACITY / 5));
  });

  it("have parts with keys of their own, which take the place of copies", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("part", { bytes: bytes(1000, 1) });
    const apart = new ByteCache(CAPACITY);
    apart.set("part", { bytes: bytes(1000, 1) });
    apart.set("whole", { bytes: bytes(2000, 2) });
    memory.set("whole", { bytes: bytes(2000, 2) }, [{ key: "part", start: 500, end: 1500 }]);
    assert.deepEqual(memory.get("part")?.bytes, bytes(1000, 2));
    assert.equal(bufferOf(memory.get("part")), bufferOf(memory.get("whole")));
    assert.ok(memory.weight < apart.weight);
  });

  it("are dropped with their parts", () => {
    const memory = new ByteCache(CAPACITY);
    const whole = () => {
      memory.set("whole", { bytes: bytes(CAPACITY / 8) }, [{ key: "part", start: 0, end: 2 }]);
      assert.notEqual(memory.get("part"), undefined);
    };
    whole();
    memory.set("whole", { bytes: bytes(CAPACITY / 8) });
    assert.equal(memory.get("part"), undefined);
    whole();
    // Larger ones that are asked for often need its room.
    const other = { bytes: bytes(CAPACITY / 8) };
    for (let i = 0; i < 20_000; i++) {
      const key = `${i % 8}`;
      if (memory.get(key) === undefined) memory.set(key, other);
      if (i < 4) assert.notEqual(memory.get("part"), undefined, "used like the whole");
    }
    assert.equal(memory.get("whole"), undefined);
    assert.equal(memory.get("part"), undefined);
  });

  it("that are too large to be cached leave their parts where they are", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("part", { bytes: bytes(10, 1) });
    memory.set("whole", { bytes: bytes(CAPACITY) }, [{ key: "part", start: 0, end: 10 }]);
    assert.deepEqual(memory.get("part")?.bytes, bytes(10, 1));
  });

  it("are not remembered at all in no memory", () => {
    const memory = new ByteCache(0);
    assert.ok(!memory.admits(0));
    memory.set("a", { bytes: bytes(0) });
    assert.equal(memory.get("a"), undefined);
  });

  it("that are a view of a larger buffer do not hold on to it", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("a", { bytes: bytes(CAPACITY).subarray(8, 16) });
    assert.equal(bufferOf(memory.get("a"))?.byteLength, 8);
  });
});
