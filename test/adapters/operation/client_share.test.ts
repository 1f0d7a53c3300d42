/** Shares of clients: how much, how soon again, and for how many clients. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BURST_SECONDS,
  ClientShares,
  MAX_CLIENTS,
  MAX_DEBT_SECONDS,
  REQUEST_MS,
  TOGETHER_FACTOR,
} from "../../../adapters/operation/client_share.ts";
import { TOGETHER } from "../../../src/scheduling/limiter.ts";

describe("the share of a client", () => {
  it("is used up after a burst, and grows again with time", () => {
    let nowMs = 1000;
    const shares = new ClientShares({ rate: 2, now: () => nowMs });
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
    const shares = new ClientShares({ rate: 1, now: () => 0 });
    for (let i = 0; i < MAX_CLIENTS + 500; i++) {
      shares.take(`client ${i}`);
      while (shares.take("busy") === undefined);
    }
    assert.equal(shares.size, MAX_CLIENTS);
    assert.ok(shares.take("busy")! > 0);
  });

  it("pays for what an answer has cost, with a debt if it must", () => {
    let nowMs = 0;
    const shares = new ClientShares({ rate: 1, now: () => nowMs });
    assert.equal(shares.take("a"), undefined);
    shares.charge("a", 9 * REQUEST_MS);
    let left = 0;
    while (shares.take("a") === undefined) left++;
    assert.equal(left, BURST_SECONDS - 10);
    shares.charge("a", 40 * REQUEST_MS);
    assert.equal(shares.take("a"), 41);
    nowMs += 40_000;
    assert.ok(shares.take("a")! > 0);
    nowMs += 1000;
    assert.equal(shares.take("a"), undefined);
    assert.equal(shares.take("b"), undefined);
    shares.charge("a", 1e9);
    assert.equal(shares.take("a"), MAX_DEBT_SECONDS + 1);
    shares.charge("a", 1e9);
    assert.equal(shares.take("a"), MAX_DEBT_SECONDS + 1);
  });

  it("is unlimited while no work waits, for clients without an address", () => {
    let isIdle = false;
    const shares = new ClientShares({ rate: 1, now: () => 0, isIdle: () => isIdle });
    shares.charge(TOGETHER, 1e9);
    shares.charge("a", 1e9);
    const wait = shares.take(TOGETHER)!;
    assert.ok(wait > 0 && wait < 1, `${wait}`);
    isIdle = true;
    for (let i = 0; i < 10_000; i++) assert.equal(shares.take(TOGETHER), undefined);
    assert.ok(shares.take("a")! > 0);
    isIdle = false;
    assert.equal(shares.take(TOGETHER), wait);
  });
});
