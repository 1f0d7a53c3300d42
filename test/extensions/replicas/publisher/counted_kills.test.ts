/** Publishers that are killed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { followPublishers, killPublishers } from "./counted_kills.ts";

for (const conditional of [true, false]) {
  const puts = `${conditional ? "with" : "without"} conditional puts`;

  describe(`a bucket ${puts}`, () => {
    it("has whole states alone when publishers are killed, and nothing is left over", async () => {
      await killPublishers({ seed: conditional ? 1 : 2, kills: 25, conditional });
    });

    it("reports all changes, or that some were missed, whenever publishers are killed", async () => {
      const told = await followPublishers({ seed: conditional ? 3 : 4, conditional });
      assert.ok(told > 5, `told ${told} times`);
    });
  });
}
