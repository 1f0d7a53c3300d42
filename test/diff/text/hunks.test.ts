import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toLineContent } from "../../../src/diff/text/hunks.ts";
import { compareLines } from "../../../src/diff/text/myers.ts";
import { splitLines } from "../../../src/diff/text/lines.ts";
import type { FileContent } from "../diff_object.ts";
import { shownContent } from "../shown.ts";

const encoder = new TextEncoder();

function contentOf(old: string, now: string): FileContent {
  const texts = splitLines(encoder.encode(old), encoder.encode(now));
  const marks = compareLines(texts);
  const content = marks && toLineContent(texts, marks);
  assert.ok(content !== undefined && "texts" in content);
  return shownContent(content);
}

const headersOf = (old: string, now: string): string[] =>
  contentOf(old, now).hunks.map(({ header }) => header);

const rows = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i + 1}\n`);

/** Rows of which some are replaced, by their numbers. */
const replaced = (count: number, ...numbers: number[]): string =>
  rows(count).map((row, i) => numbers.includes(i + 1) ? "x\n" : row).join("");

describe("the hunks of a file", () => {
  it("shows three lines before and after a change", () => {
    const { hunks, stats, eof } = contentOf(replaced(20), replaced(20, 10));
    assert.deepEqual(hunks, [{
      header: "@@ -7,7 +7,7 @@\n",
      lines: [
        { line: "7\n", lineNoOld: 7, lineNoNew: 7, type: "context" },
        { line: "8\n", lineNoOld: 8, lineNoNew: 8, type: "context" },
        { line: "9\n", lineNoOld: 9, lineNoNew: 9, type: "context" },
        { line: "10\n", lineNo: 10, type: "deletion" },
        { line: "x\n", lineNo: 10, type: "addition" },
        { line: "11\n", lineNoOld: 11, lineNoNew: 11, type: "context" },
        { line: "12\n", lineNoOld: 12, lineNoNew: 12, type: "context" },
        { line: "13\n", lineNoOld: 13, lineNoNew: 13, type: "context" },
      ],
      old: { start: 7, end: 14 },
      new: { start: 7, end: 14 },
    }]);
    assert.deepEqual([stats, eof], [{ additions: 1, deletions: 1 }, "noneMissing"]);
  });

  it("joins changes with up to six lines between them", () => {
    assert.deepEqual(headersOf(replaced(20), replaced(20, 5, 12)), ["@@ -2,14 +2,14 @@\n"]);
    assert.deepEqual(headersOf(replaced(20), replaced(20, 5, 13)), [
      "@@ -2,7 +2,7 @@\n",
      "@@ -10,7 +10,7 @@\n",
    ]);
  });

  it("shows added and deleted files from nothing and to nothing", () => {
    const [come] = contentOf("", "a\nb\n").hunks;
    const [gone] = contentOf("a\n", "").hunks;
    assert.deepEqual([come?.header, come?.old, come?.new], [
      "@@ -0,0 +1,2 @@\n",
      { start: 0, end: 0 },
      { start: 1, end: 3 },
    ]);
    assert.deepEqual([gone?.header, gone?.old, gone?.new], [
      "@@ -1 +0,0 @@\n",
      { start: 1, end: 2 },
      { start: 0, end: 0 },
    ]);
  });

  it("has no hunks between empty files", () => {
    assert.deepEqual(contentOf("", "").hunks, []);
  });

  it("names the last line before a hunk that begins like a name, or the one that the hunk before had", () => {
    const lines = ["fn one() {\n", ...rows(20), "fn two() {  \r\n", ...rows(20), "  three\n", ...rows(20)];
    const changed = lines.map((line, i) => i === 10 || i === 30 || i === 55 ? "x\n" : line);
    assert.deepEqual(headersOf(lines.join(""), changed.join("")), [
      "@@ -8,7 +8,7 @@ fn one() {\n",
      "@@ -28,7 +28,7 @@ fn two() {\n",
      "@@ -53,7 +53,7 @@ fn two() {\n",
    ]);
  });

  const endings: [
    name: string,
    old: string,
    now: string,
    additions: number,
    deletions: number,
    eof: string,
  ][] = [
    ["both", "a", "b", 2, 2, "bothMissing"],
    ["the old side only", "a", "b\n", 2, 1, "oldMissing"],
    ["the new side only", "a\n", "b", 1, 2, "newMissing"],
    ["the newline itself", "a", "a\n", 2, 1, "oldMissing"],
    ["an unchanged last line", "a\nc", "b\nc", 1, 1, "bothMissing"],
    ["a last line in no hunk", "a\n1\n2\n3\n4\n5", "b\n1\n2\n3\n4\n5", 1, 1, "noneMissing"],
    ["an added file", "", "a", 1, 1, "newMissing"],
    ["neither", "a\n", "b\n", 1, 1, "noneMissing"],
  ];
  for (const [name, old, now, additions, deletions, eof] of endings) {
    it(`counts a missing newline on the opposite side: ${name}`, () => {
      const content = contentOf(old, now);
      assert.deepEqual([content.stats, content.eof], [{ additions, deletions }, eof]);
    });
  }

  it("keeps byte order marks, carriage returns and separators of Unicode in lines", () => {
    const [hunk] = contentOf("\ufeffa\r\n", "b\u2028c\r\n").hunks;
    assert.deepEqual(hunk?.lines.map(({ line }) => line), ["\ufeffa\r\n", "b\u2028c\r\n"]);
  });
});
