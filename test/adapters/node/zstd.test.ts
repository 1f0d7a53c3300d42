/** Packing through `node:zlib`, which every runtime that is tested has. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compression } from "../../../adapters/node/zlib.ts";

const BYTES = new Uint8Array(500_000).map((_, i) => (i * i) >> 5);

describe("compression", () => {
  it("makes text smaller, and unpacks it", async () => {
    const text = new TextEncoder().encode('{"line":"the same again","number":1}\n'.repeat(10_000));
    const packed = await compression!.pack(text);
    assert.ok(packed.length < text.length / 10);
    assert.deepEqual(compression!.unpack(packed, text.length), text);
  });

  it("takes bytes of any length", async () => {
    for (const length of [0, 1, 100, BYTES.length]) {
      const bytes = BYTES.slice(0, length);
      assert.deepEqual(compression!.unpack(await compression!.pack(bytes), length), bytes);
    }
  });

  it("takes a view, and several at once", async () => {
    const views = [1, 2, 3, 4].map((i) => BYTES.subarray(i, 100_000 * i));
    const packed = await Promise.all(views.map((bytes) => compression!.pack(bytes)));
    packed.forEach((bytes, i) => assert.deepEqual(compression!.unpack(bytes, views[i]!.length), views[i]));
  });
});
