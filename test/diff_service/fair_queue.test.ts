import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FairQueue, USE_HALF_LIFE_MS } from "../../src/diff_service/fair_queue.ts";
import { FakeClock } from "./fake_workers.ts";

interface Work {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Work that is named after its groups and a number: `R1 p`. */
const work = (name: string, ...groups: string[]): Work => ({ name, groups });

function createQueue(limit = 10): { queue: FairQueue<Work>; clock: FakeClock } {
  const clock = new FakeClock();
  return { queue: new FairQueue(limit, clock.now), clock };
}

/** Does all work, `ms` for each, and tells in which order. */
function order(queue: FairQueue<Work>, clock: FakeClock, ms = 100): string[] {
  const names: string[] = [];
  for (let next = queue.next(); next !== undefined; next = queue.next()) {
    names.push(next.name);
    queue.begin(next);
    clock.pass(ms);
    queue.end(next);
  }
  return names;
}

describe("a fair queue", () => {
  it("keeps the order of one group's work", () => {
    const { queue, clock } = createQueue();
    for (const name of ["a", "b", "c"]) queue.add(work(name, "R"));
    assert.deepEqual(order(queue, clock), ["a", "b", "c"]);
  });

  it("lets the work of two groups take turns, however much one has waiting", () => {
    const { queue, clock } = createQueue();
    for (const name of ["h1", "h2", "h3", "h4"]) queue.add(work(name, "hostile"));
    for (const name of ["a1", "a2"]) queue.add(work(name, "honest"));
    assert.deepEqual(order(queue, clock), ["h1", "a1", "h2", "a2", "h3", "h4"]);
  });

  it("counts time, not pieces", () => {
    const { queue, clock } = createQueue();
    const long = work("long", "hostile");
    queue.begin(long);
    clock.pass(250);
    queue.end(long);
    queue.add(work("h1", "hostile"));
    for (const name of ["a1", "a2", "a3", "a4"]) queue.add(work(name, "honest"));
    assert.deepEqual(order(queue, clock), ["a1", "a2", "a3", "h1", "a4"]);
  });

  it("counts work that is still being done", () => {
    const { queue, clock } = createQueue();
    queue.begin(work("long", "hostile"));
    clock.pass(100);
    queue.add(work("h1", "hostile"));
    queue.add(work("a1", "honest"));
    assert.equal(queue.next()?.name, "a1");
  });

  it("prefers another peer's work in the same repository, and another repository of the same peer", () => {
    const { queue, clock } = createQueue();
    queue.add(work("h1", "R", "hostile"));
    queue.add(work("h2", "R", "hostile"));
    queue.add(work("other repository", "S", "hostile"));
    queue.add(work("other peer", "R", "honest"));
    queue.add(work("both", "S", "honest"));
    assert.deepEqual(order(queue, clock), ["h1", "both", "h2", "other repository", "other peer"]);
  });

  it("forgets what was used long ago", () => {
    const { queue, clock } = createQueue();
    const [early, late] = [work("early", "one"), work("late", "other")];
    for (const [done, ms] of [[early, 1000], [late, 300]] as const) {
      queue.begin(done);
      clock.pass(ms);
      queue.end(done);
      if (done === early) clock.pass(2 * USE_HALF_LIFE_MS);
    }
    queue.add(work("a", "other"));
    queue.add(work("b", "one"));
    assert.equal(queue.next()?.name, "b");
  });

  it("passes over work that may not be done now", () => {
    const { queue } = createQueue();
    queue.begin(work("running", "R"));
    queue.add(work("a", "R"));
    queue.add(work("b", "S"));
    assert.equal(queue.next((waiting) => queue.isNew(waiting))?.name, "b");
    assert.equal(queue.next((waiting) => queue.isNew(waiting)), undefined);
    assert.equal(queue.length, 1);
  });

  it("refuses, when it is full, the latest of those who have the most waiting", () => {
    const { queue } = createQueue(3);
    for (const name of ["h1", "h2", "h3"]) assert.equal(queue.add(work(name, "hostile")), undefined);
    assert.equal(queue.add(work("h4", "hostile"))?.name, "h4");
    assert.equal(queue.add(work("a1", "honest"))?.name, "h3");
    assert.equal(queue.add(work("a2", "honest"))?.name, "a2");
    assert.deepEqual([...queue.values()].map(({ name }) => name), ["h1", "h2", "a1"]);
  });

  it("gives up work that is taken out", () => {
    const { queue, clock } = createQueue();
    const gone = work("gone", "R");
    queue.add(gone);
    queue.add(work("stays", "R"));
    assert.deepEqual([queue.delete(gone), queue.delete(gone)], [true, false]);
    assert.deepEqual(order(queue, clock), ["stays"]);
  });
});
