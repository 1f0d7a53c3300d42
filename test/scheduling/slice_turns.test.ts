/** Computations that share the turns of one event loop. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers";
import { RequestsUnderWay, SHORT_REQUEST_MS } from "../../src/scheduling/requests_under_way.ts";
import { MAX_WAIT_MS, SliceTurns, TURN_MS, TURNS_AT_ONCE } from "../../src/scheduling/slice_turns.ts";
import { SLICE_MS, TimeSlices } from "../../src/scheduling/time_slices.ts";

/** A thread with a clock that only its work moves. */
class Thread {
  nowMs = 0;
  readonly now = () => this.nowMs;
  readonly requests = new RequestsUnderWay(this.now);
  readonly turns = new SliceTurns(this.now, this.requests);

  slices(longAfterMs = SHORT_REQUEST_MS): TimeSlices {
    return new TimeSlices(this.now, { turns: this.turns, longAfterMs });
  }
}

/** Lets some turns of the event loop pass. */
async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resume) => setTimeout(resume, 1));
}

describe("the turns of a thread", () => {
  it("have one full slice each", async () => {
    const thread = new Thread();
    let begun = 0;
    let isTurnOver = true;
    const begin = () => {
      assert.equal(isTurnOver, true);
      isTurnOver = false;
      queueMicrotask(() => isTurnOver = true);
      begun++;
      thread.nowMs += SLICE_MS;
    };
    for (let i = 0; i < 3; i++) thread.turns.enter(begin, false);
    await new Promise((resume) => setImmediate(resume));
    assert.ok(begun <= 1, `${begun} in one turn`);
    while (begun < 3) await pass(1);
  });

  it("have a pause between them now and then", async () => {
    const thread = new Thread();
    let pauses = 0;
    const { setTimeout } = globalThis;
    globalThis.setTimeout = ((call: () => void, ms?: number) => {
      if (ms === 0) pauses++;
      return setTimeout(call, ms);
    }) as typeof setTimeout;
    try {
      const slices = thread.slices();
      for (let turn = 0; turn < 4 * TURNS_AT_ONCE; turn++) {
        thread.nowMs += SLICE_MS;
        await slices.next();
      }
    } finally {
      globalThis.setTimeout = setTimeout;
    }
    assert.ok(pauses >= 3, `${pauses} pauses`);
  });

  it("are of one computation after the other", async () => {
    const thread = new Thread();
    const order: string[] = [];
    const compute = async (name: string) => {
      const slices = thread.slices();
      for (let step = 0; step < 3; step++) {
        thread.nowMs += SLICE_MS;
        await slices.next();
        order.push(name);
      }
    };
    await Promise.all(["a", "b", "c"].map(compute));
    assert.equal(order.join(""), "abcabcabc");
  });

  it("have several slices that are short", async () => {
    const thread = new Thread();
    let begun = 0;
    const begin = () => void begun++;
    for (let i = 0; i < 10; i++) thread.turns.enter(begin, false);
    await pass(2);
    assert.equal(begun, 10);
  });

  it("go to short requests before long work, but not for ever", async () => {
    const thread = new Thread();
    const long = thread.slices();
    thread.nowMs += SHORT_REQUEST_MS;
    const end = thread.requests.begin();
    const short = thread.slices();
    thread.nowMs += SLICE_MS;
    let hasGoneOn = false;
    const waiting = long.next()!.then(() => hasGoneOn = true);
    await short.next();
    await pass(5);
    assert.equal(hasGoneOn, false);
    thread.nowMs += MAX_WAIT_MS;
    await waiting;
    end();
  });

  it("give all long work together one slice beside short requests", async () => {
    const thread = new Thread();
    const long = [thread.slices(0), thread.slices(0)];
    thread.nowMs += SHORT_REQUEST_MS;
    thread.requests.begin();
    let slices = 0;
    const waiting = long.map((work) => work.next()!.then(() => void slices++));
    thread.nowMs += MAX_WAIT_MS;
    await pass(5);
    assert.equal(slices, 1);
    thread.nowMs += SHORT_REQUEST_MS;
    await Promise.all(waiting);
  });

  it("have a fifth for long work, however much short work there is", async () => {
    const thread = new Thread();
    const long = thread.slices(0);
    const short = Array.from({ length: 3 }, () => thread.slices(Infinity));
    let isOver = false;
    const slices = { long: 0, short: 0 };
    const work = async (of: TimeSlices, kind: keyof typeof slices) => {
      while (!isOver) {
        thread.nowMs += SLICE_MS;
        await of.next();
        slices[kind]++;
      }
    };
    const all = [work(long, "long"), ...short.map((of) => work(of, "short"))];
    while (slices.short < 200) await pass(1);
    isOver = true;
    await Promise.all(all);
    const share = slices.long / (slices.long + slices.short);
    assert.ok(share > 0.15 && share < 0.25, `long work had ${(share * 100).toFixed(0)} % of the slices`);
  });

  it("do not let the work of many requests wait for one of them", async () => {
    const thread = new Thread();
    const shared = thread.slices(Infinity);
    thread.nowMs += 10 * SHORT_REQUEST_MS;
    thread.requests.begin();
    await shared.next();
  });

  it("are waited for by new work while several requests are under way", async () => {
    const thread = new Thread();
    const ends = [thread.requests.begin()];
    assert.equal(thread.slices().begin(), undefined, "a request alone");
    ends.push(thread.requests.begin());
    const log: string[] = [];
    const answer = async (name: string) => {
      await thread.slices().begin();
      thread.nowMs += TURN_MS;
      log.push(name);
    };
    const answers = [answer("first"), answer("second"), answer("third")];
    assert.deepEqual(log, [], "what comes now is answered before");
    await Promise.all(answers);
    assert.deepEqual(log, ["first", "second", "third"]);
    for (const end of ends) end();
  });
});
