import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  IN_PLACE_RETRY_SECONDS,
  InPlace,
  MAX_IN_PLACE,
  MAX_WAITING_IN_PLACE,
} from "../../src/comparison/in_place.ts";
import { TurnsOver } from "../../src/comparison/pauses.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import { TURN_MS } from "../../src/time/turns.ts";

const HOSTILE = "rad:zhostile" as RepoId;
const HONEST = "rad:zhonest" as RepoId;

let nowMs = 0;

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
    const inPlace = new InPlace(() => nowMs);
    const begun: string[] = [];
    const held = Array.from({ length: MAX_IN_PLACE + 1 }, (_, i) => heldWork(begun, `h${i}`));
    const honest = heldWork(begun, "honest");
    const done = held.map(({ work }) => inPlace.run(HOSTILE, undefined, 1, work));
    done.push(inPlace.run(HONEST, { peer: "192.0.2.2" }, 1, honest.work));
    held[0]!.end();
    assert.equal(await done[0], "h0");
    await Promise.resolve();
    assert.deepEqual(begun.slice(MAX_IN_PLACE), ["honest"]);
    for (const { end } of [...held, honest]) end();
    assert.deepEqual((await Promise.all(done)).at(-2), `h${MAX_IN_PLACE}`);
  });

  it("is refused when too much waits, and goes on after failures", async () => {
    const inPlace = new InPlace(() => nowMs);
    const { work, end } = heldWork([], "h");
    const waiting = Array.from(
      { length: MAX_IN_PLACE + MAX_WAITING_IN_PLACE },
      () => inPlace.run(HOSTILE, undefined, 1, work),
    );
    await assert.rejects(inPlace.run(HOSTILE, undefined, 1, work), {
      code: "unavailable",
      retryAfterSeconds: IN_PLACE_RETRY_SECONDS,
    });
    end();
    await Promise.all(waiting);
    await assert.rejects(inPlace.run(HONEST, undefined, 1, () => Promise.reject(new Error("odd"))), /odd/);
    assert.equal(await inPlace.run(HONEST, undefined, 1, work), "h");
  });

  it("has its own number of turns, whoever else has some", async () => {
    const inPlace = new InPlace(() => nowMs);
    const steps = (rid: RepoId, count: number) =>
      inPlace.run(rid, undefined, 3, async (pause) => {
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
