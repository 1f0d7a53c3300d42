/** Repeats taken out of blocks: the same bytes again, or a refusal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinBytes } from "../../../../src/bytes/bytes.ts";
import { DamagedError } from "../../../../src/errors.ts";
import {
  MatchedBytes,
  partsWithMatches,
  replaceMatches,
  restoreMatches,
} from "../../../../extensions/replicas/format/long_range_matching.ts";
import { damaged, randomNumbers } from "./fuzz.ts";

const random = randomNumbers(5);
const noise = (length: number) => Uint8Array.from({ length }, () => Math.floor(256 * random()));

function checkRoundTrip(bytes: Uint8Array): Uint8Array {
  const coded = replaceMatches(bytes);
  if (coded === undefined) return bytes;
  assert.ok(coded.length < bytes.length);
  assert.deepEqual(restoreMatches(coded, bytes.length), new Uint8Array(bytes));
  checkParts(coded, bytes);
  return coded;
}

/** Asserts that parts are those of the whole, and that they take no more memory than it. */
function checkParts(coded: Uint8Array, bytes: Uint8Array): void {
  const parts = partsWithMatches(coded, bytes.length);
  assert.equal(parts.length, bytes.length);
  assert.ok(parts instanceof Uint8Array || parts.weight <= bytes.length);
  const places = Array.from({ length: 10 }, () => Math.floor(random() * (bytes.length + 1)));
  for (const start of [0, ...places]) {
    for (const end of [...places, bytes.length].filter((end) => end >= start)) {
      assert.deepEqual(parts.slice(start, end), new Uint8Array(bytes.subarray(start, end)));
    }
  }
}

/** A number as steps have it. */
function varint(value: number): number[] {
  return value < 0x80 ? [value] : [value & 0x7f | 0x80, ...varint(value >>> 7)];
}

describe("repeats of a block", () => {
  it("are taken out also where they lie far apart", () => {
    const version = noise(50_000);
    const changed = version.slice();
    changed[20_000]! ^= 1;
    const coded = checkRoundTrip(joinBytes([version, noise(40_000), changed, noise(1000), version]));
    assert.ok(coded.length < 91_000 + 100, `${coded.length} bytes`);
  });

  it("are put back for any bytes", () => {
    for (let length = 0; length < 80; length++) {
      checkRoundTrip(noise(length));
      checkRoundTrip(new Uint8Array(length));
    }
    for (let i = 0; i < 100; i++) {
      const pieces = Array.from({ length: 6 }, () => noise(Math.floor(100 * random())));
      const picked = Array.from({ length: 20 }, () => pieces[Math.floor(6 * random())]!);
      checkRoundTrip(joinBytes(picked));
    }
    assert.ok(checkRoundTrip(new Uint8Array(2 ** 20)).length < 100);
  });

  it("leave bytes without repeats as they are", () => {
    assert.equal(replaceMatches(noise(10_000)), undefined);
    assert.equal(replaceMatches(new Uint8Array()), undefined);
  });

  it("are put back in parts without the memory of the whole", () => {
    const version = noise(10_000);
    const versions = Array.from({ length: 20 }, (_, i) => {
      version[500 * i]! ^= 1;
      return version.slice();
    });
    const bytes = joinBytes(versions);
    const parts = partsWithMatches(replaceMatches(bytes)!, bytes.length);
    assert.ok(parts instanceof MatchedBytes);
    assert.ok(parts.weight < 15_000, `${parts.weight} bytes`);
    assert.deepEqual(parts.slice(150_000, 160_000), versions[15]);
  });

  it("are put back as a whole where pieces double with each step, or a byte is repeated", () => {
    const all = (step: number) => varint(2 ** (step + 2));
    // "AB", and 20 times all that is there.
    const steps = [2, 2, 2, ...Array.from({ length: 19 }, (_, i) => [0, ...all(i), ...all(i)]).flat()];
    const coded = Uint8Array.of(0, 0, 0, steps.length, ...steps, 65, 66);
    const size = 2 ** 21;
    assert.equal(restoreMatches(coded, size).length, size);
    assert.ok(partsWithMatches(coded, size) instanceof Uint8Array);
    const repeated = Uint8Array.of(0, 0, 0, 5, 1, ...varint(2 ** 20), 1, 65);
    assert.ok(partsWithMatches(repeated, 2 ** 20 + 1) instanceof Uint8Array);
  });

  it("are refused when damaged, or else give as many bytes as they should", () => {
    const version = noise(300);
    const bytes = joinBytes([version, noise(50), version, version.subarray(20), new Uint8Array(200)]);
    const coded = replaceMatches(bytes)!;
    for (const wrong of damaged(coded, 500)) {
      try {
        const restored = restoreMatches(wrong, bytes.length);
        assert.equal(restored.length, bytes.length);
        checkParts(wrong, restored);
      } catch (error) {
        assert.ok(error instanceof DamagedError, String(error));
        assert.throws(() => partsWithMatches(wrong, bytes.length), DamagedError);
      }
    }
    for (const size of [0, bytes.length - 1, bytes.length + 1]) {
      assert.throws(() => restoreMatches(coded, size), DamagedError);
      assert.throws(() => partsWithMatches(coded, size), DamagedError);
    }
    const steps = (...bytes: number[]) => Uint8Array.of(0, 0, 0, bytes.length, ...bytes, 65, 66);
    assert.deepEqual(restoreMatches(steps(2, 3, 2), 5), new TextEncoder().encode("ABABA"));
    for (
      const wrong of [
        steps(2, 3, 0),
        steps(2, 3, 3),
        steps(3, 3, 1),
        steps(2, 4, 2),
        steps(2, 3),
        steps(0x80),
      ]
    ) {
      assert.throws(() => restoreMatches(wrong, 5), DamagedError);
      assert.throws(() => partsWithMatches(wrong, 5), DamagedError);
    }
  });
});
