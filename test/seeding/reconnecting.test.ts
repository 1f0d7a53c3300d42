/** A node is heard again after each end of the connection. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseRid } from "../../src/ids/rid.ts";
import type { ChangeListener } from "../../src/ports/radicle_node.ts";
import { reconnecting, RETRY_MS } from "../../src/seeding/home_node.ts";
import { FakeTimers } from "../support/fake_timers.ts";

const RID = parseRid("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");

/** Hears a node that a test starts and stops. */
function hearNode() {
  const timers = new FakeTimers();
  const told: unknown[] = [];
  const ending = new AbortController();
  let isRunning = false;
  let tries = 0;
  let connection: { readonly listener: ChangeListener; readonly end: () => void } | undefined;
  const hear = reconnecting((listener, signal) => {
    tries++;
    if (!isRunning) return Promise.reject(new Error("nobody listens"));
    listener.onOpen();
    return new Promise((resolve) => {
      connection = { listener, end: resolve };
      signal.addEventListener("abort", () => resolve());
    });
  }, timers.startTimer);
  const hearing = hear({
    onOpen: () => told.push("open"),
    onStopped: () => told.push("stopped"),
    onChange: (rid) => told.push(rid),
  }, ending.signal);
  return {
    timers,
    told,
    ending,
    hearing,
    tries: () => tries,
    setRunning: (now: boolean) => void (isRunning = now),
    tell: () => connection!.listener.onChange(RID),
    end: () => connection!.end(),
  };
}

describe("reconnecting", () => {
  it("reports a stopped node, and changes once it runs", async () => {
    const { timers, told, setRunning, tell, ending, hearing } = hearNode();
    await timers.advance(RETRY_MS - 1);
    assert.deepEqual(told, ["stopped"]);
    setRunning(true);
    await timers.advance(1);
    tell();
    assert.deepEqual(told, ["stopped", "open", RID]);
    ending.abort();
    await hearing;
    assert.equal(timers.running, 0);
  });

  it("takes a node that has only let go of its reader for no stopped one", async () => {
    const { timers, told, setRunning, end, ending, hearing } = hearNode();
    setRunning(true);
    await timers.advance(RETRY_MS);
    end();
    await timers.advance(RETRY_MS);
    assert.deepEqual(told, ["stopped", "open", "open"]);
    setRunning(false);
    end();
    await timers.advance(RETRY_MS);
    assert.deepEqual(told, ["stopped", "open", "open", "stopped"]);
    ending.abort();
    await hearing;
  });

  it("ends at once between two tries", async () => {
    const { timers, told, tries, ending, hearing } = hearNode();
    await timers.advance(RETRY_MS);
    assert.equal(tries(), 2);
    ending.abort();
    await hearing;
    await timers.advance(2 * RETRY_MS);
    assert.deepEqual([tries(), timers.running, told], [2, 0, ["stopped", "stopped"]]);
  });
});
