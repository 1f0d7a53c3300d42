import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffWithoutContent, FileLists } from "../../src/diff/file_lists.ts";
import { NO_CONTENT } from "../../src/diff/hunks.ts";
import type { Change, FileSide } from "../../src/diff/tree_comparison.ts";
import type { Oid } from "../../src/ids/oid.ts";

const encoder = new TextEncoder();
const A: FileSide = { oid: "a".repeat(40) as Oid, mode: "blob" };
const B: FileSide = { oid: "b".repeat(40) as Oid, mode: "blob" };
const RUN: FileSide = { oid: A.oid, mode: "blobExecutable" };

const ONE_LINE = {
  type: "plain",
  hunks: [{
    header: "@@ -1 +1 @@\n",
    lines: [
      { line: "a\n", lineNo: 1, type: "deletion" },
      { line: "b\n", lineNo: 1, type: "addition" },
    ],
    old: { start: 1, end: 2 },
    new: { start: 1, end: 2 },
  }],
  stats: { additions: 1, deletions: 1 },
  eof: "noneMissing",
} as const;

const path = (text: string): Uint8Array => encoder.encode(text);
const added = (name: string): Change => ({ path: path(name), new: B });
const deleted = (name: string): Change => ({ path: path(name), old: A });
const modified = (name: string): Change => ({ path: path(name), old: A, new: B });

describe("FileLists", () => {
  it("has nothing at first", () => {
    assert.deepEqual(new FileLists().toDiff(), {
      added: [],
      deleted: [],
      moved: [],
      copied: [],
      modified: [],
      stats: { filesChanged: 0, insertions: 0, deletions: 0 },
    });
  });

  it("tells added, deleted and modified files by their sides", () => {
    const files = new FileLists();
    for (const change of [added("a"), deleted("d"), modified("m")]) files.addChange(change, ONE_LINE);
    const diff = files.toDiff();
    assert.deepEqual(diff.added, [{ path: "a", diff: ONE_LINE, new: B }]);
    assert.deepEqual(diff.deleted, [{ path: "d", diff: ONE_LINE, old: A }]);
    assert.deepEqual(diff.modified, [{ path: "m", diff: ONE_LINE, old: A, new: B }]);
    assert.deepEqual(Object.keys(diff.modified[0] ?? {}), ["path", "diff", "old", "new"]);
    assert.deepEqual(diff.stats, { filesChanged: 3, insertions: 3, deletions: 3 });
  });

  it("tells a file that only moved by its current state", () => {
    const files = new FileLists();
    files.addPair(deleted("old"), { path: path("new"), new: A }, true, NO_CONTENT);
    assert.deepEqual(files.toDiff().moved, [{ oldPath: "old", newPath: "new", current: A }]);
  });

  it("tells a file that moved and changed its mode by both sides", () => {
    const files = new FileLists();
    files.addPair(deleted("old"), { path: path("new"), new: RUN }, true, NO_CONTENT);
    const { moved } = files.toDiff();
    assert.deepEqual(moved, [{ oldPath: "old", newPath: "new", old: A, new: RUN, diff: NO_CONTENT }]);
    assert.deepEqual(Object.keys(moved[0] ?? {}), ["oldPath", "newPath", "old", "new", "diff"]);
  });

  it("leaves the lines of moved and copied files out of the sums", () => {
    const files = new FileLists();
    files.addPair(modified("from"), added("copy"), false, ONE_LINE);
    files.addPair(deleted("old"), added("new"), true, ONE_LINE);
    const { copied, moved, stats } = files.toDiff();
    assert.deepEqual(copied, [{ oldPath: "from", newPath: "copy", old: A, new: B, diff: ONE_LINE }]);
    assert.deepEqual(moved, [{ oldPath: "old", newPath: "new", old: A, new: B, diff: ONE_LINE }]);
    assert.deepEqual(stats, { filesChanged: 2, insertions: 0, deletions: 0 });
  });

  it("keeps an exact copy's both sides, though they are equal", () => {
    const files = new FileLists();
    files.addPair(modified("from"), { path: path("copy"), new: A }, false, NO_CONTENT);
    assert.deepEqual(files.toDiff().copied, [
      { oldPath: "from", newPath: "copy", old: A, new: A, diff: NO_CONTENT },
    ]);
  });

  it("shows paths that are not UTF-8 with replacement characters", () => {
    const files = new FileLists();
    files.addChange({ path: Uint8Array.of(0x61, 0xff, 0x62), old: A, new: B }, NO_CONTENT);
    assert.equal(files.toDiff().modified[0]?.path, "a\ufffdb");
  });

  it("refuses to pair sides that are not there", () => {
    assert.throws(() => new FileLists().addPair(added("a"), deleted("d"), true, NO_CONTENT), TypeError);
  });
});

describe("diffWithoutContent", () => {
  it("names the files and nothing in them", () => {
    const diff = diffWithoutContent([added("a"), deleted("d"), modified("m")]);
    assert.deepEqual(diff.added, [{ path: "a", diff: NO_CONTENT, new: B }]);
    assert.deepEqual(diff.deleted, [{ path: "d", diff: NO_CONTENT, old: A }]);
    assert.deepEqual(diff.modified, [{ path: "m", diff: NO_CONTENT, old: A, new: B }]);
    assert.deepEqual(diff.stats, { filesChanged: 3, insertions: 0, deletions: 0 });
  });
});
