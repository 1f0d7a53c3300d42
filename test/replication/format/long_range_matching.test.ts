/** Repeats taken out of blocks: the same bytes again, or a refusal. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import { DamagedError } from "../../../src/errors.ts";
import { replaceMatches, restoreMatches } from "../../../src/replication/format/long_range_matching.ts";
import { damaged, randomNumbers } from "./fuzz.ts";

const random = randomNumbers(5);
const noise = (length: number) => Uint8Array.from({ length }, () => Math.floor(256 * random()));

function checkRoundTrip(bytes: Uint8Array): Uint8Array {
  const coded = replaceMatches(bytes);
  if (coded === undefined) return bytes;
  assert.ok(coded.length < bytes.length);
  assert.deepEqual(restoreMatches(coded, bytes.length), new Uint8Array(bytes));
  return coded;
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

  it("leave bytes alone that have none", () => {
    assert.equal(replaceMatches(noise(10_000)), undefined);
    assert.equal(replaceMatches(new Uint8Array()), undefined);
  });

  it("are refused when damaged, or else give as many bytes as they should", () => {
    const version = noise(300);
    const bytes = joinBytes([version, noise(50), version, version.subarray(20), new Uint8Array(200)]);
    const coded = replaceMatches(bytes)!;
    for (const wrong of damaged(coded, 500)) {
      try {
        assert.equal(restoreMatches(wrong, bytes.length).length, bytes.length);
      } catch (error) {
        assert.ok(error instanceof DamagedError, String(error));
      }
    }
    for (const size of [0, bytes.length - 1, bytes.length + 1]) {
      assert.throws(() => restoreMatches(coded, size), DamagedError);
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
    }
  });
});
