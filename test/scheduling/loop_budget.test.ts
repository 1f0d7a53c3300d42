/** A budget of work per iteration of the event loop. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LoopBudget } from "../../src/scheduling/loop_budget.ts";

describe("a budget per iteration of the event loop", () => {
  it("lasts until it is spent, and begins anew with the next iteration", async () => {
    const budget = new LoopBudget(() => 10);
    budget.spend(9);
    assert.equal(budget.next(), undefined);
    budget.spend(1);
    await budget.next();
    assert.equal(budget.next(), undefined);
    budget.spend(10);
    assert.ok(budget.next() instanceof Promise);
  });

  it("has the limit of the moment", () => {
    let limit = 10;
    const budget = new LoopBudget(() => limit);
    budget.spend(6);
    assert.equal(budget.next(), undefined);
    limit = 5;
    assert.ok(budget.next() instanceof Promise);
  });

  it("begins anew for all who wait, also for those who do not", async () => {
    const budget = new LoopBudget(() => 10);
    budget.spend(10);
    const waiting = [budget.next(), budget.next()];
    await waiting[1];
    await waiting[0];
    assert.equal(budget.next(), undefined);
    budget.spend(5);
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => setTimeout(resolve, 0));
    budget.spend(6);
    assert.equal(budget.next(), undefined);
  });

  it("gives each caller a promise of its own: that of another one may never resolve", async () => {
    const budget = new LoopBudget(() => 10);
    budget.spend(10);
    const [first, second] = [budget.next(), budget.next()];
    assert.ok(first !== undefined && second !== undefined && first !== second);
    await Promise.all([first, second]);
  });
});
