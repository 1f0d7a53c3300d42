/** Shares of clients: how much, how soon again, and for how many clients. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BURST_SECONDS,
  ClientShares,
  MAX_CLIENTS,
  TOGETHER,
  TOGETHER_FACTOR,
} from "../../../adapters/operation/client_share.ts";

describe("the share of a client", () => {
  it("is used up after a burst, and grows again with time", () => {
    let nowMs = 1000;
    const shares = new ClientShares(2, () => nowMs);
    const takeAll = (key: string) => {
      let taken = 0;
      while (shares.take(key) === undefined) taken++;
      return taken;
    };
    assert.equal(takeAll("a"), 2 * BURST_SECONDS);
    assert.equal(shares.take("a"), 0.5);
    assert.equal(takeAll("b"), 2 * BURST_SECONDS);
    nowMs += 499;
    assert.ok(shares.take("a")! > 0);
    nowMs += 1;
    assert.equal(takeAll("a"), 1);
    nowMs += 3_600_000;
    assert.equal(takeAll("a"), 2 * BURST_SECONDS);
    assert.equal(takeAll(TOGETHER), 2 * BURST_SECONDS * TOGETHER_FACTOR);
  });

  it("is remembered of so many clients, those that have asked last", () => {
    const shares = new ClientShares(1, () => 0);
    for (let i = 0; i < MAX_CLIENTS + 500; i++) {
      shares.take(`client ${i}`);
      while (shares.take("busy") === undefined);
    }
    assert.equal(shares.size, MAX_CLIENTS);
    assert.ok(shares.take("busy")! > 0);
  });
});
