/** Publishers that are killed. */
import { describe, it } from "node:test";
import { killPublishers } from "./counted_kills.ts";

for (const conditional of [true, false]) {
  const puts = `${conditional ? "with" : "without"} conditional puts`;

  describe(`a bucket ${puts}`, () => {
    it("has whole states alone when publishers are killed, and nothing is left over", async () => {
      await killPublishers({ seed: conditional ? 1 : 2, kills: 25, conditional });
    });
  });
}
