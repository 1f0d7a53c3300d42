/** Offset tables of packs: what was written is found again, and wrong tables are refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../../../src/errors.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { runSync } from "../../../../src/scheduling/task.ts";
import {
  BLOCK_BYTES,
  blockCount,
  digestOfBlock,
  encodeOffsetTable,
  MAX_SAME_STARTS,
  OffsetTable,
  offsetTableBytes,
} from "../../../../extensions/replicas/format/offset_table.ts";
import { damaged, randomNumbers } from "./fuzz.ts";

const PACK_BYTES = 3 * BLOCK_BYTES + 100;
const END = PACK_BYTES - 20;

/** Places of objects with random ids, at ascending offsets. */
function placesOf(count: number) {
  const random = randomNumbers(count);
  const digits = () => Math.floor(random() * 2 ** 32).toString(16).padStart(8, "0");
  return Array.from({ length: count }, (_, i) => ({
    oid: Array.from({ length: 5 }, digits).join("") as Oid,
    offset: 12 + Math.floor(i * (END - 12) / count),
  }));
}

async function blocksOf(pack: Uint8Array) {
  const blocks = Array.from(
    { length: blockCount(pack.length) },
    (_, i) => pack.slice(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES),
  );
  return { blocks, digests: await Promise.all(blocks.map(digestOfBlock)) };
}

const decode = (bytes: Uint8Array, objects: number, packBytes = PACK_BYTES) =>
  runSync(OffsetTable.decode(bytes, packBytes, objects));

describe("an offset table", () => {
  const random = randomNumbers(1);
  const pack = Uint8Array.from({ length: PACK_BYTES }, () => 256 * random());

  it("finds each object, and the end of its entry", async () => {
    const { digests } = await blocksOf(pack);
    const places = placesOf(5000);
    const bytes = encodeOffsetTable(digests, places.toReversed());
    assert.equal(bytes.length, offsetTableBytes(PACK_BYTES, places.length));
    const table = decode(bytes, places.length);
    for (const [i, { oid, offset }] of places.entries()) {
      assert.ok(table.find(oid).includes(offset));
      assert.equal(table.entryEnd(offset), places[i + 1]?.offset ?? END);
      assert.equal(table.entryEnd(offset + 1), undefined);
    }
    assert.deepEqual(table.find("0".repeat(40) as Oid), []);
    assert.deepEqual(table.find("f".repeat(40) as Oid), []);
  });

  it("gives all objects whose ids have the same start", () => {
    const same = ["a", "b", "c"].map((end, i) => ({
      oid: "01234567".padEnd(40, end) as Oid,
      offset: 100 * (i + 1),
    }));
    const digests = Array(blockCount(PACK_BYTES)).fill(new Uint8Array(16));
    const table = decode(encodeOffsetTable(digests, same), same.length);
    assert.deepEqual(table.find("01234567".padEnd(40, "d") as Oid), [100, 200, 300]);
    const oids = Array.from({ length: 40 }, (_, i) => ({
      oid: `01234567${i.toString(16).padStart(32, "0")}` as Oid,
      offset: 100 + i,
    }));
    const crowded = decode(encodeOffsetTable(digests, oids), oids.length);
    assert.equal(crowded.find(oids[0]!.oid).length, MAX_SAME_STARTS);
    assert.deepEqual(table.find("01234568".padEnd(40, "d") as Oid), []);
  });

  it("knows each block, and no other bytes", async () => {
    const { blocks, digests } = await blocksOf(pack);
    const table = decode(encodeOffsetTable(digests, placesOf(10)), 10);
    for (const [i, block] of blocks.entries()) {
      for (const [j, other] of blocks.entries()) assert.equal(await table.isBlock(i, other), i === j);
      for (const wrong of damaged(block, 5)) assert.equal(await table.isBlock(i, wrong), false);
      assert.equal(await table.isBlock(i + blocks.length, block), false);
    }
  });

  it("is refused with another size, another order, or offsets outside of the pack", () => {
    const digests = Array(blockCount(PACK_BYTES)).fill(new Uint8Array(16));
    const places = placesOf(100);
    const bytes = encodeOffsetTable(digests, places);
    const refuses = (bytes: Uint8Array, objects = 100, packBytes = PACK_BYTES) =>
      assert.throws(() => decode(bytes, objects, packBytes), DamagedError);
    refuses(bytes.slice(1));
    refuses(bytes, 99);
    refuses(bytes, 101);
    refuses(bytes, 100, PACK_BYTES - BLOCK_BYTES);
    const withRows = (change: (rows: DataView) => void) => {
      const copy = bytes.slice();
      change(new DataView(copy.buffer, 16 * digests.length));
      return copy;
    };
    refuses(withRows((rows) => rows.setUint32(8 * 50, 2 ** 32 - 1)));
    refuses(withRows((rows) => rows.setUint32(4, 11)));
    refuses(withRows((rows) => rows.setUint32(4, END)));
    refuses(encodeOffsetTable(digests, [...places, places[0]!]), 101);
  });

  it("of a pack whose objects share an offset has an end for it", () => {
    const digests = Array(blockCount(PACK_BYTES)).fill(new Uint8Array(16));
    const places = placesOf(3).map(({ oid }) => ({ oid, offset: 12 }));
    const table = decode(encodeOffsetTable(digests, places), 3);
    assert.ok(table.entryEnd(12)! <= END);
  });
});
