import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readLineMarks } from "../../../src/diff/libgit2/patch.ts";
import { splitLines } from "../../../src/diff/text/lines.ts";

const encoder = new TextEncoder();

/** The marks in a patch of one file with these lines after its headers; its sides have five lines each. */
function marksOf(...lines: string[]): [deleted: number[], added: number[]] {
  const text = encoder.encode("a\nb\nc\nd\ne\n");
  const headers = ["diff --git a/000000 b/000000", "index 1..2 100644", "--- a/000000", "+++ b/000000"];
  const patch = encoder.encode([...headers, ...lines, ""].join("\n"));
  const { deleted, added } = readLineMarks(patch, splitLines(text, text));
  return [[...deleted], [...added]];
}

describe("readLineMarks", () => {
  it("marks the lines in the ranges of all hunks; a range without length has one line", () => {
    assert.deepEqual(marksOf("@@ -1,2 +0,0 @@", "-a", "-b", "@@ -4 +2,3 @@ c", "-d", "+x", "+y", "+z"), [
      [1, 1, 0, 1, 0],
      [0, 1, 1, 1, 0],
    ]);
  });

  it("is not misled by lines that look like headers, nor by what is no UTF-8", () => {
    assert.deepEqual(marksOf("@@ -5,0 +5 @@ \ufffd", "+@@ -1 +1 @@"), [[0, 0, 0, 0, 0], [0, 0, 0, 0, 1]]);
  });

  it("marks nothing in a patch without hunks", () => {
    assert.deepEqual(marksOf(), [[0, 0, 0, 0, 0], [0, 0, 0, 0, 0]]);
  });

  it("rejects what is no patch", () => {
    assert.throws(() => marksOf("@@ nonsense"), TypeError);
  });
});
