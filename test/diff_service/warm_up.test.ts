import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { warmUpLibgit2 } from "../../src/diff_service/warm_up.ts";
import { Libgit2 } from "../../src/diff/libgit2/engine.ts";

describe("the warm-up of libgit2", () => {
  it("has libgit2 compiled", async () => {
    let loads = 0;
    const libgit2 = new Libgit2(() => (loads++, loadLibgit2()));
    await warmUpLibgit2(libgit2);
    assert.equal(loads, 1);
  });

  it("asks libgit2 for a moved file", async () => {
    const libgit2 = new Libgit2(loadLibgit2);
    const answers: string[] = [];
    await warmUpLibgit2({
      patch: () => assert.fail("asked for lines"),
      async status(changes, contents) {
        const answer = await libgit2.status(changes, contents);
        answers.push(answer);
        return answer;
      },
    });
    assert.match(answers.join(), /^R\d*\t000000 +000001 *\n$/);
  });

  it("does not mind that libgit2 cannot be had", async () => {
    await warmUpLibgit2(new Libgit2(() => Promise.reject(new Error("no such file"))));
  });
});
