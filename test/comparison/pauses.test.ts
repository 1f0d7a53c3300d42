import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPauses, TurnsOver } from "../../src/comparison/pauses.ts";
import { TURN_MS, Turns } from "../../src/time/turns.ts";

let nowMs = 0;
const now = () => nowMs;

/** Works for as long as a turn lasts. */
function workATurn(): void {
  nowMs += TURN_MS;
}

describe("pauses", () => {
  it("are made when a turn is over, and let others go on meanwhile", async () => {
    const turns = new Turns(now);
    const pause = createPauses(turns, Infinity);
    assert.equal(pause(), undefined);
    workATurn();
    let haveOthersGoneOn = false;
    setTimeout(() => haveOthersGoneOn = true, 0);
    await pause();
    assert.equal(haveOthersGoneOn, true);
  });

  it("are refused after so many turns", async () => {
    const pause = createPauses(new Turns(now), 2);
    workATurn();
    await pause();
    workATurn();
    assert.throws(pause, TurnsOver);
  });
});
