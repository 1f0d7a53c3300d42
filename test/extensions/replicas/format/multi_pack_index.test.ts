/** Multi-pack indexes: the places of all objects again, or a refusal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import type { Oid } from "../../../../src/ids/oid.ts";
import { NO_BLOCK } from "../../../../extensions/replicas/format/block_pack.ts";
import { encodePrefixFilter, PrefixFilter } from "../../../../extensions/replicas/format/prefix_filter.ts";
import {
  type IndexedPlace,
  IndexHead,
  startOf,
} from "../../../../extensions/replicas/format/multi_pack_index.ts";
import { MultiPackIndexWriter } from "../../../../extensions/replicas/format/multi_pack_index_writer.ts";
import { createUnpack } from "../../../../src/git/unpack.ts";
import { assertRefusesDamage, randomNumbers } from "./fuzz.ts";

const unpack = createUnpack();
const BLOCKS = [3, 1, 70_000];

/** Random ids, each in one place. */
function makePlaces(count: number): ReadonlyMap<Oid, IndexedPlace> {
  const random = randomNumbers(count);
  const digits = () => Math.floor(random() * 2 ** 32).toString(16).padStart(8, "0");
  return new Map(Array.from({ length: count }, (_, i) => {
    const pack = Math.floor(random() * BLOCKS.length);
    const block = i % 50 === 0 ? NO_BLOCK : Math.floor(random() * BLOCKS[pack]!);
    return [Array.from({ length: 5 }, digits).join("") as Oid, { pack, block }];
  }));
}

async function write(places: ReadonlyMap<Oid, IndexedPlace>) {
  const writer = new MultiPackIndexWriter();
  BLOCKS.forEach((blocks, i) => writer.addPack(new Uint8Array(10 + i).fill(i), { blocks }));
  for (const [oid, place] of places) writer.add(startOf(oid), place);
  const written = await writer.finish((bytes) => zlibSync(bytes, { level: 1 }));
  assert.ok(written !== undefined);
  return written;
}

describe("a multi-pack index", () => {
  for (const count of [0, 500, 10_000]) {
    it(`has the places of ${count} objects, and the heads of the packs`, async () => {
      const places = makePlaces(count);
      const { index, bytes } = await write(places);
      assert.deepEqual([index.bytes, index.objects], [bytes.length, count]);
      const head = new IndexHead(bytes.subarray(0, index.headBytes), index);
      BLOCKS.forEach((_, i) => assert.deepEqual(head.packHead(i), new Uint8Array(10 + i).fill(i)));
      const pages = Array.from({ length: head.pages }, (_, page) => {
        const { start, end } = head.pageRange(page);
        return head.page(page, bytes.subarray(start, end), unpack);
      });
      assert.equal(pages.length > 1, count === 10_000);
      for (const [oid, place] of places) {
        const found = pages[head.pageOf(oid)]!.find(oid);
        assert.ok(found.some(({ pack, block }) => pack === place.pack && block === place.block), oid);
      }
      for (const oid of ["0".repeat(40), "f".repeat(40)] as Oid[]) {
        assert.deepEqual(pages[head.pageOf(oid)]!.find(oid), []);
      }
    });
  }

  it("is refused when damaged, each flipped bit and each cut", async () => {
    const { index, bytes } = await write(makePlaces(100));
    assertRefusesDamage(bytes, 100, (bytes) => {
      const head = new IndexHead(bytes.subarray(0, index.headBytes), index);
      head.checkPage(0, bytes.subarray(index.headBytes));
      head.page(0, bytes.subarray(index.headBytes), unpack);
    });
  });
});

describe("a writer of multi-pack indexes", () => {
  /** The index of objects whose ids begin with these numbers; `undefined` when none is written. */
  const written = (starts: readonly number[]) => {
    const writer = new MultiPackIndexWriter();
    writer.addPack(new Uint8Array(10), { blocks: 1 });
    for (const start of starts) writer.add(start, { pack: 0, block: 0 });
    return writer.finish((bytes) => zlibSync(bytes, { level: 1 }));
  };
  const count = (length: number, start: (i: number) => number) => Array.from({ length }, (_, i) => start(i));

  it("makes no index of ids that were crafted to begin alike", async () => {
    assert.ok(await written(count(10_000, (i) => i)) !== undefined);
    assert.equal(await written(count(100_000, (i) => i)), undefined);
    assert.ok(await written(count(10, () => 7)) !== undefined);
    assert.equal(await written([...count(1000, () => 7), 8]), undefined);
  });
});

describe("starts of ids", () => {
  it("have their ids, and few others", () => {
    const oids = [...makePlaces(1000).keys()];
    const starts = new PrefixFilter(encodePrefixFilter(oids));
    assert.ok(oids.every((oid) => starts.mayHave(oid)));
    const others = [...makePlaces(1001).keys()];
    assert.ok(others.filter((oid) => starts.mayHave(oid)).length < 50);
    assert.equal(new PrefixFilter(encodePrefixFilter([])).mayHave(oids[0]!), false);
  });
});
