import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PRACTICE_VERSIONS, practise } from "../../src/comparison/practice.ts";

describe("practice", () => {
  it("compares all versions, and needs no libgit2 for it", async () => {
    assert.equal(await practise(() => false, Infinity), PRACTICE_VERSIONS);
  });

  it("ends when it has taken long enough", async () => {
    assert.equal(await practise(() => false, 0), 0);
  });

  it("ends when the service does", async () => {
    let turns = 0;
    assert.equal(await practise(() => ++turns === 3, Infinity), 2);
  });
});
