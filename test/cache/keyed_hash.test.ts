import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keyedHash, randomHashKey } from "../../src/cache/tiny_lfu_map.ts";

describe("keyedHash()", () => {
  it("is HalfSipHash-2-4 of UTF-16", () => {
    // Vectors of the reference implementation: the key is 00 01 … 07, and the texts are 00 01 02 ….
    const expected = new Map([[0, "a9359f5b"], [2, "fa62a603"], [4, "2a6e4689"], [6, "5863fc23"]]);
    for (const [length, hash] of expected) {
      const units = Array.from({ length: length / 2 }, (_, i) => 2 * i | 2 * i + 1 << 8);
      const bytes = new DataView(new ArrayBuffer(4));
      bytes.setUint32(0, keyedHash(String.fromCharCode(...units), [0x03020100, 0x07060504]), true);
      assert.equal(bytes.getUint32(0).toString(16), hash, `${length} bytes`);
    }
  });

  it("differs with the key, which is another one each time", () => {
    const [one, other] = [randomHashKey(), randomHashKey()];
    assert.notDeepEqual(one, other);
    const texts = Array.from({ length: 8 }, (_, i) => `text ${i}`);
    assert.notDeepEqual(
      texts.map((text) => keyedHash(text, one)),
      texts.map((text) => keyedHash(text, other)),
    );
  });
});
