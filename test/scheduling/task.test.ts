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

describe("the work of a task", () => {
  const measured = ({ scheduler }: FakeThread) => {
    const reported: number[] = [];
    const onWork = (ms: number) => void reported.push(ms);
    return { reported, task: new Task("user-visible", { scheduler, onWork }) };
  };

  it("is reported as it is done, without the time in which others work", async () => {
    const thread = new FakeThread();
    const { task, reported } = measured(thread);
    const other = thread.task();
    const done = Promise.all([
      Promise.resolve(task.run(count(100, () => thread.nowMs += 1))),
      Promise.resolve(other.run(count(100, () => thread.nowMs += 1))),
    ]);
    await thread.until(done);
    const sum = reported.reduce((sum, ms) => sum + ms, 0);
    assert.ok(sum > 50 && sum <= 110, `${reported}`);
    assert.ok(reported.every((ms) => ms >= 25), `${reported}`);
  });

  it("has little of a wait for something else", async () => {
    const thread = new FakeThread();
    const { task, reported } = measured(thread);
    for (let i = 0; i < 3; i++) {
      thread.nowMs += 1000;
      await thread.until(Promise.resolve(task.yield()));
    }
    assert.deepEqual(reported, [30]);
  });
});
