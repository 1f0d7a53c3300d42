/** Publishers that are killed, and several at once. */
import { describe, it } from "node:test";
import { killPublishers } from "./counted_kills.ts";
import { publishTogether } from "./two_publishers.ts";

for (const conditional of [true, false]) {
  const puts = `${conditional ? "with" : "without"} conditional puts`;

  describe(`a bucket ${puts}`, () => {
    it("has whole states alone when publishers are killed, and nothing is left over", async () => {
      await killPublishers({ seed: conditional ? 1 : 2, kills: 25, conditional });
    });

    it("has whole states alone when two publishers work at once", async () => {
      for (let seed = 1; seed <= 2; seed++) await publishTogether({ seed, conditional });
    });
  });
}
