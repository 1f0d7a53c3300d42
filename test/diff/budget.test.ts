import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { Budget, LARGEST_DIFF, OverBudgetError } from "../../src/diff/budget.ts";
import { TooLargeError } from "../../src/errors.ts";
import { Scheduler } from "../../src/scheduling/scheduler.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("a budget", () => {
  it("allows each limit, and nothing above it", () => {
    const budget = new Budget({
      treeBytes: 10,
      files: 15,
      fileBytes: 20,
      blobBytes: 30,
      textLines: 35,
      renameBytes: 40,
      renamePieces: 45,
      engineBytes: 50,
      engineLines: 60,
      enginePairs: 70,
      pauses: 1,
    });
    for (
      const [limit, most] of [
        ["files", 15],
        ["fileBytes", 20],
        ["blobBytes", 30],
        ["textLines", 35],
        ["renameBytes", 40],
        ["renamePieces", 45],
        ["engineBytes", 50],
        ["engineLines", 60],
        ["enginePairs", 70],
      ] as const
    ) {
      budget.check(limit, most);
      assert.throws(() => budget.check(limit, most + 1), OverBudgetError);
    }
  });

  it("is spent by trees one after the other", () => {
    const budget = new Budget({ ...LARGEST_DIFF, treeBytes: 10 });
    budget.spendTreeBytes(4);
    assert.equal(budget.treeBytesLeft, 6);
    budget.spendTreeBytes(6);
    assert.throws(() => budget.spendTreeBytes(1), OverBudgetError);
  });

  it("is reported as a diff that is too large", () => {
    const budget = new Budget();
    assert.throws(
      () => budget.check("fileBytes", LARGEST_DIFF.fileBytes + 1),
      (error) => error instanceof TooLargeError && error.name === "TooLargeError",
    );
  });

  it("lets others continue after some work, and ends after a number of pauses", async () => {
    let nowMs = 0;
    const task = new Task("user-visible", { scheduler: new Scheduler({ now: () => nowMs }) });
    const budget = new Budget({ ...LARGEST_DIFF, pauses: 1 }, task);
    let haveOthersGoneOn = false;
    setImmediate(() => haveOthersGoneOn = true);
    assert.equal(budget.yield(), undefined);
    nowMs += 10;
    await budget.yield();
    assert.equal(haveOthersGoneOn, true);
    nowMs += 10;
    assert.throws(() => budget.yield(), OverBudgetError);
  });
});
