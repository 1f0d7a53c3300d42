/** Short zlib streams, as zlib packs them and as nobody should. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { constants, deflateSync, inflateSync } from "node:zlib";
import { DamagedError } from "../../src/errors.ts";
import { createUnpack, startBytes, unpackStart } from "../../src/git/unpack.ts";

const ROUNDS = 3000;
/** A block whose only code is that of its end. */
const ONLY_END = "eJwFwIEIAAAAACB/6wMAAAAB";
const unpack = createUnpack();
const STRATEGIES = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_FILTERED,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
];

/** Draws numbers below a bound, the same in every run. */
function numbers(): (bound: number) => number {
  let state = 1;
  return (bound) => {
    state = Math.imul(state, 1_103_515_245) + 12_345 >>> 0;
    return (state >>> 8) % bound;
  };
}

/** Content of some kind: noise, words, runs. */
function draw(next: (bound: number) => number, size: number, kind: number): Uint8Array {
  const words = "tree parent author committer 1700000000 +0000 radicle .gitignore the and of ".split(" ");
  if (kind === 0) return Uint8Array.from({ length: size }, () => next(3) === 0 ? next(4) : next(256));
  if (kind === 1) return Uint8Array.from({ length: size }, (_, i) => next(40) === 0 ? next(256) : i >> 7);
  let text = "";
  while (text.length < size) {
    text += next(6) === 0 ? next(2 ** 24).toString(16) : `${words[next(words.length)]} `;
  }
  return new TextEncoder().encode(text.slice(0, size));
}

/** As `assert.deepEqual`, which takes long for tens of thousands of bytes. */
function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

describe("a short stream", () => {
  it("has the content that zlib packed", () => {
    const next = numbers();
    for (let i = 0; i < ROUNDS; i++) {
      const content = draw(next, next(next(10) === 0 ? 40_000 : 1100), i % 3);
      const packed = deflateSync(content, {
        level: next(10),
        memLevel: 1 + next(9),
        strategy: STRATEGIES[next(STRATEGIES.length)]!,
      });
      assert.ok(isEqual(unpack(packed, content.length), content));
      assert.throws(() => unpack(packed, content.length + 1), DamagedError);
      if (content.length > 0) assert.throws(() => unpack(packed, content.length - 1), DamagedError);
      const room = new Uint8Array(next(400));
      const start = unpackStart(packed.subarray(0, startBytes(room.length)), room);
      assert.ok(isEqual(start, content.subarray(0, room.length)));
    }
  });

  it("that is damaged is refused, or is what zlib reads", () => {
    const next = numbers();
    let refused = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const content = draw(next, next(600), i % 3);
      let packed = Uint8Array.from(deflateSync(content, { level: 1 + next(9) }));
      for (let bits = next(3); bits >= 0; bits--) packed[next(packed.length)]! ^= 1 << next(8);
      if (next(4) === 0) packed = packed.subarray(0, next(packed.length));
      try {
        assert.deepEqual(unpack(packed, content.length), Uint8Array.from(inflateSync(packed)));
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        refused++;
      }
    }
    assert.ok(refused > ROUNDS * 0.9, `${refused}`);
  });

  it("of any bytes ends soon", () => {
    const next = numbers();
    for (let i = 0; i < ROUNDS; i++) {
      const packed = draw(next, next(300), i % 2);
      packed.set([0x78, 0x9c].slice(0, packed.length));
      unpackStart(packed, new Uint8Array(next(2 ** 16)));
    }
    for (const byte of [0, 0xff, 0x05, 0x04]) {
      const packed = new Uint8Array(1000).fill(byte);
      packed.set([0x78, 0x9c]);
      assert.throws(() => unpack(packed, 1000), DamagedError);
    }
  });

  it("may have a block of nothing but its end, whose code is incomplete, as zlib allows", () => {
    const packed = Uint8Array.from(atob(ONLY_END), (unit) => unit.charCodeAt(0));
    assert.deepEqual([inflateSync(packed).length, unpack(packed, 0).length], [0, 0]);
  });
});
