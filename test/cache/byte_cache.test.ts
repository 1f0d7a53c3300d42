import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { compression } from "../../adapters/node/zlib.ts";
import {
  ByteCache,
  type CachedBytes,
  ENTRY_BYTES,
  FRAME_BYTES,
  joinPieces,
  PACKED_FROM_BYTES,
  PACKING_SHARE,
} from "../../src/cache/byte_cache.ts";
import { isSameBytes } from "../../src/bytes/bytes.ts";
import type { Compression } from "../../src/ports/compression.ts";

const CAPACITY = 64 * 1024;
const bytes = (length: number, value = 1) => new Uint8Array(length).fill(value);
const bytesOf = (cached: CachedBytes | undefined) => cached && joinPieces(cached.pieces);
const bufferOf = (cached: CachedBytes | undefined) => cached?.pieces[0]?.().buffer;

describe("finished bytes", () => {
  it("are remembered with their header fields", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("a", { bytes: bytes(3, 7), headers: { "content-type": "text/plain" } });
    const cached = memory.get("a");
    assert.deepEqual(bytesOf(cached), bytes(3, 7));
    assert.equal(cached?.length, 3);
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
    assert.ok(memory.admits(CAPACITY / 4 - ENTRY_BYTES));
  });

  it("have parts with keys of their own, which take the place of copies", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("part", { bytes: bytes(1000, 1) });
    const alone = memory.weight;
    memory.set("whole", { bytes: bytes(2000, 2) }, [{ key: "part", start: 500, end: 1500 }]);
    assert.deepEqual(bytesOf(memory.get("part")), bytes(1000, 2));
    assert.equal(bufferOf(memory.get("part")), bufferOf(memory.get("whole")));
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
    // Larger ones that are asked for often need its room.
    for (let i = 0; i < 200; i++) {
      const key = `${i % 8}`;
      if (memory.get(key) === undefined) memory.set(key, { bytes: bytes(CAPACITY / 8) });
      if (i < 4) assert.notEqual(memory.get("part"), undefined, "used like the whole");
    }
    assert.equal(memory.get("whole"), undefined);
    assert.equal(memory.get("part"), undefined);
  });

  it("that are too large to be cached leave their parts where they are", () => {
    const memory = new ByteCache(CAPACITY);
    memory.set("part", { bytes: bytes(10, 1) });
    memory.set("whole", { bytes: bytes(CAPACITY) }, [{ key: "part", start: 0, end: 10 }]);
    assert.deepEqual(bytesOf(memory.get("part")), bytes(10, 1));
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

describe("bytes that are packed", () => {
  const LARGE = 2 ** 20;
  /** JSON-like text, other text for each seed. */
  const text = (length: number, seed = 1) => {
    const lines = Array.from({ length: length / 8 + 1 }, (_, i) => `${seed}: line ${i % 997}\n`);
    return new TextEncoder().encode(lines.join("")).slice(0, length);
  };
  /** A cache, and a wait until nothing is being packed. */
  const createPacking = (capacity: number, given: Compression = compression!) => {
    const under = new Set<Promise<unknown>>();
    let packed = 0;
    const memory = new ByteCache(capacity, {
      ...given,
      pack(bytes) {
        packed++;
        const result = given.pack(bytes);
        under.add(result);
        return result.finally(() => under.delete(result));
      },
    });
    const settle = async () => {
      for (let turns = 0; turns < 5 || under.size > 0; turns++) {
        await Promise.allSettled(under);
        await new Promise((next) => setImmediate(next));
      }
    };
    return { memory, settle, packed: () => packed };
  };
  const isThere = (cached: CachedBytes | undefined, bytes: Uint8Array) => {
    assert.ok(cached !== undefined && isSameBytes(bytesOf(cached)!, bytes));
    assert.equal(cached.length, bytes.length);
  };

  it("are found in a circle several times as large as the memory, with their header fields", async () => {
    const { memory, settle } = createPacking(LARGE);
    const keys = Array.from({ length: 64 }, (_, i) => `${i}`);
    for (const key of keys) {
      memory.get(key);
      memory.set(key, { bytes: text(LARGE / 16, Number(key)), headers: { etag: key } });
      await settle();
      assert.ok(memory.weight <= LARGE * (1 + PACKING_SHARE));
    }
    for (let round = 0; round < 3; round++) {
      for (const key of keys) {
        isThere(memory.get(key), text(LARGE / 16, Number(key)));
        assert.deepEqual(memory.get(key)?.headers, { etag: key });
        await settle();
        assert.ok(memory.weight <= LARGE * (1 + PACKING_SHARE));
      }
    }
  });

  it("come in pieces when they are long, as do their parts", async () => {
    const { memory, settle } = createPacking(24 * LARGE);
    const whole = text(5 * LARGE);
    const places = [[0, 10], [FRAME_BYTES - 5, FRAME_BYTES + 5], [LARGE, 3 * LARGE], [
      whole.length - 7,
      whole.length,
    ]];
    const parts = places.map(([start, end]) => ({ key: `from ${start}`, start: start!, end: end! }));
    memory.set("whole", { bytes: whole }, parts);
    assert.equal(memory.get("whole")?.pieces.length, 1);
    const other = text(2 * LARGE, 2);
    for (let i = 0; i < 20; i++) {
      for (let use = 0; use < 9; use++) memory.get(`${i}`);
      memory.set(`${i}`, { bytes: other });
      await settle();
    }
    const cached = memory.get("whole");
    assert.equal(cached?.pieces.length, 10);
    assert.ok(cached?.pieces.every((piece) => piece().length <= FRAME_BYTES));
    isThere(cached, whole);
    for (const { key, start, end } of parts) isThere(memory.get(key), whole.slice(start, end));
    assert.equal(memory.get("from 0")?.pieces.length, 1);
    assert.equal(memory.get(`from ${FRAME_BYTES - 5}`)?.pieces.length, 2);
  });

  it("stay as they are again when they are used more than others, long ones after a while", async () => {
    const { memory, settle } = createPacking(16 * LARGE);
    const length = 2 * LARGE;
    const fill = async (name: string, count: number) => {
      for (let i = 0; i < count; i++) {
        memory.get(`${name} ${i}`);
        memory.set(`${name} ${i}`, { bytes: text(length, i) });
        await settle();
      }
    };
    const isPlain = (key: string) => memory.get(key)?.pieces.length === 1;
    await fill("circle", 20);
    const [plain, packed] = [0, 1].map((frames) =>
      Array.from({ length: 20 }, (_, i) => `circle ${i}`).filter((key) => isPlain(key) === (frames === 0))
    );
    assert.ok(plain!.length >= 5 && packed!.length >= 5, `${plain!.length} plain`);
    const often = packed![0]!;
    // Unpacking waits for time slices, for as many ticks as they take.
    for (let use = 0; use < 100_000 && !isPlain(often); use++) await settle();
    assert.ok(isPlain(often));
    isThere(memory.get(often), text(length, Number(often.split(" ")[1])));
    assert.ok(memory.weight <= 16 * LARGE * (1 + PACKING_SHARE));
    // It stays plain while others are used once.
    await fill("other", 20);
    assert.ok(isPlain(often));
  });

  it("are as they were when packing makes them no smaller", async () => {
    const { memory, settle } = createPacking(LARGE);
    let seed = 1;
    const random = () =>
      Uint8Array.from({ length: LARGE / 32 }, () => (seed = Math.imul(seed, 69069) + 1) >>> 24);
    const all = Array.from({ length: 40 }, random);
    for (const [i, bytes] of all.entries()) {
      memory.set(`${i}`, { bytes });
      await settle();
    }
    const found = all.filter((bytes, i) => {
      const cached = memory.get(`${i}`);
      if (cached !== undefined) isThere(cached, bytes);
      return cached !== undefined;
    });
    assert.ok(found.length >= 24 && memory.weight <= LARGE * (1 + PACKING_SHARE), `${found.length}`);
  });

  it("are not those that a stranger asked for once, when others take the room", async () => {
    const { memory, settle, packed } = createPacking(LARGE);
    const ask = async (key: string, seed: number) => {
      if (memory.get(key) === undefined) memory.set(key, { bytes: text(LARGE / 16, seed) });
      await settle();
    };
    const often = Array.from({ length: 60 }, (_, i) => `often ${i}`);
    // Small ones, which are not packed, fill the rest of the room.
    for (let i = 0; i < 4000; i++) {
      memory.get(`small ${i}`);
      memory.set(`small ${i}`, { bytes: text(PACKED_FROM_BYTES - 1) });
    }
    for (let round = 0; round < 4; round++) {
      for (const [i, key] of often.entries()) await ask(key, i);
    }
    const before = packed();
    for (let i = 0; i < 200; i++) await ask(`once ${i}`, i);
    assert.ok(packed() - before < 100, `${packed() - before} packed`);
    for (const key of often) assert.notEqual(memory.get(key), undefined, key);
  });

  it("can be replaced meanwhile, and are forgotten with their parts when they cannot be packed", async () => {
    const { memory, settle } = createPacking(LARGE, {
      ...compression!,
      pack: () => Promise.reject(new Error("no memory")),
    });
    const fill = () => {
      for (let i = 0; i < 16; i++) memory.set(`${i}`, { bytes: text(LARGE / 8, i) });
    };
    memory.set("whole", { bytes: text(LARGE / 8, 77) }, [{ key: "part", start: 0, end: 9 }]);
    fill();
    memory.set("whole", { bytes: text(LARGE / 8, 78) }, [{ key: "part", start: 1, end: 9 }]);
    await settle();
    isThere(memory.get("part"), text(9, 78).slice(1));
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 16; i++) memory.get(`${i}`);
      fill();
      await settle();
    }
    assert.equal(memory.get("part"), undefined);
    assert.equal(memory.get("whole"), undefined);
  });
});
