import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FileContent } from "../../../src/diff/diff_object.ts";
import { readPatch } from "../../../src/diff/libgit2/patch.ts";

const encoder = new TextEncoder();

const EMPTY = { type: "plain", hunks: [], stats: { additions: 0, deletions: 0 }, eof: "noneMissing" };

const bytesOf = (text: string): Uint8Array => encoder.encode(text);

/** A patch of one modified file with these lines after its headers. */
function patchOf(...lines: string[]): Uint8Array {
  return encoder.encode(
    ["diff --git a/000000 b/000000", "index 1..2 100644", "--- a/000000", "+++ b/000000", ...lines, ""].join(
      "\n",
    ),
  );
}

/** What such a patch shows of its file. */
function contentOf(...lines: string[]): FileContent {
  return onlyContent(patchOf(...lines));
}

function onlyContent(patch: Uint8Array): FileContent {
  const [content, ...others] = readPatch(patch).values();
  assert.ok(content !== undefined && others.length === 0);
  return content;
}

describe("readPatch", () => {
  it("finds nothing in an empty patch", () => {
    assert.equal(readPatch(new Uint8Array()).size, 0);
  });

  it("tells a modified file with numbered lines", () => {
    const text = ["@@ -10,4 +10,4 @@ fn main() {", " one", "-two", "+TWO", " three", " four"];
    assert.deepEqual(contentOf(...text), {
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
    assert.deepEqual(onlyContent(bytes).hunks[0]?.lines.map(({ line }) => line), ["a\ufffd\n", "\ufeffb\n"]);
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
      const content = contentOf(...lines);
      assert.deepEqual([content.stats, content.eof], [{ additions, deletions }, eof]);
      assert.ok(content.hunks[0]?.lines.every(({ line }) => !line.includes("No newline")));
      assert.equal(
        content.hunks[0]?.lines.at(-1)?.line.endsWith("\n"),
        !["bothMissing", "newMissing"].includes(eof),
      );
    });
  }

  it("tells added and deleted files by their numbers", () => {
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
    const contents = readPatch(bytesOf(patch));
    assert.deepEqual([...contents.keys()], [0, 1]);
    assert.deepEqual(contents.get(0)?.hunks[0]?.old, { start: 0, end: 0 });
    assert.deepEqual(contents.get(1)?.hunks[0]?.new, { start: 0, end: 0 });
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
    assert.deepEqual([...readPatch(bytesOf(patch)).values()], [EMPTY, EMPTY, EMPTY]);
  });

  it("rejects what is no patch of numbered files", () => {
    for (
      const text of ["hello\n", "diff --git a/x b/x\n", "diff --git a/000000 b/000001\n"]
    ) {
      assert.throws(() => readPatch(bytesOf(text)), TypeError);
    }
    assert.throws(() => readPatch(patchOf("@@ nonsense")), TypeError);
  });
});
