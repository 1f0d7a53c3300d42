import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PackStarts } from "../../../src/git/pack/pack_starts.ts";
import { runSync } from "../../../src/scheduling/task.ts";

/** Numbers from 0 to below `limit`, the same each time. */
function numbers(count: number, limit: number): number[] {
  let state = 7;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * limit);
  });
}

function check(starts: readonly number[], packSize = 2 ** 32): void {
  const found = runSync(PackStarts.divide(starts.length, (entry) => starts[entry]!, packSize));
  const sorted = [...new Set(starts)].sort((a, b) => a - b);
  for (const [i, start] of sorted.entries()) {
    assert.equal(found.after(start), sorted[i + 1] ?? Infinity, `${start}`);
    if (sorted[i + 1] !== start + 1) assert.equal(found.after(start + 1), undefined, `${start + 1}`);
  }
}

describe("starts of a pack's entries", () => {
  it("are found in packs of many parts, some of them empty", () => {
    check(numbers(2000, 2 ** 24));
    check(numbers(50, 2 ** 32));
    check([2 ** 32 - 1, 0, 12, 2 ** 16 - 1, 2 ** 16, 2 ** 31]);
  });

  it("are found in packs of more than 4 GiB", () => {
    check([...numbers(50, 2 ** 35), 2 ** 33, 2 ** 33 + 1], 2 ** 35);
  });

  it("are left out beyond the pack", () => {
    const starts = [12, 2 ** 20, 2 ** 40];
    const found = runSync(PackStarts.divide(3, (entry) => starts[entry]!, 2 ** 20));
    assert.deepEqual(starts.map((start) => found.after(start)), [Infinity, undefined, undefined]);
  });

  it("are found where a malformed index has very many in one part", () => {
    check([...numbers(10_000, 2 ** 16), ...numbers(10, 2 ** 20)]);
  });

  it("are missing in an empty pack", () => {
    const found = runSync(PackStarts.divide(0, () => 0, 2 ** 20));
    for (const start of [-1, 0, 12, 2 ** 16, 2 ** 40, NaN]) assert.equal(found.after(start), undefined);
  });
});
