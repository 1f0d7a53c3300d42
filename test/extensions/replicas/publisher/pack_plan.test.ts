/** Which packs of a repository are joined. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PublishedPack } from "../../../../extensions/replicas/format/manifest.ts";
import {
  countReplaced,
  isSmallPack,
  MAX_SMALL_PACKS,
} from "../../../../extensions/replicas/publisher/pack_plan.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { randomNumbers } from "../format/fuzz.ts";

/** A pack of so many objects; with a name of tips if it is large. */
function pack(objects: number, tips?: string, bytes = 100 * objects): PublishedPack {
  return {
    name: "0".repeat(40) as Oid,
    ...{ bytes, idxBytes: 1100, objects, madeAtMs: 0, offsets: { inline: "" }, firstBlocks: [] },
    tips: tips === undefined ? null : { sha256: tips, bytes: 20 },
  };
}

const small = (count: number, objects = 6) => Array.from({ length: count }, () => pack(objects));

describe("packs are joined", () => {
  it("when there are too many small ones, or a thousand objects in them", () => {
    assert.equal(countReplaced([]), 0);
    assert.equal(countReplaced(small(MAX_SMALL_PACKS - 1)), 0);
    assert.equal(countReplaced(small(MAX_SMALL_PACKS)), MAX_SMALL_PACKS);
    assert.equal(countReplaced([...small(MAX_SMALL_PACKS - 1), pack(50_000, "a")]), 0);
    assert.equal(countReplaced([...small(MAX_SMALL_PACKS), pack(50_000, "a")]), MAX_SMALL_PACKS);
    assert.equal(countReplaced([...small(2, 600), pack(50_000, "a")]), 2);
  });

  it("with larger ones that are less than twice as large, group by group", () => {
    const full = small(MAX_SMALL_PACKS, 48 / MAX_SMALL_PACKS);
    const countLarge = (...large: readonly PublishedPack[]) =>
      countReplaced([...full, ...large]) - MAX_SMALL_PACKS;
    assert.equal(countLarge(pack(80, "b"), pack(50_000, "a")), 1);
    assert.equal(countLarge(pack(80, "b"), pack(200, "a")), 2);
    assert.equal(countLarge(pack(40, "b"), pack(40, "b"), pack(50_000, "a")), 2);
    // Few objects, but many bytes.
    assert.equal(countLarge(pack(1000, "a", 1000)), 1);
  });

  it("when a large one is too large for the next one, without waiting for small ones", () => {
    assert.equal(countReplaced([pack(30_000, "b"), pack(50_000, "a")]), 2);
    assert.equal(countReplaced([pack(20_000, "b"), pack(50_000, "a")]), 0);
    assert.equal(countReplaced([...small(1), pack(30_000, "c"), pack(50_000, "b"), pack(1e6, "a")]), 3);
  });

  it("so that there are few, and an object is sent again only a few times", () => {
    const random = randomNumbers(3);
    let packs: readonly PublishedPack[] = [];
    let [objects, sent] = [0, 0];
    for (let change = 0; change < 3000; change++) {
      const added = random() < 0.01 ? 5000 : 1 + Math.floor(random() * 20);
      const count = countReplaced(packs);
      const size = added + packs.slice(0, count).reduce((sum, one) => sum + one.objects, 0);
      const made = pack(size);
      packs = [isSmallPack(made) ? made : pack(size, `${change}`), ...packs.slice(count)];
      objects += added;
      sent += size;
      assert.ok(packs.length <= 24, `${packs.length} packs`);
    }
    assert.equal(packs.reduce((sum, one) => sum + one.objects, 0), objects);
    assert.ok(sent < 12 * objects, `${sent} objects were sent for ${objects}`);
  });
});
