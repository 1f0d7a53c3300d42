import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createPauses,
  IN_THREAD_RETRY_SECONDS,
  InThread,
  MAX_IN_THREAD,
  MAX_WAITING_IN_THREAD,
  TurnsOver,
} from "../../src/diff_service/in_thread.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { TURN_MS, Turns } from "../../src/time/turns.ts";

const HOSTILE = "rad:zhostile" as RepoId;
const HONEST = "rad:zhonest" as RepoId;

let nowMs = 0;

/** Works for as long as a turn lasts. */
function workATurn(): void {
  nowMs += TURN_MS;
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

describe("work in place", () => {
  it("is done a few at a time, other repositories and peers before more of the same", async () => {
    const inThread = new InThread(() => nowMs);
    const begun: string[] = [];
    const held = Array.from({ length: MAX_IN_THREAD + 1 }, (_, i) => heldWork(begun, `h${i}`));
    const honest = heldWork(begun, "honest");
    const done = held.map(({ work }) => inThread.run(HOSTILE, undefined, 1, work));
    done.push(inThread.run(HONEST, { peer: "192.0.2.2" }, 1, honest.work));
    held[0]!.end();
    assert.equal(await done[0], "h0");
    await Promise.resolve();
    assert.deepEqual(begun.slice(MAX_IN_THREAD), ["honest"]);
    for (const { end } of [...held, honest]) end();
    assert.deepEqual((await Promise.all(done)).at(-2), `h${MAX_IN_THREAD}`);
  });

  it("is refused when too much waits, and goes on after failures", async () => {
    const inThread = new InThread(() => nowMs);
    const { work, end } = heldWork([], "h");
    const waiting = Array.from(
      { length: MAX_IN_THREAD + MAX_WAITING_IN_THREAD },
      () => inThread.run(HOSTILE, undefined, 1, work),
    );
    await assert.rejects(inThread.run(HOSTILE, undefined, 1, work), {
      code: "unavailable",
      retryAfterSeconds: IN_THREAD_RETRY_SECONDS,
    });
    end();
    await Promise.all(waiting);
    await assert.rejects(inThread.run(HONEST, undefined, 1, () => Promise.reject(new Error("odd"))), /odd/);
    assert.equal(await inThread.run(HONEST, undefined, 1, work), "h");
  });

  it("has its own number of turns, whoever else has some", async () => {
    const inThread = new InThread(() => nowMs);
    const steps = (rid: RepoId, count: number) =>
      inThread.run(rid, undefined, 3, async (pause) => {
        for (let step = 0; step < count; step++) {
          const pausing = pause();
          if (pausing !== undefined) await pausing;
          workATurn();
        }
        return rid;
      });
    const hostile = Array.from({ length: 5 }, () => steps(HOSTILE, 9));
    const honest = steps(HONEST, 2);
    for (const promise of hostile) await assert.rejects(promise, TurnsOver);
    assert.equal(await honest, HONEST);
  });
});

describe("pauses", () => {
  it("are made when a turn is over, and let others go on meanwhile", async () => {
    const turns = new Turns(() => nowMs);
    const pause = createPauses(turns, Infinity);
    assert.equal(pause(), undefined);
    workATurn();
    let haveOthersGoneOn = false;
    setTimeout(() => haveOthersGoneOn = true, 0);
    await pause();
    assert.equal(haveOthersGoneOn, true);
  });

  it("are refused after so many turns", async () => {
    const pause = createPauses(new Turns(() => nowMs), 2);
    workATurn();
    await pause();
    workATurn();
    assert.throws(pause, TurnsOver);
  });
});
