/** Tasks that share a thread. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Task } from "../../src/scheduling/task.ts";
import { FakeThread, LONG_MS } from "./fake_thread.ts";

/** Time after which a request and its task are no longer short. */
const NOT_SHORT_MS = 100;

/** Bytes of a short reading. */
const STEP_BYTES = 64 * 1024;

/** A task that works until it is told to end, and counts how often. */
class Worker {
  times = 0;
  isOver = false;
  readonly done: Promise<void>;

  constructor(thread: FakeThread, task: Task, ms = LONG_MS) {
    this.done = (async () => {
      while (!this.isOver) {
        thread.nowMs += ms;
        this.times++;
        await task.yield();
      }
    })();
  }
}

async function end(thread: FakeThread, workers: readonly Worker[]): Promise<void> {
  for (const worker of workers) worker.isOver = true;
  await thread.until(Promise.all(workers.map(({ done }) => done)));
}

describe("a thread", () => {
  it("is as late as the task that has waited longest for its turn", async () => {
    const thread = new FakeThread();
    assert.equal(thread.scheduler.delayMs, 0);
    const workers = [new Worker(thread, thread.task()), new Worker(thread, thread.task())];
    await thread.tick();
    const delays: number[] = [];
    for (let i = 0; i < 20; i++) {
      await thread.tick();
      delays.push(thread.scheduler.delayMs);
    }
    assert.ok(Math.max(...delays) >= LONG_MS && Math.max(...delays) <= 5 * LONG_MS, `${delays}`);
    await end(thread, workers);
    assert.equal(thread.scheduler.delayMs, 0);
  });
});

describe("a task", () => {
  it("goes on in its tick until it has worked for a while", async () => {
    const thread = new FakeThread();
    const task = thread.task();
    assert.equal(task.yield(), undefined);
    thread.nowMs += 1;
    assert.equal(task.yield(), undefined);
    thread.nowMs += LONG_MS;
    assert.ok(await thread.until(task.yield()!) > 0);
    assert.equal(task.yield(), undefined);
  });

  it("has a tick that was waited for to itself again, however long it has waited for something else", async () => {
    const thread = new FakeThread();
    const task = thread.task();
    assert.equal(task.yield(), undefined);
    await thread.tick();
    thread.nowMs += LONG_MS;
    assert.equal(task.yield(), undefined);
  });

  it("shares a turn with all others", async () => {
    const thread = new FakeThread();
    const others = [thread.task("user-blocking"), thread.task("background")];
    assert.equal(thread.task().yield(), undefined);
    thread.nowMs += LONG_MS;
    for (const other of others) assert.ok(other.yield());
    for (let tick = 0; tick < 10; tick++) await thread.tick();
    assert.equal(others[0]!.yield(), undefined);
  });

  it("waits for no others while it is short, and works for a slice at most in each turn", async () => {
    const thread = new FakeThread();
    const [short, other] = [thread.task(), thread.task()];
    for (let turn = 0; turn < 2; turn++) {
      assert.equal(other.yield(), undefined);
      thread.nowMs += LONG_MS;
      assert.equal(short.yield(), undefined);
      thread.nowMs += 1;
      assert.equal(short.yield(), undefined);
      await thread.tick();
    }
    thread.nowMs += NOT_SHORT_MS;
    assert.equal(thread.task().yield(), undefined);
    thread.nowMs += LONG_MS;
    assert.ok(await thread.until(short.yield()!) > 0);
  });

  it("goes on although the host loses timers", async () => {
    const thread = new FakeThread();
    const [first, second] = [thread.task(), thread.task()];
    for (const task of [first, second]) assert.equal(task.yield(), undefined);
    thread.nowMs += LONG_MS;
    thread.losesTimers = true;
    first.yield();
    thread.losesTimers = false;
    await thread.until(second.yield()!);
  });
});

describe("tasks", () => {
  it("work one after the other, one in a tick", async () => {
    const thread = new FakeThread();
    const workers = ["a", "b", "c"].map(() => new Worker(thread, thread.task("user-blocking")));
    await thread.tick();
    for (let tick = 0; tick < 60; tick++) {
      const before = workers.reduce((sum, { times }) => sum + times, 0);
      await thread.tick();
      assert.ok(workers.reduce((sum, { times }) => sum + times, 0) <= before + 1);
    }
    const times = workers.map(({ times }) => times);
    assert.ok(Math.max(...times) - Math.min(...times) <= 2, times.join());
    assert.ok(Math.min(...times) >= 10, times.join());
    await end(thread, workers);
  });

  it("of a group have together as much time as another task", async () => {
    const thread = new FakeThread();
    const many = Array.from({ length: 6 }, () => new Worker(thread, thread.task("user-blocking", "many")));
    const one = new Worker(thread, thread.task("user-blocking", "one"));
    for (let tick = 0; tick < 100; tick++) await thread.tick();
    const together = many.reduce((sum, { times }) => sum + times, 0) - many.length;
    assert.ok(Math.abs(together - one.times) <= 2, `${together} and ${one.times}`);
    await end(thread, [...many, one]);
  });

  it("pause from time to time on a host that checks for input only then", async () => {
    for (const pollsInTicks of [false, true]) {
      const thread = new FakeThread(pollsInTicks);
      const worker = new Worker(thread, thread.task("user-blocking"));
      while (worker.times < 20) await thread.tick();
      assert.ok(pollsInTicks ? thread.pauses === 0 : thread.pauses >= 8, `${thread.pauses} pauses`);
      await end(thread, [worker]);
    }
  });

  it("pause before each turn while a short request is near, after the work and not during it", async () => {
    const thread = new FakeThread();
    const long = new Worker(thread, thread.task("background"));
    while (long.times < 5) await thread.tick();
    for (let turn = 0; turn < 5; turn++) {
      thread.scheduler.requests.begin()();
      const { pauses } = thread;
      const { times } = long;
      while (long.times === times) await thread.tick();
      assert.ok(thread.pauses > pauses, `turn ${turn}`);
    }
    await end(thread, [long]);
  });

  it("that are short do not pause each", async () => {
    const thread = new FakeThread();
    const first = thread.task();
    first.yield();
    thread.nowMs += LONG_MS;
    const waiting = Array.from({ length: 10 }, () => thread.task().yield()!);
    await thread.until(Promise.all(waiting));
    assert.ok(thread.pauses <= 1, `${thread.pauses} pauses`);
  });
});

describe("long work", () => {
  it("waits while short requests are under way, but not for ever", async () => {
    for (const priority of ["user-visible", "background"] as const) {
      const thread = new FakeThread();
      const long = thread.task(priority);
      thread.nowMs += NOT_SHORT_MS;
      const endRequest = thread.scheduler.requests.begin();
      const sinceMs = thread.nowMs;
      await thread.until(long.yield()!);
      assert.ok(thread.nowMs - sinceMs >= 5, `${thread.nowMs - sinceMs} ms`);
      assert.ok(thread.nowMs - sinceMs < 20, `${thread.nowMs - sinceMs} ms`);
      endRequest();
      await thread.tick();
      thread.nowMs += NOT_SHORT_MS;
      assert.ok(await thread.until(long.yield()!) <= 2);
    }
  });

  it("is what has taken long, or is in the background, but not what many share", async () => {
    const thread = new FakeThread();
    const [short, shared, background] = [
      thread.task(),
      thread.task("user-blocking"),
      thread.task("background"),
    ];
    thread.scheduler.requests.begin();
    short.yield();
    thread.nowMs += LONG_MS;
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const waiting = [
      background.yield()!.then(note("background")),
      short.yield()!.then(note("short")),
      shared.yield()!.then(note("shared")),
    ];
    await thread.until(Promise.all(waiting));
    assert.deepEqual(order, ["short", "shared", "background"]);
  });

  it("gets about a fifth of the thread during short work, in total", async () => {
    const thread = new FakeThread();
    const long = ["a", "b"].map(() => new Worker(thread, thread.task("background"), 2));
    const short = ["a", "b", "c"].map(() => new Worker(thread, thread.task("user-blocking"), 2));
    while (short[0]!.times < 100) await thread.tick();
    const [longTimes, shortTimes] = [long, short].map((all) =>
      all.reduce((sum, { times }) => sum + times, 0)
    );
    const share = longTimes! / (longTimes! + shortTimes!);
    assert.ok(share > 0.15 && share < 0.3, `${(share * 100).toFixed(0)} %`);
    await end(thread, [...long, ...short]);
  });

  it("does not wait for requests that are long themselves", async () => {
    const thread = new FakeThread();
    const long = thread.task("background");
    thread.scheduler.requests.begin();
    thread.nowMs += NOT_SHORT_MS;
    assert.ok(await thread.until(long.yield()!) <= 2);
  });
});

describe("new work", () => {
  it("lets others pass while several requests are under way", async () => {
    const thread = new FakeThread();
    thread.scheduler.requests.begin();
    assert.equal(thread.task().begin(), undefined, "a request alone");
    thread.scheduler.requests.begin();
    const order: string[] = [];
    const answers = ["first", "second", "third"].map(async (name) => {
      await thread.task().begin();
      thread.nowMs += LONG_MS;
      order.push(name);
    });
    assert.deepEqual(order, [], "what comes now is answered before");
    await thread.until(Promise.all(answers));
    assert.deepEqual(order, ["first", "second", "third"]);
  });
});

describe("idle work", () => {
  it("waits while any request is under way, but not for ever", async () => {
    const thread = new FakeThread();
    const task = thread.task("background");
    await thread.until(task.idle()!);
    assert.equal(task.idle(), undefined);
    let endRequest = thread.scheduler.requests.begin();
    thread.nowMs += NOT_SHORT_MS;
    let hasGoneOn = false;
    const waiting = task.idle(1_000_000)!.then(() => hasGoneOn = true);
    for (let tick = 0; tick < 50; tick++) await thread.tick();
    assert.equal(hasGoneOn, false);
    endRequest();
    await thread.until(waiting);
    endRequest = thread.scheduler.requests.begin();
    thread.nowMs += NOT_SHORT_MS;
    const sinceMs = thread.nowMs;
    await thread.until(task.idle(50)!);
    assert.ok(thread.nowMs - sinceMs >= 50);
    endRequest();
  });
});

describe("what is read", () => {
  it("counts as work of the turn", async () => {
    const { scheduler, tick, task } = withThread();
    const background = task("background");
    scheduler.countRead(STEP_BYTES);
    assert.equal(scheduler.readLater(), undefined);
    assert.equal(task().yield(), undefined);
    scheduler.countRead(1000 * STEP_BYTES);
    assert.ok(scheduler.readLater());
    assert.ok(background.yield());
    for (let ticks = 0; ticks < 5; ticks++) await tick();
    assert.equal(scheduler.readLater(), undefined);
  });

  it("is less in a turn while several requests are under way", () => {
    const stepsOfTurn = (requests: number) => {
      const { scheduler } = withThread();
      for (let request = 0; request < requests; request++) scheduler.requests.begin();
      let steps = 0;
      for (; scheduler.readLater() === undefined; steps++) scheduler.countRead(STEP_BYTES);
      return steps;
    };
    assert.ok(stepsOfTurn(2) < stepsOfTurn(1));
  });

  function withThread() {
    const thread = new FakeThread();
    return { scheduler: thread.scheduler, tick: () => thread.tick(), task: thread.task.bind(thread) };
  }
});
