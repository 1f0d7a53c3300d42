import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffWithoutContent, readPatch } from "../../src/diff/patch.ts";
import type { Change, FileSide } from "../../src/diff/tree_comparison.ts";
import type { Oid } from "../../src/ids/oid.ts";

const encoder = new TextEncoder();
const A: FileSide = { oid: "a".repeat(40) as Oid, mode: "blob" };
const B: FileSide = { oid: "b".repeat(40) as Oid, mode: "blob" };
const RUN: FileSide = { oid: A.oid, mode: "blobExecutable" };

const EMPTY = { type: "plain", hunks: [], stats: { additions: 0, deletions: 0 }, eof: "noneMissing" };

const path = (text: string): Uint8Array => encoder.encode(text);
const added = (name: string): Change => ({ path: path(name), new: B });
const deleted = (name: string): Change => ({ path: path(name), old: A });
const modified = (name: string): Change => ({ path: path(name), old: A, new: B });

/** A patch of one modified file with these lines after its headers. */
function patchOf(...lines: string[]): Uint8Array {
  return encoder.encode(
    ["diff --git a/000000 b/000000", "index 1..2 100644", "--- a/000000", "+++ b/000000", ...lines, ""].join(
      "\n",
    ),
  );
}

/** What becomes of the one modified file of such a patch. */
function contentOf(...lines: string[]) {
  const [file] = readPatch(patchOf(...lines), [modified("f")]).modified;
  assert.ok(file);
  return file.diff;
}

describe("readPatch", () => {
  it("finds nothing in an empty patch", () => {
    assert.deepEqual(readPatch(new Uint8Array(), []), {
      added: [],
      deleted: [],
      moved: [],
      copied: [],
      modified: [],
      stats: { filesChanged: 0, insertions: 0, deletions: 0 },
    });
  });

  it("tells a modified file with numbered lines", () => {
    const text = ["@@ -10,4 +10,4 @@ fn main() {", " one", "-two", "+TWO", " three", " four"];
    assert.deepEqual(readPatch(patchOf(...text), [modified("src/main.rs")]), {
      added: [],
      deleted: [],
      moved: [],
      copied: [],
      modified: [{
        path: "src/main.rs",
        diff: {
          type: "plain",
          hunks: [{
            header: "@@ -10,4 +10,4 @@ fn main() {\n",
            lines: [
              { line: "one\n", lineNoOld: 10, lineNoNew: 10, type: "context" },
              { line: "two\n", lineNo: 11, type: "deletion" },
              { line: "TWO\n", lineNo: 11, type: "addition" },
              { line: "three\n", lineNoOld: 12, lineNoNew: 12, type: "context" },
              { line: "four\n", lineNoOld: 13, lineNoNew: 13, type: "context" },
            ],
            old: { start: 10, end: 14 },
            new: { start: 10, end: 14 },
          }],
          stats: { additions: 1, deletions: 1 },
          eof: "noneMissing",
        },
        old: A,
        new: B,
      }],
      stats: { filesChanged: 1, insertions: 1, deletions: 1 },
    });
  });

  it("reads several hunks, and counts that are left out as one", () => {
    const { hunks } = contentOf("@@ -1 +1,2 @@", " a", "+b", "@@ -9,0 +11 @@ ctx", "+c");
    assert.deepEqual(hunks.map((hunk) => [hunk.old, hunk.new]), [
      [{ start: 1, end: 2 }, { start: 1, end: 3 }],
      [{ start: 9, end: 9 }, { start: 11, end: 12 }],
    ]);
  });

  it("is not misled by lines that look like headers", () => {
    const { hunks } = contentOf(
      "@@ -1,3 +1,3 @@",
      "--- a/000000",
      "-@@ -1 +1 @@",
      "-diff --git a/000000 b/000000",
      "+++ b/000000",
      "+\\ No newline at end of file",
      "+@@ -1 +1 @@",
    );
    assert.deepEqual(hunks[0]?.lines.map(({ line }) => line), [
      "-- a/000000\n",
      "@@ -1 +1 @@\n",
      "diff --git a/000000 b/000000\n",
      "++ b/000000\n",
      "\\ No newline at end of file\n",
      "@@ -1 +1 @@\n",
    ]);
  });

  it("keeps carriage returns and empty lines", () => {
    const { hunks } = contentOf("@@ -1,2 +1,2 @@", " ", "-a\r", "+b\u2028c");
    assert.deepEqual(hunks[0]?.lines.map(({ line }) => line), ["\n", "a\r\n", "b\u2028c\n"]);
  });

  it("replaces what is not UTF-8, by the line", () => {
    const bytes = patchOf("@@ -1 +1 @@", "-aX", "+\ufeffb");
    bytes[bytes.indexOf(0x58)] = 0xe2;
    const [file] = readPatch(bytes, [modified("f")]).modified;
    assert.deepEqual(file?.diff.hunks[0]?.lines.map(({ line }) => line), ["a\ufffd\n", "\ufeffb\n"]);
  });

  const MARK = "\\ No newline at end of file";
  const endings: [name: string, lines: string[], additions: number, deletions: number, eof: string][] = [
    ["both", ["@@ -1 +1 @@", "-a", MARK, "+b", MARK], 2, 2, "bothMissing"],
    ["the old side only", ["@@ -1 +1 @@", "-a", MARK, "+b"], 2, 1, "oldMissing"],
    ["the new side only", ["@@ -1 +1 @@", "-a", "+b", MARK], 1, 2, "newMissing"],
    ["an unchanged last line", ["@@ -1,2 +1,2 @@", "-a", "+b", " c", MARK], 1, 1, "bothMissing"],
    ["neither", ["@@ -1 +1 @@", "-a", "+b"], 1, 1, "noneMissing"],
  ];
  for (const [name, lines, additions, deletions, eof] of endings) {
    it(`counts the marker of a missing newline on the opposite side: ${name}`, () => {
      const diff = readPatch(patchOf(...lines), [modified("f")]);
      const content = diff.modified[0]?.diff;
      assert.deepEqual([content?.stats, content?.eof], [{ additions, deletions }, eof]);
      assert.deepEqual(diff.stats, { filesChanged: 1, insertions: 1, deletions: 1 });
      assert.ok(content?.hunks[0]?.lines.every(({ line }) => !line.includes("No newline")));
      assert.equal(
        content?.hunks[0]?.lines.at(-1)?.line.endsWith("\n"),
        !["bothMissing", "newMissing"].includes(eof),
      );
    });
  }

  it("tells added and deleted files by their changes", () => {
    const patch = [
      "diff --git a/000000 b/000000",
      "new file mode 100644",
      "index 0..1",
      "--- /dev/null",
      "+++ b/000000",
      "@@ -0,0 +1 @@",
      "+a",
      "diff --git a/000001 b/000001",
      "deleted file mode 100644",
      "index 1..0",
      "--- a/000001",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-a",
      "",
    ].join("\n");
    const diff = readPatch(path(patch), [added("new"), deleted("old")]);
    assert.deepEqual(Object.keys(diff.added[0] ?? {}), ["path", "diff", "new"]);
    assert.deepEqual(Object.keys(diff.deleted[0] ?? {}), ["path", "diff", "old"]);
    assert.deepEqual(diff.added[0]?.diff.hunks[0]?.old, { start: 0, end: 0 });
    assert.deepEqual(diff.deleted[0]?.diff.hunks[0]?.new, { start: 0, end: 0 });
    assert.deepEqual(diff.stats, { filesChanged: 2, insertions: 1, deletions: 1 });
  });

  it("gives empty files, binary ones and changes of mode no hunks", () => {
    const patch = [
      "diff --git a/000000 b/000000",
      "new file mode 100644",
      "index 0..1",
      "--- /dev/null",
      "+++ b/000000",
      "diff --git a/000001 b/000001",
      "index 1..2 100644",
      "Binary files a/000001 and b/000001 differ",
      "diff --git a/000002 b/000002",
      "old mode 100644",
      "new mode 100755",
      "",
    ].join("\n");
    const diff = readPatch(path(patch), [added("e"), modified("b"), { path: path("x"), old: A, new: RUN }]);
    assert.deepEqual([...diff.added, ...diff.modified].map((file) => file.diff), [EMPTY, EMPTY, EMPTY]);
    assert.deepEqual(diff.stats, { filesChanged: 3, insertions: 0, deletions: 0 });
  });

  it("tells a file that only moved by its current state", () => {
    const patch =
      "diff --git a/000001 b/000000\nsimilarity index 100%\nrename from 000001\nrename to 000000\n";
    const diff = readPatch(path(patch), [{ path: path("new"), new: A }, deleted("old")]);
    assert.deepEqual(diff.moved, [{ oldPath: "old", newPath: "new", current: A }]);
    assert.deepEqual(diff.stats, { filesChanged: 1, insertions: 0, deletions: 0 });
  });

  it("tells a file that moved and changed its mode by both sides", () => {
    const patch =
      "diff --git a/000001 b/000000\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from 000001\nrename to 000000\n";
    const diff = readPatch(path(patch), [{ path: path("new"), new: RUN }, deleted("old")]);
    assert.deepEqual(diff.moved, [{ oldPath: "old", newPath: "new", old: A, new: RUN, diff: EMPTY }]);
    assert.deepEqual(Object.keys(diff.moved[0] ?? {}), ["oldPath", "newPath", "old", "new", "diff"]);
  });

  it("takes another file's number without a rename for a copy, and leaves its lines out of the sums", () => {
    const patch = [
      "diff --git a/000001 b/000000",
      "index 1..2 100644",
      "--- a/000001",
      "+++ b/000000",
      "@@ -1 +1 @@",
      "-a",
      "+b",
      "",
    ].join("\n");
    const diff = readPatch(path(patch), [added("new"), modified("old")]);
    assert.deepEqual(diff.copied.map(({ oldPath, newPath }) => [oldPath, newPath]), [["old", "new"]]);
    assert.deepEqual(diff.copied[0]?.diff.stats, { additions: 1, deletions: 1 });
    assert.deepEqual(diff.stats, { filesChanged: 1, insertions: 0, deletions: 0 });
  });

  it("keeps an exact copy's both sides, though they are equal", () => {
    const patch = "diff --git a/000001 b/000000\nsimilarity index 100%\ncopy from 000001\ncopy to 000000\n";
    const diff = readPatch(path(patch), [{ path: path("new"), new: A }, modified("old")]);
    assert.deepEqual(diff.copied, [{ oldPath: "old", newPath: "new", old: A, new: A, diff: EMPTY }]);
  });

  it("shows paths that are not UTF-8 with replacement characters", () => {
    const change: Change = { path: Uint8Array.of(0x61, 0xff, 0x62), old: A, new: B };
    assert.equal(readPatch(patchOf(), [change]).modified[0]?.path, "a\ufffdb");
  });

  it("rejects what is no patch of the changes", () => {
    for (const text of ["hello\n", "diff --git a/x b/x\n", "diff --git a/000007 b/000007\n"]) {
      assert.throws(() => readPatch(path(text), [modified("f")]), TypeError);
    }
    assert.throws(() => readPatch(patchOf("@@ nonsense"), [modified("f")]), TypeError);
    assert.throws(
      () => readPatch(path("diff --git a/000000 b/000001\n"), [added("f"), deleted("g")]),
      TypeError,
    );
  });
});

describe("diffWithoutContent", () => {
  it("names the files and nothing in them", () => {
    const diff = diffWithoutContent([added("a"), deleted("d"), modified("m")]);
    assert.deepEqual(diff.added, [{ path: "a", diff: EMPTY, new: B }]);
    assert.deepEqual(diff.deleted, [{ path: "d", diff: EMPTY, old: A }]);
    assert.deepEqual(diff.modified, [{ path: "m", diff: EMPTY, old: A, new: B }]);
    assert.deepEqual(diff.stats, { filesChanged: 3, insertions: 0, deletions: 0 });
  });
});
