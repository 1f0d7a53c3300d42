import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPauses, TURN_MS } from "../../src/comparison/pauses.ts";

describe("pauses", () => {
  it("are made when a turn is over, and let others go on meanwhile", async () => {
    let time = 0;
    const pause = createPauses(() => time);
    assert.equal(pause(), undefined);
    time += TURN_MS;
    const said: string[] = [];
    const pausing = pause()?.then(() => said.push("work"));
    await new Promise((resume) => setTimeout(() => resume(said.push("others")), 0));
    await pausing;
    assert.deepEqual(said.toSorted(), ["others", "work"]);
    assert.equal(pause(), undefined);
  });
});
