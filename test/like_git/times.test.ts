/** Times of commits that a double cannot hold, compared with what git says. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { EMPTY_TREE } from "../../src/git/empty_tree.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

const TIMES = [
  ...["0", "1700000000", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807"],
  ...["9223372036854775808", "18446744073709551615", "0000000000000000000000000000012345678901"],
];

describe("the time of a commit", () => {
  let home: GitHome;
  let made: MadeRepository;
  before(() => {
    home = new GitHome("times");
    made = home.create("times");
  });
  after(() => home.remove());

  function put(time: string, ...parents: string[]): Oid {
    const lines = [`tree ${EMPTY_TREE}`, ...parents.map((parent) => `parent ${parent}`)];
    const person = `A <a@b> ${time} +0000`;
    return made.git.put(
      "commit",
      `${[...lines, `author ${person}`, `committer ${person}`].join("\n")}\n\nx\n`,
    );
  }

  /** Committer times in a JSON text, by their digits. */
  const timesIn = (text: string) => [...text.matchAll(/"time":(-?\d+)/g)].map(([, digits]) => digits);

  for (const time of TIMES) {
    it(`is exact in every answer: ${time}`, async () => {
      const commit = put(time);
      const [expected] = made.git.text(["rev-list", "--timestamp", commit]).split(" ");
      assert.equal(BigInt(time), BigInt(expected!));
      for (
        const path of [
          `/commits/${commit}`,
          `/commits?parent=${commit}`,
          `/tree/${commit}/`,
          `today/commits/${commit}`,
        ]
      ) {
        assert.deepEqual(timesIn((await made.get(path)).text), [expected], path);
      }
    });
  }

  it("is the nearest that 64 bits hold, where they do not hold it", async () => {
    const times: Record<string, string> = {
      "18446744073709551616": "18446744073709551615",
      [`1${"0".repeat(100_000)}`]: "18446744073709551615",
      "-5": "-5",
      "-9223372036854775808": "-9223372036854775808",
      "-99999999999999999999": "-9223372036854775808",
    };
    for (const [time, expected] of Object.entries(times)) {
      assert.deepEqual(timesIn((await made.get(`/commits/${put(time)}`)).text), [expected]);
    }
  });

  it("orders histories, is compared with bounds, and is exact in the activity", async () => {
    const base = 2n ** 53n;
    const root = put("1");
    const sides = [base + 1n, base + 3n, base, base + 2n].map((time) => put(String(time), root));
    const tip = put(String(base + 4n), ...sides);
    made.git.setRef("refs/heads/master", tip);
    const { body } = await made.get(`today/commits?parent=${tip}`);
    const ids = body.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, made.git.text(["rev-list", "--date-order", tip]).split("\n"));
    const { text } = await made.get(`today/commits?parent=${tip}&since=${base + 1n}&until=${base + 3n}`);
    assert.deepEqual(timesIn(text), [base + 2n, base + 1n].map(String));
    const again = await made.get(`today/commits?parent=${tip}&since=${base + 2n}&until=${base + 3n}`);
    assert.deepEqual(timesIn(again.text), [String(base + 2n)]);
    const activity = /\[(.*)\]/.exec((await made.get("/activity")).text)?.[1];
    assert.equal(activity, [4n, 3n, 2n, 1n, 0n].map((more) => base + more).join());
  });
});
