/** Concurrent work within limits: order, fairness, refusals. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Leave, Limiter, type LimiterOptions, TOGETHER } from "../../src/scheduling/limiter.ts";

/** Lets everything run that is due. */
const settle = () => new Promise((resume) => setTimeout(resume, 0));

/** A limiter whose work ends when a test says so, with a clock that the test moves. */
function createTest(bounds: ConstructorParameters<typeof Limiter>[0], options: LimiterOptions = {}) {
  let nowMs = 0;
  const limiter = new Limiter(bounds, { now: () => nowMs, ...options });
  const begun: string[] = [];
  const refused: string[] = [];
  const leaves = new Map<string, Leave>();
  return {
    limiter,
    begun,
    refused,
    pass: (ms: number) => void (nowMs += ms),
    /** Adds work that is named so. */
    add(name: string, ...keys: string[]) {
      limiter.add({ keys }, (leave) => {
        begun.push(name);
        leaves.set(name, leave);
      }, () => refused.push(name));
    },
    end: (name: string) => leaves.get(name)!(),
    /** Has all work begin that waits, each some time after the one before, which ends then. */
    finish(ms = 100) {
      for (let i = 0; i < begun.length; i++) {
        nowMs += ms;
        leaves.get(begun[i]!)!();
      }
      return begun;
    },
  };
}

describe("limited work", () => {
  it("begins at once within the limit, then in the order of arrival", () => {
    const { limiter, begun, add, end } = createTest({ atOnce: 2 });
    for (const name of ["a", "b", "c", "d"]) add(name);
    assert.deepEqual(begun, ["a", "b"]);
    assert.deepEqual([limiter.running, limiter.waiting], [2, 2]);
    end("b");
    end("b");
    assert.deepEqual(begun, ["a", "b", "c"]);
    end("a");
    end("c");
    assert.deepEqual([begun.join(""), limiter.running, limiter.waiting], ["abcd", 1, 0]);
  });

  it("gives its place to others when it ends, throws or rejects", async () => {
    const limiter = new Limiter({ atOnce: 1 });
    const steps: string[] = [];
    const work = (name: string) => async () => {
      steps.push(`${name} begins`);
      await settle();
      steps.push(`${name} ends`);
      return name;
    };
    const results = await Promise.allSettled([
      limiter.run(work("first")),
      limiter.run(() => Promise.reject(new Error("rejects"))),
      limiter.run(() => {
        throw new Error("throws");
      }),
      limiter.run(work("last")),
    ]);
    assert.deepEqual(
      results.map((result) => result.status === "fulfilled" ? result.value : String(result.reason)),
      [
        "first",
        "Error: rejects",
        "Error: throws",
        "last",
      ],
    );
    assert.deepEqual(steps, ["first begins", "first ends", "last begins", "last ends"]);
    assert.equal(limiter.running, 0);
  });

  it("may hold a place by itself, or take one only if it is free", async () => {
    const limiter = new Limiter({ atOnce: 1 });
    const leave = await limiter.enter();
    assert.equal(limiter.tryEnter(), undefined);
    const second = limiter.enter();
    leave();
    leave();
    (await second)();
    assert.ok(limiter.tryEnter());
    assert.equal(limiter.running, 1);
  });

  it("is limited for each key, and work of other keys passes by", () => {
    const { begun, add, end } = createTest({ atOnce: 3, ofKey: 1 });
    add("a1", "a");
    add("a2", "a");
    add("b", "b");
    add("without");
    assert.deepEqual(begun, ["a1", "b", "without"]);
    end("b");
    assert.deepEqual(begun, ["a1", "b", "without"]);
    end("a1");
    assert.deepEqual(begun, ["a1", "b", "without", "a2"]);
  });

  it("has only the limit of its key when there is no other", async () => {
    const limiter = new Limiter({ ofKey: 1 });
    const held = Promise.withResolvers<string>();
    const here = limiter.run(() => held.promise, { keys: ["here"] });
    const next = limiter.run(() => Promise.resolve("next"), { keys: ["here"] });
    assert.equal(await limiter.run(() => Promise.resolve("there"), { keys: ["there"] }), "there");
    held.reject(new Error("failed"));
    await assert.rejects(here, /failed/);
    assert.equal(await next, "next");
  });

  it("follows bounds that change", () => {
    let atOnce = 0;
    const { limiter, begun, add } = createTest(() => ({ atOnce }));
    add("a", "R");
    add("b", "R");
    assert.deepEqual(begun, []);
    atOnce = 1;
    limiter.beginNext();
    assert.deepEqual(begun, ["a"]);
    assert.equal(limiter.couldBegin({ atOnce: 2 }), true);
    assert.equal(limiter.couldBegin({ atOnce: 2, ofKey: 1 }), false);
    assert.deepEqual(begun, ["a"]);
  });

  it("that is taken for lost leaves its place to others", () => {
    const { limiter, begun, add, pass } = createTest({ atOnce: 1 }, { lostMs: 10 });
    add("lost");
    add("lost in the queue");
    pass(11);
    assert.equal(limiter.running, 0);
    add("a");
    add("b");
    assert.deepEqual(begun, ["lost", "a"]);
    pass(5);
    assert.equal(limiter.running, 1);
  });
});

describe("the queue", () => {
  it("keeps the order of one key", () => {
    const { add, finish } = createTest({ atOnce: 1 });
    for (const name of ["a", "b", "c"]) add(name, "R");
    assert.deepEqual(finish(), ["a", "b", "c"]);
  });

  it("keeps it while the clock goes on", () => {
    let nowMs = 0;
    const { add, finish } = createTest({ atOnce: 1 }, { now: () => nowMs += 0.1 });
    for (const name of ["a", "b", "c", "d"]) add(name, "R");
    assert.deepEqual(finish(), ["a", "b", "c", "d"]);
  });

  it("serves keys in rotation, however much one has waiting", () => {
    const { add, finish } = createTest({ atOnce: 1 });
    for (const name of ["h1", "h2", "h3", "h4"]) add(name, "hostile");
    for (const name of ["a1", "a2"]) add(name, "honest");
    assert.deepEqual(finish(), ["h1", "a1", "h2", "a2", "h3", "h4"]);
  });

  it("counts time, not pieces", () => {
    const { add, begun, end, pass, finish } = createTest({ atOnce: 1 });
    add("long", "hostile");
    pass(250);
    end("long");
    add("other");
    add("h1", "hostile");
    for (const name of ["a1", "a2", "a3", "a4"]) add(name, "honest");
    end("other");
    begun.splice(0, 2);
    assert.deepEqual(finish(), ["a1", "a2", "a3", "h1", "a4"]);
  });

  it("counts work that is still under way", () => {
    const { add, begun, end, pass } = createTest({ atOnce: 2 });
    add("long", "hostile");
    add("short");
    pass(100);
    add("h1", "hostile");
    add("a1", "honest");
    end("short");
    assert.deepEqual(begun, ["long", "short", "a1"]);
  });

  it("prefers another peer's work in the same repository, and another repository of the same peer", () => {
    const { add, finish } = createTest({ atOnce: 1 });
    add("h1", "R", "hostile");
    add("h2", "R", "hostile");
    add("other repository", "S", "hostile");
    add("other peer", "R", "honest");
    add("both", "S", "honest");
    assert.deepEqual(finish(), ["h1", "both", "h2", "other repository", "other peer"]);
  });

  it("forgets what was used long ago", () => {
    const { add, begun, end, pass } = createTest({ atOnce: 1 });
    add("early", "one");
    pass(1000);
    end("early");
    pass(60_000);
    add("late", "other");
    pass(300);
    add("a", "other");
    add("b", "one");
    end("late");
    assert.equal(begun.at(-1), "b");
  });

  it("records the use of some keys alone", () => {
    const { add, begun, end, pass } = createTest({ atOnce: 1 });
    const use = (key: string) => {
      add(key, key);
      pass(1);
      end(key);
    };
    for (let i = 0; i <= 5000; i++) use(`${i}`);
    add("running");
    for (const key of [5000, 4999, 0]) add(`again ${key}`, `${key}`);
    end("running");
    assert.equal(begun.at(-1), "again 0");
  });

  it("refuses, when it is full, the latest of those who have the most waiting", () => {
    const { add, refused, finish } = createTest({ atOnce: 1 }, { waiting: 3 });
    add("running");
    for (const name of ["h1", "h2", "h3", "h4"]) add(name, "hostile");
    assert.deepEqual(refused, ["h4"]);
    add("a1", "honest");
    assert.deepEqual(refused, ["h4", "h3"]);
    add("a2", "honest");
    assert.deepEqual(refused, ["h4", "h3", "a2"]);
    assert.deepEqual(finish().toSorted(), ["a1", "h1", "h2", "running"]);
  });

  it("of no length refuses at once what has no place", async () => {
    const limiter = new Limiter({ atOnce: 1 }, { waiting: 0, refusal: () => new Error("Too many") });
    const leave = await limiter.enter();
    await assert.rejects(limiter.enter(), /Too many/);
    await assert.rejects(limiter.run(() => Promise.resolve()), /Too many/);
    leave();
    assert.equal(await limiter.run(() => Promise.resolve("done")), "done");
  });

  it("refuses what has waited too long", async () => {
    const limiter = new Limiter({ atOnce: 1 }, { waitMs: 1, refusal: () => new Error("Too long") });
    const leave = await limiter.enter();
    await assert.rejects(limiter.enter(), /Too long/);
    assert.equal(limiter.waiting, 0);
    leave();
    assert.equal(limiter.running, 0);
  });

  it("drops work whose requester has left", async () => {
    const limiter = new Limiter({ atOnce: 1 });
    const leave = await limiter.enter();
    const client = new AbortController();
    const { signal } = client;
    const [left, stays] = [limiter.enter({ signal }), limiter.enter()];
    client.abort(new Error("left"));
    await assert.rejects(left, /left/);
    await assert.rejects(limiter.run(() => assert.fail("begun"), { signal }), /left/);
    leave();
    await stays;
    assert.deepEqual([limiter.running, limiter.waiting], [1, 0]);
  });

  it("lets a signal go when the work has begun", async () => {
    const limiter = new Limiter({ atOnce: 1 });
    const client = new AbortController();
    let listeners = 0;
    const { signal } = client;
    for (const [name, by] of [["addEventListener", 1], ["removeEventListener", -1]] as const) {
      const call = signal[name].bind(signal) as typeof signal.addEventListener;
      signal[name] = (...args: Parameters<typeof call>) => {
        listeners += by;
        call(...args);
      };
    }
    const leave = await limiter.enter({ signal });
    const second = limiter.enter({ signal });
    assert.equal(listeners, 1);
    leave();
    await second;
    assert.equal(listeners, 0);
    client.abort();
    assert.equal(limiter.running, 1);
  });

  it("can be refused as a whole", () => {
    const { limiter, add, refused, begun, end } = createTest({ atOnce: 1 });
    for (const name of ["a", "b", "c"]) add(name);
    limiter.refuseWaiting(new Error("closed"));
    end("a");
    assert.deepEqual([refused, begun], [["b", "c"], ["a"]]);
  });
});

describe("work of clients without an address", () => {
  it("has no limit of its own, and takes turns with other work as one client", () => {
    const { limiter, add, begun, end, pass } = createTest({ atOnce: 3, ofKey: 1 });
    for (const name of ["a", "b", "c", "d", "e"]) add(name, TOGETHER);
    add("one", "client 1");
    add("two", "client 1");
    assert.deepEqual(begun, ["a", "b", "c"]);
    pass(100);
    end("a");
    assert.deepEqual(begun.slice(3), ["one"]);
    end("b");
    assert.deepEqual(begun.slice(4), ["d"]);
    assert.equal(limiter.waiting, 2);
  });

  it("is refused first when the queue is full of it", () => {
    const { add, refused } = createTest({ atOnce: 1 }, { waiting: 3 });
    for (const name of ["a", "b", "c", "d"]) add(name, TOGETHER);
    add("one", "client 1");
    assert.deepEqual(refused, ["d"]);
  });
});
