/** Deltas, right and wrong ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { DamagedError } from "../../../src/errors.ts";
import { applyDelta, applyDeltaInSteps, readDeltaSizes } from "../../../src/git/pack/delta.ts";
import { delta, number7 } from "../../storage/home/pack_builder.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const BASE = encode("0123456789");
/** Bytes that are copied in one step, about. */
const STEP_BYTES = 2 ** 20;

/** Copies `length` bytes from `from`, both less than 256 and not zero. */
const copy = (from: number, length: number) => [0x91, from, length];

describe("applyDelta", () => {
  it("copies from the base and inserts bytes of its own", () => {
    const instructions = [...copy(2, 3), 2, 0x61, 0x62, ...copy(9, 1), 0x90, 2];
    assert.deepEqual(applyDelta(BASE, delta(10, 8, ...instructions)), encode("234ab901"));
  });

  it("makes an empty object", () => assert.deepEqual(applyDelta(BASE, delta(10, 0)), new Uint8Array()));

  it("takes a copy without length as 64 KiB", () => {
    const base = new Uint8Array(0x10001).map((_, i) => i % 251);
    assert.deepEqual(applyDelta(base, delta(0x10001, 0x10000, 0x81, 1)), base.subarray(1));
  });

  it("reads offsets of four bytes and lengths of three", () => {
    const base = new Uint8Array(0x1020304 + 0x10203).map((_, i) => i % 251);
    const made = applyDelta(base, delta(base.length, 0x10203, 0xff, 4, 3, 2, 1, 3, 2, 1));
    assert.deepEqual(made, base.subarray(0x1020304));
  });

  const damaged: Record<string, Uint8Array> = {
    "that is empty": new Uint8Array(),
    "whose sizes are cut off": Uint8Array.of(0x8a),
    "whose sizes never end": new Uint8Array(40).fill(0xff),
    "of another base": delta(11, 1, 1, 0x61),
    "that copies beyond the base": delta(10, 4, ...copy(8, 4)),
    "that copies from far away": delta(10, 1, 0x9f, 255, 255, 255, 255, 1),
    "that inserts more than it has": delta(10, 5, 5, 0x61),
    "that is cut off in an instruction": delta(10, 3, 0x91, 1),
    "with the reserved instruction": delta(10, 1, 0, 1, 0x61),
    "that makes less than it says": delta(10, 2, 1, 0x61),
    "that makes more than it says": delta(10, 1, 2, 0x61, 0x62),
  };
  for (const [what, bytes] of Object.entries(damaged)) {
    it(`refuses a delta ${what}`, () => assert.throws(() => applyDelta(BASE, bytes), DamagedError));
  }

  it("refuses a false size before it takes memory", () => {
    assert.throws(() => applyDelta(BASE, delta(10, 2 ** 40, ...copy(0, 1))), /makes 1 bytes/);
  });

  it("copies short and long pieces alike", () => {
    const base = new Uint8Array(255).map((_, i) => i);
    for (let length = 1; length < 255; length++) {
      const pieces = [0x91, 255 - length, length, 1, 0x61, 0x90, length];
      const made = applyDelta(base, delta(255, 2 * length + 1, ...pieces));
      assert.deepEqual([...made], [...base.subarray(255 - length), 0x61, ...base.subarray(0, length)]);
    }
  });

  it("is done in steps, by what it reads and by what it makes", () => {
    const base = new Uint8Array(STEP_BYTES / 10).map((_, i) => i);
    const copyAll = [0xf0, ...[0, 8, 16].map((shift) => base.length >> shift & 0xff)];
    const cases = [
      { count: 100, instruction: copyAll, piece: base, wanted: 9 },
      // Each instruction takes as long as some bytes, in both passes.
      { count: 2 ** 15, instruction: [1, 0x61], piece: encode("a"), wanted: 1 },
    ];
    for (const { count, instruction, piece, wanted } of cases) {
      const instructions = Array.from({ length: count }, () => Uint8Array.from(instruction));
      const bytes = joinBytes([delta(base.length, count * piece.length), ...instructions]);
      const work = applyDeltaInSteps(base, bytes);
      let steps = 0;
      let step = work.next();
      for (; !step.done; step = work.next()) steps++;
      assert.deepEqual(step.value, joinBytes(Array.from({ length: count }, () => piece)));
      assert.equal(steps, wanted);
    }
  });
});

describe("readDeltaSizes", () => {
  it("reads sizes of several bytes and where the instructions begin", () => {
    assert.deepEqual(readDeltaSizes(delta(300, 2 ** 40, 1, 2)), {
      baseSize: 300,
      size: 2 ** 40,
      at: 2 + number7(2 ** 40).length,
    });
  });
});
