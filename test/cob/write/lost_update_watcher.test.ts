/** Lost-update watcher: duration, number of entries, and that no timer runs without need. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LostUpdateWatcher, type WatchedEntry } from "../../../src/cob/write/lost_update_watcher.ts";

/** A watcher with a clock of its own. */
function createSetting() {
  let nowMs = 0;
  const timers: { ms: number; call: () => void }[] = [];
  const watcher = new LostUpdateWatcher(() => nowMs, (ms, call) => {
    const timer = { ms, call };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  });
  const events: string[] = [];
  const watched = (name: string, goesOn = true): WatchedEntry => ({
    check: () => {
      events.push(`check ${name}`);
      return Promise.resolve(goesOn);
    },
    unpin: () => void events.push(`unpin ${name}`),
  });
  return { watcher, timers, events, watched, pass: (ms: number) => void (nowMs += ms) };
}

describe("a lost-update watcher", () => {
  it("checks at intervals, with one timer for all entries, until the time is over", async () => {
    const { watcher, timers, events, watched, pass } = createSetting();
    watcher.add("a", watched("a"));
    watcher.add("b", watched("b"));
    assert.equal(timers.length, 1);
    assert.ok(timers[0]!.ms < 1000);
    pass(1000);
    await watcher.check();
    assert.deepEqual(events.splice(0), ["check a", "check b"]);
    pass(60_000);
    await watcher.check();
    assert.deepEqual(events.splice(0), ["check a", "unpin a", "check b", "unpin b"]);
    await watcher.check();
    assert.deepEqual(events, []);
  });

  it("starts no timer when no entry is left", async () => {
    const { watcher, timers, watched } = createSetting();
    const looked = Promise.withResolvers<void>();
    watcher.add("a", { ...watched("a", false), unpin: looked.resolve });
    timers[0]!.call();
    await looked.promise;
    assert.equal(timers.length, 1);
  });

  it("watches an entry that is written again from then on, and does not unpin it", async () => {
    const { watcher, events, watched, pass } = createSetting();
    watcher.add("a", watched("first"));
    pass(4000);
    watcher.add("a", watched("second"));
    pass(4000);
    await watcher.check();
    assert.deepEqual(events, ["check second"]);
  });

  it("watches an entry that is written again during its check", async () => {
    const { watcher, events, watched } = createSetting();
    const first = watched("first");
    watcher.add("a", {
      ...first,
      check: () => {
        watcher.add("a", watched("second"));
        return Promise.resolve(false);
      },
    });
    await watcher.check();
    assert.deepEqual(events, []);
    await watcher.check();
    assert.deepEqual(events, ["check second"]);
  });

  it("checks a last time when it is closed, and then watches nothing", async () => {
    const { watcher, timers, events, watched } = createSetting();
    watcher.add("a", watched("a"));
    watcher.add("b", watched("b"));
    await watcher.close();
    assert.deepEqual(events.splice(0), ["check a", "check b", "unpin a", "unpin b"]);
    watcher.add("c", watched("c"));
    assert.deepEqual([events, timers], [["unpin c"], []]);
  });

  it("drops the oldest entry when there are too many", () => {
    const { watcher, events, watched } = createSetting();
    for (let n = 0; n < 10_000; n++) watcher.add(`${n}`, watched(`${n}`));
    assert.deepEqual(events.slice(0, 2), ["unpin 0", "unpin 1"]);
    assert.ok(events.length > 5000 && events.length < 10_000);
  });
});
