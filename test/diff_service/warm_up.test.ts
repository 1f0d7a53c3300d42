import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { WARM_UP_ROUNDS, warmUpCompiler, warmUpLibgit2 } from "../../src/diff_service/warm_up.ts";
import { Libgit2 } from "../../src/diff/libgit2/engine.ts";

describe("the warm-up of libgit2", () => {
  it("has libgit2 compiled", async () => {
    let loads = 0;
    const libgit2 = new Libgit2(() => (loads++, loadLibgit2()));
    await warmUpLibgit2(libgit2);
    assert.equal(loads, 1);
  });

  it("does not mind that libgit2 cannot be had", async () => {
    await warmUpLibgit2(new Libgit2(() => Promise.reject(new Error("no such file"))));
  });
});

describe("the warm-up of the compiler", () => {
  it("needs no libgit2", async () => {
    assert.equal(await warmUpCompiler(() => false, Infinity), WARM_UP_ROUNDS);
  });

  it("ends when it has taken long enough", async () => {
    assert.equal(await warmUpCompiler(() => false, 0), 0);
  });

  it("ends when the service does", async () => {
    let turns = 0;
    assert.equal(await warmUpCompiler(() => ++turns === 3, Infinity), 2);
  });
});
