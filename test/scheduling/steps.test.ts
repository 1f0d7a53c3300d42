/** Work that can stop between its steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { atOnce, inSlices, SLICE_MS, type Steps } from "../../src/scheduling/time_slices.ts";

function* count(steps: number, each: () => void = () => {}): Steps<number> {
  for (let i = 0; i < steps; i++) {
    each();
    yield;
  }
  return steps;
}

function* waitFor(promise: Promise<unknown>): Steps<string> {
  yield promise;
  return "done";
}

describe("work in steps", () => {
  it("is done at once when it takes less than a slice", () => {
    assert.equal(inSlices(count(3)), 3);
    assert.equal(atOnce(count(3)), 3);
  });

  it("lets others through when it takes longer", async () => {
    let nowMs = 0, isOver = false, others = 0;
    const goOn = () => isOver || setImmediate(() => (others++, goOn()));
    goOn();
    const result = inSlices(count(10, () => nowMs += SLICE_MS), () => nowMs);
    assert.ok(result instanceof Promise);
    assert.equal(await result, 10);
    isOver = true;
    assert.ok(others > 3, `${others} times`);
  });

  it("waits for a promise, or fails where it may not", async () => {
    assert.equal(await inSlices(waitFor(Promise.resolve())), "done");
    await assert.rejects(
      Promise.resolve(inSlices(waitFor(Promise.reject(new RangeError("no"))))),
      RangeError,
    );
    assert.throws(() => atOnce(waitFor(Promise.resolve())), TypeError);
  });
});
