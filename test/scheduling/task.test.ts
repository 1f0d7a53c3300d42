/** Work that can stop between its steps. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { runSync, type Steps, Task } from "../../src/scheduling/task.ts";
import { FakeThread, LONG_MS } from "./fake_thread.ts";

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
  it("is done at once when it takes a moment", () => {
    assert.equal(new FakeThread().task().run(count(3)), 3);
    assert.equal(runSync(count(3)), 3);
    assert.equal(Task.unbroken().run(count(3)), 3);
  });

  it("lets others through when it takes longer", async () => {
    const thread = new FakeThread();
    const result = thread.task().run(count(10, () => thread.nowMs += LONG_MS));
    assert.ok(result instanceof Promise);
    assert.ok(await thread.until(result) >= 9);
    assert.equal(await result, 10);
  });

  it("lets others through on this host", async () => {
    let isOver = false, others = 0;
    const goOn = () => isOver || setImmediate(() => (others++, goOn()));
    goOn();
    const busy = () => {
      const endMs = performance.now() + 5;
      while (performance.now() < endMs);
    };
    assert.equal(await new Task().run(count(10, busy)), 10);
    isOver = true;
    assert.ok(others > 3, `${others} times`);
  });

  it("waits for a promise, or fails where it may not", async () => {
    assert.equal(await new Task().run(waitFor(Promise.resolve())), "done");
    await assert.rejects(
      Promise.resolve(new Task().run(waitFor(Promise.reject(new RangeError("no"))))),
      RangeError,
    );
    assert.throws(() => runSync(waitFor(Promise.resolve())), TypeError);
  });
});
