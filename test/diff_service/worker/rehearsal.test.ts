import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../../adapters/node/libgit2.ts";
import { PRACTICE_ROUNDS, practise, rehearse } from "../../../src/diff_service/worker/rehearsal.ts";
import { Libgit2 } from "../../../src/diff/libgit2/engine.ts";

describe("a rehearsal", () => {
  it("has libgit2 compiled", async () => {
    let loads = 0;
    const libgit2 = new Libgit2(() => (loads++, loadLibgit2()));
    await rehearse(libgit2);
    assert.equal(loads, 1);
  });

  it("does not mind that libgit2 cannot be had", async () => {
    await rehearse(new Libgit2(() => Promise.reject(new Error("no such file"))));
  });
});

describe("a practice", () => {
  it("needs no libgit2", async () => {
    assert.equal(await practise(() => false, Infinity), PRACTICE_ROUNDS);
  });

  it("ends when it has taken long enough", async () => {
    assert.equal(await practise(() => false, 0), 0);
  });

  it("ends when the service does", async () => {
    let turns = 0;
    assert.equal(await practise(() => ++turns === 3, Infinity), 2);
  });
});
