/** Sign-ins that wait: bounded by sender, and never dropped once they have begun. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  MAX_WAITING,
  MAX_WAITING_BY_SENDER,
  type Sender,
  type SenderKind,
  WaitingSignIns,
} from "../../src/session/memory_table.ts";

const FOREIGN: Sender = { kind: "foreignPage", peer: "127.0.0.1", origin: "https://evil.example" };
const OTHER: Sender = { kind: "other", peer: "127.0.0.1", origin: "" };

/** Begins sign-ins until one is refused; how many were admitted. */
function fill(waiting: WaitingSignIns, sender: (i: number) => Sender, nowMs = 0): number {
  let i = 0;
  while (waiting.begin(`${sender(i).kind}${sender(i).origin}${i}`, sender(i), nowMs, nowMs + 60_000)) i++;
  return i;
}

describe("waiting sign-ins", () => {
  it(`are ${MAX_WAITING_BY_SENDER} for one peer and page`, () => {
    const waiting = new WaitingSignIns();
    assert.equal(fill(waiting, () => FOREIGN), MAX_WAITING_BY_SENDER);
    assert.equal(fill(waiting, () => ({ ...FOREIGN, origin: "https://b.example" })), MAX_WAITING_BY_SENDER);
    assert.equal(fill(waiting, () => ({ ...FOREIGN, peer: "192.0.2.7" })), MAX_WAITING_BY_SENDER);
  });

  for (const kind of Object.keys(MAX_WAITING) as SenderKind[]) {
    it(`of kind "${kind}" leave the shares of all other kinds`, () => {
      const waiting = new WaitingSignIns();
      const admitted = fill(waiting, (i) => ({ kind, peer: `p${i}`, origin: `o${i}` }));
      assert.equal(admitted, MAX_WAITING[kind]);
      for (const other of Object.keys(MAX_WAITING) as SenderKind[]) {
        assert.equal(waiting.begin(other, { kind: other, peer: "", origin: "" }, 0, 60_000), other !== kind);
      }
    });
  }

  it("make room when they end: by a signature, or after their time", () => {
    const waiting = new WaitingSignIns();
    fill(waiting, () => OTHER);
    waiting.end("unknown");
    assert.ok(!waiting.begin("a", OTHER, 1, 60_001));
    waiting.end("other0");
    waiting.end("other0");
    assert.ok(waiting.begin("a", OTHER, 1, 60_001));
    assert.ok(!waiting.begin("b", OTHER, 59_999, 119_999));
    assert.ok(waiting.begin("b", OTHER, 60_000, 120_000));
  });

  it("tell long names of senders apart by their beginnings, so that none is remembered whole", () => {
    const waiting = new WaitingSignIns();
    const admitted = fill(waiting, (i) => ({ ...FOREIGN, origin: `https://${"a".repeat(300)}${i}` }));
    assert.equal(admitted, MAX_WAITING_BY_SENDER);
  });
});
