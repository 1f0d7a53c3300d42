/** Unpacking through `node:zlib`, which every runtime has. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { inflate } from "../../../adapters/node/zlib.ts";

const BYTES = new Uint8Array(100_000).map((_, i) => (i * i) >> 5);

describe("inflate", () => {
  for (const level of [0, 1, 9] as const) {
    it(`unpacks what was packed at level ${level}`, () => {
      for (const bytes of [BYTES, BYTES.subarray(0, 1), new Uint8Array()]) {
        assert.deepEqual(inflate(zlibSync(bytes, { level }), bytes.length), bytes);
      }
    });
  }

  it("gives plain bytes", () => {
    assert.equal(Object.getPrototypeOf(inflate(zlibSync(BYTES), BYTES.length)), Uint8Array.prototype);
  });

  it("ignores what follows the stream", () => {
    const packed = Uint8Array.of(...zlibSync(BYTES), 1, 2, 3);
    assert.deepEqual(inflate(packed, BYTES.length), BYTES);
  });

  it("refuses a stream of another length", () => {
    for (const size of [BYTES.length - 1, BYTES.length + 1, 0, 1]) {
      assert.throws(() => inflate(zlibSync(BYTES), size), `${size}`);
    }
    assert.throws(() => inflate(zlibSync(new Uint8Array()), 1));
  });

  it("refuses a stream that is cut off or broken", () => {
    const packed = zlibSync(BYTES);
    for (const length of [0, 1, 2, 10, packed.length - 5, packed.length - 1]) {
      assert.throws(() => inflate(packed.subarray(0, length), BYTES.length), `${length}`);
    }
    for (const at of [0, 1, packed.length >> 1, packed.length - 1]) {
      assert.throws(
        () => inflate(packed.map((byte, i) => i === at ? byte ^ 0x55 : byte), BYTES.length),
        `${at}`,
      );
    }
  });
});
