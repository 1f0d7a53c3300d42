import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoopBudget } from "../../src/scheduling/loop_budget.ts";
import { SLICE_MS, TimeSlices } from "../../src/scheduling/time_slices.ts";

let nowMs = 0;
const now = () => nowMs;

function work(ms: number): void {
  nowMs += ms;
}

/** Calls a function while timers of a delay are dropped, as workerd drops those of requests that are answered. */
function withoutTimersOf<T>(delayMs: number, call: () => T): T {
  const { setTimeout } = globalThis;
  const dropping = (callback: () => void, ms?: number) =>
    ms === delayMs ? undefined : setTimeout(callback, ms);
  globalThis.setTimeout = dropping as typeof setTimeout;
  try {
    return call();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
}

describe("time slices", () => {
  it("begin with the work, however long nobody has worked", async () => {
    const slices = new TimeSlices(now);
    work(SLICE_MS);
    await slices.run(() => {
      assert.equal(slices.next(), undefined);
      return Promise.resolve();
    });
  });

  it("are shared by pieces that follow each other in one turn of the event loop", async () => {
    const slices = new TimeSlices(now);
    for (const isOver of [false, true]) {
      await slices.run(() => {
        assert.equal(slices.next() !== undefined, isOver);
        work(SLICE_MS);
        return Promise.resolve();
      });
    }
    for (let turn = 0; turn < 3; turn++) await new Promise((resume) => setTimeout(resume, 0));
    await slices.run(() => {
      assert.equal(slices.next(), undefined);
      return Promise.resolve();
    });
  });

  it("are those of all pieces together", async () => {
    const slices = new TimeSlices(now);
    await slices.run(() =>
      slices.run(async () => {
        assert.equal(slices.next(), undefined);
        work(SLICE_MS);
        const pauses = [slices.next(), slices.next()];
        assert.ok(pauses[0] && pauses[1]);
        await pauses[0];
        assert.equal(slices.next(), undefined);
      })
    );
  });

  it("begin although a host has dropped a timer", async () => {
    const slices = new TimeSlices(now);
    await slices.run(async () => {
      work(SLICE_MS);
      const pause = withoutTimersOf(0, () => slices.next());
      assert.ok(pause);
      await pause;
    });
  });

  it("do not begin anew with another piece", async () => {
    const slices = new TimeSlices(now);
    await slices.run(async () => {
      work(SLICE_MS);
      await slices.run(async () => {
        assert.ok(slices.next());
        await slices.next();
      });
    });
  });

  it("go round between groups, however many pieces a group has", async () => {
    const slices = new TimeSlices(now);
    const order: string[] = [];
    const piece = (group: string, steps: number) =>
      slices.run(async () => {
        for (let step = 0; step < steps; step++) {
          const pause = slices.next(group);
          if (pause !== undefined) await pause;
          order.push(group);
          work(SLICE_MS);
        }
      }, group);
    const many = Array.from({ length: 6 }, () => piece("many", 1));
    await Promise.all([...many, piece("one", 2)]);
    assert.deepEqual(order, ["many", "many", "one", "many", "one", "many", "many", "many"]);
  });

  it("begin at once for a group when no other one works", async () => {
    const slices = new TimeSlices(now);
    await slices.run(() => {
      assert.equal(slices.next("one"), undefined);
      return Promise.resolve();
    }, "one");
    await slices.run(() => {
      assert.equal(slices.next("other"), undefined);
      return Promise.resolve();
    }, "other");
  });
});

describe("the budget of an iteration of the event loop", () => {
  it("is there again after the iteration", async () => {
    const budget = new LoopBudget(() => 8);
    budget.spend(8);
    const end = budget.next();
    assert.ok(end);
    await end;
    assert.equal(budget.next(), undefined);
  });

  it("is there again although a host has dropped a timer", async () => {
    const budget = new LoopBudget(() => 8);
    withoutTimersOf(0, () => budget.spend(8));
    await budget.next();
    assert.equal(budget.next(), undefined);
  });
});
