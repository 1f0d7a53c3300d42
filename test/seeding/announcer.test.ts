import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../src/ids/rid.ts";
import { Announcer } from "../../src/seeding/announcer.ts";

const [A, B] = ["rad:za", "rad:zb"] as [RepoId, RepoId];

/** An announcer whose time stands still. */
function setUp(send: (rid: RepoId) => Promise<void> = () => Promise.resolve()) {
  const sent: RepoId[] = [];
  const timers = new Set<{ ms: number; call: () => void }>();
  const announcer = new Announcer({
    send: (rid) => (sent.push(rid), send(rid)),
    later(ms, call) {
      const timer = { ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  });
  const ring = (ms: number) => {
    for (const timer of [...timers].filter((one) => one.ms <= ms)) {
      timers.delete(timer);
      timer.call();
    }
  };
  return { announcer, sent, timers, ring };
}

describe("Announcer", () => {
  it("announces a change at once", () => {
    const { announcer, sent } = setUp();
    announcer.announce(A);
    assert.deepEqual(sent, [A]);
  });

  it("lets the changes of a second share one announcement, for each repository", () => {
    const { announcer, sent, ring } = setUp();
    for (const rid of [A, A, B, A]) announcer.announce(rid);
    assert.deepEqual(sent, [A, B]);
    ring(1000);
    assert.deepEqual(sent, [A, B, A]);
  });

  it("keeps the gap after an announcement that waited, too", () => {
    const { announcer, sent, ring } = setUp();
    announcer.announce(A);
    announcer.announce(A);
    ring(1000);
    announcer.announce(A);
    assert.deepEqual(sent, [A, A]);
    ring(1000);
    assert.deepEqual(sent, [A, A, A]);
  });

  it("announces at once again after a quiet second, and leaves no timer", () => {
    const { announcer, sent, ring, timers } = setUp();
    announcer.announce(A);
    ring(1000);
    assert.equal(timers.size, 0);
    announcer.announce(A);
    assert.deepEqual(sent, [A, A]);
  });

  it("sends what waits when it is closed", async () => {
    const { announcer, sent, timers } = setUp();
    for (const rid of [A, A, B]) announcer.announce(rid);
    await announcer.flush();
    assert.deepEqual(sent, [A, B, A]);
    assert.equal(timers.size, 0);
  });

  it("waits for what is on its way, though not for long", async () => {
    const answer = Promise.withResolvers<void>();
    const { announcer, ring } = setUp(() => answer.promise);
    announcer.announce(A);
    let ended = false;
    const flushed = announcer.flush().then(() => ended = true);
    await Promise.resolve();
    assert.equal(ended, false);
    ring(500);
    await flushed;
    answer.resolve();
  });
});
