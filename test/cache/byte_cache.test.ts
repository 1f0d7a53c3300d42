import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ByteCache, ENTRY_BYTES } from "../../src/cache/byte_cache.ts";

const CAPACITY = 64 * 1024;
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);

describe("finished bytes", () => {
  it("are remembered with their header fields", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("a", { bytes: bytes(3, 7), headers: { "content-type": "text/plain" } });
    assert.deepEqual(memory.get("a"), { bytes: bytes(3, 7), headers: { "content-type": "text/plain" } });
    assert.equal(memory.get("b"), undefined);
  });

  it("are forgotten by use when memory runs out", () => {
    const memory = new ByteCache(CAPACITY);
    const size = CAPACITY / 4 - ENTRY_BYTES - 2;
    for (const key of ["a", "b", "c", "d"]) memory.set(key, { bytes: bytes(size) });
    memory.get("a");
    memory.set("e", { bytes: bytes(size) });
    assert.deepEqual(["a", "b", "c", "d", "e"].filter((key) => memory.get(key) !== undefined), [
      "a",
      "c",
      "d",
      "e",
    ]);
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
    assert.ok(memory.admits(CAPACITY / 4 - ENTRY_BYTES));
  });

  it("have parts with keys of their own, which take the place of copies", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("part", { bytes: bytes(1000, 1) });
    const alone = memory.weight;
    memory.set("whole", { bytes: bytes(2000, 2) }, [{ key: "part", start: 500, end: 1500 }]);
    assert.deepEqual(memory.get("part")?.bytes, bytes(1000, 2));
    assert.equal(memory.get("part")?.bytes.buffer, memory.get("whole")?.bytes.buffer);
    assert.ok(memory.weight < alone + 2000 + ENTRY_BYTES);
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
    for (let i = 0; i < 20; i++) {
      memory.set(`${i}`, { bytes: bytes(CAPACITY / 8) });
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
    assert.equal(memory.get("a")?.bytes.buffer.byteLength, 8);
  });
});
