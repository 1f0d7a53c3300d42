/** Sign-ins that wait: bounded by sender, and never dropped once they have begun. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MAX_WAITING,
  MAX_WAITING_OF_CLIENT,
  MAX_WAITING_TOGETHER,
  type Sender,
  type SenderKind,
  WaitingSignIns,
} from "../../src/session/memory_table.ts";
import { TOGETHER } from "../../src/scheduling/limiter.ts";

const FOREIGN: Sender = { kind: "foreignPage", client: "192.0.2.1" };
const OTHER: Sender = { kind: "other", client: "192.0.2.1" };

/** Begins sign-ins until one is refused; how many were admitted. */
function fill(waiting: WaitingSignIns, sender: (i: number) => Sender, nowMs = 0): number {
  let i = 0;
  while (waiting.begin(`${sender(i).kind}${sender(i).client}${i}`, sender(i), nowMs, nowMs + 60_000)) i++;
  return i;
}

describe("waiting sign-ins", () => {
  it(`are ${MAX_WAITING_OF_CLIENT} for one client and class, more for clients without an address`, () => {
    const waiting = new WaitingSignIns();
    assert.equal(fill(waiting, () => FOREIGN), MAX_WAITING_OF_CLIENT);
    assert.equal(fill(waiting, () => ({ ...FOREIGN, client: "192.0.2.7" })), MAX_WAITING_OF_CLIENT);
    assert.equal(fill(waiting, () => OTHER), MAX_WAITING_OF_CLIENT);
    assert.equal(fill(waiting, () => ({ ...OTHER, client: TOGETHER })), MAX_WAITING_TOGETHER);
  });

  it("of the owner, and of who holds the key, are bound by their class alone", () => {
    const waiting = new WaitingSignIns();
    assert.equal(fill(waiting, () => ({ kind: "owner", client: TOGETHER })), MAX_WAITING.owner);
    assert.equal(fill(waiting, () => ({ kind: "key", client: "192.0.2.1" })), MAX_WAITING.key);
  });

  for (const kind of Object.keys(MAX_WAITING) as SenderKind[]) {
    it(`of kind "${kind}" leave the shares of all other kinds`, () => {
      const waiting = new WaitingSignIns();
      const admitted = fill(waiting, (i) => ({ kind, client: `client ${i}` }));
      assert.equal(admitted, MAX_WAITING[kind]);
      for (const other of Object.keys(MAX_WAITING) as SenderKind[]) {
        assert.equal(waiting.begin(other, { kind: other, client: "another" }, 0, 60_000), other !== kind);
      }
    });
  }

  it("make room when they end: by a signature, or after their time", () => {
    const waiting = new WaitingSignIns();
    fill(waiting, () => OTHER);
    waiting.end("unknown");
    assert.ok(!waiting.begin("a", OTHER, 1, 60_001));
    waiting.end(`other${OTHER.client}0`);
    waiting.end(`other${OTHER.client}0`);
    assert.ok(waiting.begin("a", OTHER, 1, 60_001));
    assert.ok(!waiting.begin("b", OTHER, 59_999, 119_999));
    assert.ok(waiting.begin("b", OTHER, 60_000, 120_000));
  });
});
