import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPauses, TURN_MS, TurnsOver } from "../../src/comparison/pauses.ts";

describe("pauses", () => {
  it("are made when a turn is over, and let others go on meanwhile", async () => {
    let time = 0;
    const pause = createPauses(Infinity, () => time);
    assert.equal(pause(), undefined);
    time += TURN_MS;
    const said: string[] = [];
    const pausing = pause()?.then(() => said.push("work"));
    await new Promise((resume) => setTimeout(() => resume(said.push("others")), 0));
    await pausing;
    assert.deepEqual(said.toSorted(), ["others", "work"]);
    assert.equal(pause(), undefined);
  });

  it("are refused after so many turns", async () => {
    let time = 0;
    const pause = createPauses(2, () => time);
    time += TURN_MS;
    await pause();
    assert.equal(pause(), undefined);
    time += TURN_MS;
    assert.throws(pause, TurnsOver);
  });
});
