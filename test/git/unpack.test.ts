/** Unpacking of zlib streams. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { DamagedError, TooLargeError } from "../../src/errors.ts";
import {
  checkPackedSize,
  createUnpack,
  MAX_UNPACKED_BYTES,
  startBytes,
  unpackStart,
} from "../../src/git/unpack.ts";

const TEXT = new TextEncoder().encode("blob 26\0abcdefghijklmnopqrstuvwxyz");
/** Bytes without order, for long code tables. */
const NOISE = noise(100_000);

describe("createUnpack", () => {
  const unpack = createUnpack(undefined);

  for (const level of [0, 1, 9] as const) {
    it(`unpacks what was packed at level ${level}`, () => {
      for (const bytes of [new Uint8Array(), TEXT, NOISE, new Uint8Array(1_000_000)]) {
        assert.deepEqual(unpack(zlibSync(bytes, { level }), bytes.length), bytes);
      }
    });
  }

  it("refuses a stream of another size", () => {
    assert.throws(() => unpack(zlibSync(TEXT), TEXT.length - 1), DamagedError);
    assert.throws(() => unpack(zlibSync(TEXT), TEXT.length + 1), DamagedError);
    assert.throws(() => unpack(zlibSync(NOISE, { level: 0 }), 90_000), DamagedError);
  });

  it("refuses a stream that is cut off or goes on", () => {
    const packed = zlibSync(TEXT);
    for (let length = 0; length < packed.length; length++) {
      assert.throws(() => unpack(packed.subarray(0, length), TEXT.length), DamagedError, `length ${length}`);
    }
    assert.throws(() => unpack(Uint8Array.of(...packed, 0), TEXT.length), DamagedError);
  });

  it("never takes a changed stream for another content", () => {
    const packed = zlibSync(TEXT);
    for (let bit = 0; bit < packed.length * 8; bit++) {
      const changed = packed.map((byte, at) => at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte);
      try {
        // Some bits between data and checksum mean nothing.
        assert.deepEqual(unpack(changed, TEXT.length), TEXT, `bit ${bit}`);
      } catch (error) {
        assert.ok(error instanceof DamagedError, `bit ${bit}`);
      }
    }
  });

  it("leaves all but what is small to the given inflater", () => {
    const given = createUnpack((_, size) => new Uint8Array(size).fill(7));
    assert.deepEqual(given(zlibSync(NOISE), NOISE.length), new Uint8Array(NOISE.length).fill(7));
    assert.deepEqual(given(zlibSync(TEXT), TEXT.length), TEXT);
  });

  it("reports failures of the given inflater like its own", () => {
    const failing = createUnpack(() => {
      throw new Error("no");
    });
    assert.throws(() => failing(zlibSync(NOISE), NOISE.length), DamagedError);
  });
});

describe("checkPackedSize", () => {
  it("accepts whatever deflate makes", () => {
    for (const level of [0, 1, 9] as const) {
      for (const bytes of [new Uint8Array(), TEXT, NOISE, new Uint8Array(10_000_000)]) {
        checkPackedSize(zlibSync(bytes, { level }).length, bytes.length);
      }
    }
  });

  it("refuses more than fits in the packed bytes", () => {
    assert.throws(() => checkPackedSize(100, 1_000_000), DamagedError);
  });

  it("refuses packed bytes that unpack to almost nothing", () => {
    assert.throws(() => checkPackedSize(1_000_000, 100), DamagedError);
  });

  it("refuses objects beyond the limit", () => {
    checkPackedSize(MAX_UNPACKED_BYTES, MAX_UNPACKED_BYTES);
    assert.throws(() => checkPackedSize(MAX_UNPACKED_BYTES, MAX_UNPACKED_BYTES + 1), TooLargeError);
  });
});

describe("unpackStart", () => {
  for (const level of [0, 1, 6, 9] as const) {
    it(`finds the first bytes of what was packed at level ${level}`, () => {
      for (const bytes of [TEXT, NOISE, new Uint8Array(1_000_000).fill(7)]) {
        const packed = zlibSync(bytes, { level });
        for (const length of [30, 320]) {
          for (const some of [packed, packed.subarray(0, startBytes(length))]) {
            assert.deepEqual(unpackStart(some, new Uint8Array(length)), bytes.subarray(0, length));
          }
        }
      }
    });
  }

  it("finds nothing in what is no stream, or ends before", () => {
    const [packed, stored] = [zlibSync(NOISE), zlibSync(NOISE, { level: 0 })];
    for (
      const bytes of [
        new Uint8Array(),
        Uint8Array.of(1),
        NOISE,
        packed.subarray(0, 200),
        stored.subarray(0, 9),
      ]
    ) {
      assert.equal(unpackStart(bytes, new Uint8Array(300)).length, 0);
    }
  });
});

function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0, state = 1; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    bytes[i] = state >> 16;
  }
  return bytes;
}
