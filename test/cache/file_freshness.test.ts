/** When a time stamp proves that nothing changed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileStat } from "../../src/ports/file_system.ts";
import { Freshness } from "../../src/cache/file_freshness.ts";

const NOW_MS = 1_700_000_000_000;
const STAT: FileStat = { kind: "file", size: 3, modifiedMs: NOW_MS - 60_000, inode: 7, links: 1 };

describe("Freshness", () => {
  it("holds as long as an old stamp is the same", () => {
    const freshness = new Freshness(STAT, NOW_MS);
    assert.deepEqual([freshness.holds({ ...STAT }), freshness.isOver({ ...STAT })], [true, false]);
  });

  // Some file systems have stamps of two seconds.
  it("does not hold with a stamp so young that another change may bear it, or of the future", () => {
    for (const modifiedMs of [NOW_MS - 2000, NOW_MS, NOW_MS + 1e9]) {
      const freshness = new Freshness({ ...STAT, modifiedMs }, NOW_MS);
      assert.deepEqual(
        [freshness.holds({ ...STAT, modifiedMs }), freshness.isOver({ ...STAT, modifiedMs })],
        [false, false],
      );
    }
  });

  it("is over with another stamp, size, inode or kind, or when nothing is there", () => {
    const freshness = new Freshness(STAT, NOW_MS);
    const others: (FileStat | undefined)[] = [
      { ...STAT, modifiedMs: STAT.modifiedMs - 1 },
      { ...STAT, size: 4 },
      { ...STAT, inode: 8 },
      { ...STAT, kind: "other" },
      undefined,
    ];
    for (const other of others) {
      assert.deepEqual([freshness.holds(other), freshness.isOver(other)], [false, true]);
    }
  });

  it("holds for what is not there until it is", () => {
    const freshness = new Freshness(undefined, NOW_MS);
    assert.deepEqual([freshness.holds(undefined), freshness.isOver(undefined)], [true, false]);
    assert.deepEqual([freshness.holds(STAT), freshness.isOver(STAT)], [false, true]);
  });

  it("never holds for a symbolic link, whose stamp is its own", () => {
    const link: FileStat = { ...STAT, kind: "link" };
    assert.equal(new Freshness(link, NOW_MS).holds(link), false);
  });
});
