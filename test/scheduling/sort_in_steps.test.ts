/** Sorting in steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sortInSteps } from "../../src/scheduling/sort_in_steps.ts";
import { Task } from "../../src/scheduling/task.ts";

const byFirst = (a: readonly [number, number], b: readonly [number, number]) => a[0] - b[0];

/** Pairs whose first numbers are in no order, and often equal; the second tell their places. */
function shuffled(length: number): [number, number][] {
  let state = 1;
  return Array.from({ length }, (_, i) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return [state % 1000, i];
  });
}

describe("sortInSteps", () => {
  for (const length of [0, 1, 2, 31, 32, 33, 64, 65, 96, 127, 128, 129, 192, 10_000, 100_001]) {
    it(`sorts ${length} items as Array.sort does`, async () => {
      const items = shuffled(length);
      assert.deepEqual(await new Task().run(sortInSteps(items, byFirst)), [...items].sort(byFirst));
    });
  }

  it("leaves what is in order as it is", async () => {
    const items = shuffled(10_000).sort(byFirst);
    assert.equal(await new Task().run(sortInSteps(items, byFirst)), items);
  });
});
