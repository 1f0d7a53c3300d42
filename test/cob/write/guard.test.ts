/** Looking after what was written: how long, how much at a time, and that nothing runs without need. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Guard, GUARD_MS, type Guarded, LOOK_MS, MAX_GUARDED } from "../../../src/cob/write/guard.ts";

/** A guard with a clock of its own. */
function createSetting() {
  let nowMs = 0;
  const timers: { ms: number; call: () => void }[] = [];
  const guard = new Guard(() => nowMs, (ms, call) => void timers.push({ ms, call }));
  const events: string[] = [];
  const guarded = (name: string, goesOn = true): Guarded => ({
    look: () => {
      events.push(`look ${name}`);
      return Promise.resolve(goesOn);
    },
    release: () => void events.push(`release ${name}`),
  });
  return { guard, timers, events, guarded, pass: (ms: number) => void (nowMs += ms) };
}

describe("a guard", () => {
  it("looks at intervals, with one timer for all, until the time is over", async () => {
    const { guard, timers, events, guarded, pass } = createSetting();
    guard.add("a", guarded("a"));
    guard.add("b", guarded("b"));
    assert.deepEqual(timers.map(({ ms }) => ms), [LOOK_MS]);
    pass(GUARD_MS - 1);
    await guard.look();
    assert.deepEqual(events.splice(0), ["look a", "look b"]);
    pass(1);
    await guard.look();
    assert.deepEqual(events.splice(0), ["look a", "release a", "look b", "release b"]);
    await guard.look();
    assert.deepEqual(events, []);
  });

  it("starts no timer any more when nothing is left", async () => {
    const { guard, timers, guarded } = createSetting();
    const looked = Promise.withResolvers<void>();
    guard.add("a", { ...guarded("a", false), release: looked.resolve });
    timers[0]!.call();
    await looked.promise;
    assert.equal(timers.length, 1);
  });

  it("begins anew with what is written again, and does not release it", async () => {
    const { guard, events, guarded, pass } = createSetting();
    guard.add("a", guarded("first"));
    pass(GUARD_MS - 1);
    guard.add("a", guarded("second"));
    pass(1);
    await guard.look();
    assert.deepEqual(events, ["look second"]);
  });

  it("keeps what is written again while it is looked at", async () => {
    const { guard, events, guarded } = createSetting();
    const first = guarded("first");
    guard.add("a", {
      ...first,
      look: () => {
        guard.add("a", guarded("second"));
        return Promise.resolve(false);
      },
    });
    await guard.look();
    assert.deepEqual(events, []);
    await guard.look();
    assert.deepEqual(events, ["look second"]);
  });

  it("lets the first go when there are too many", () => {
    const { guard, events, guarded } = createSetting();
    for (let n = 0; n <= MAX_GUARDED; n++) guard.add(`${n}`, guarded(`${n}`));
    assert.deepEqual(events, ["release 0"]);
  });
});
