import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LARGEST_DIFF, OverBudgetError } from "../../src/diff/budget.ts";
import { InThread, MAX_IN_THREAD, MAX_WAITING_IN_THREAD } from "../../src/diff_service/in_thread.ts";
import { UnavailableError } from "../../src/errors.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { Scheduler } from "../../src/scheduling/scheduler.ts";

const HOSTILE = "rad:zhostile" as RepoId;
const HONEST = "rad:zhonest" as RepoId;

let nowMs = 0;

/** Works for longer than others may wait. */
function workLong(): void {
  nowMs += 10;
}

/** Work that ends when it is told to, and notes when it begins. */
function heldWork(begun: string[], name: string): { work: () => Promise<string>; end: () => void } {
  const end = Promise.withResolvers<void>();
  return {
    work: async () => {
      begun.push(name);
      await end.promise;
      return name;
    },
    end: end.resolve,
  };
}

describe("work in this thread", () => {
  it("is done a few at a time, other repositories and peers before more of the same", async () => {
    const inThread = new InThread(new Scheduler({ now: () => nowMs }));
    const begun: string[] = [];
    const held = Array.from({ length: MAX_IN_THREAD + 1 }, (_, i) => heldWork(begun, `h${i}`));
    const honest = heldWork(begun, "honest");
    const done = held.map(({ work }) => inThread.run(HOSTILE, {}, LARGEST_DIFF, work));
    done.push(inThread.run(HONEST, { peer: "192.0.2.2" }, LARGEST_DIFF, honest.work));
    assert.equal(inThread.waiting, 2);
    held[0]!.end();
    assert.equal(await done[0], "h0");
    await Promise.resolve();
    assert.deepEqual(begun.slice(MAX_IN_THREAD), ["honest"]);
    for (const { end } of [...held, honest]) end();
    assert.deepEqual((await Promise.all(done)).at(-2), `h${MAX_IN_THREAD}`);
  });

  it("is refused when too much waits, and goes on after failures", async () => {
    const inThread = new InThread(new Scheduler({ now: () => nowMs }));
    const { work, end } = heldWork([], "h");
    const waiting = Array.from(
      { length: MAX_IN_THREAD + MAX_WAITING_IN_THREAD },
      () => inThread.run(HOSTILE, {}, LARGEST_DIFF, work),
    );
    await assert.rejects(
      inThread.run(HOSTILE, {}, LARGEST_DIFF, work),
      (error) => error instanceof UnavailableError && error.retryAfterSeconds! >= 1,
    );
    end();
    await Promise.all(waiting);
    await assert.rejects(
      inThread.run(HONEST, {}, LARGEST_DIFF, () => Promise.reject(new Error("odd"))),
      /odd/,
    );
    assert.equal(await inThread.run(HONEST, {}, LARGEST_DIFF, work), "h");
  });

  it("counts only its own pauses", async () => {
    const inThread = new InThread(new Scheduler({ now: () => nowMs }));
    const steps = (rid: RepoId, count: number) =>
      inThread.run(rid, {}, { ...LARGEST_DIFF, pauses: 2 }, async (budget) => {
        for (let step = 0; step < count; step++) {
          const pause = budget.yield();
          if (pause !== undefined) await pause;
          workLong();
        }
        return rid;
      });
    const hostile = Array.from({ length: 5 }, () => steps(HOSTILE, 9));
    const honest = steps(HONEST, 2);
    for (const promise of hostile) await assert.rejects(promise, OverBudgetError);
    assert.equal(await honest, HONEST);
  });
});
