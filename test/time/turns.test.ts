import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TURN_MS, Turns } from "../../src/time/turns.ts";

function work(ms: number): void {
  for (const start = performance.now(); performance.now() - start < ms;);
}

describe("turns", () => {
  it("begin with the work, however long nobody has worked", async () => {
    const turns = new Turns();
    work(TURN_MS);
    await turns.run(() => {
      assert.equal(turns.next(), undefined);
      return Promise.resolve();
    });
  });

  it("are those of all pieces together", async () => {
    const turns = new Turns();
    await turns.run(() =>
      turns.run(async () => {
        assert.equal(turns.next(), undefined);
        work(TURN_MS);
        const pause = turns.next();
        assert.ok(pause);
        assert.equal(turns.next(), pause);
        await pause;
        assert.equal(turns.next(), undefined);
      })
    );
  });

  it("do not begin anew with another piece", async () => {
    const turns = new Turns();
    await turns.run(async () => {
      work(TURN_MS);
      await turns.run(async () => {
        assert.ok(turns.next());
        await turns.next();
      });
    });
  });
});
