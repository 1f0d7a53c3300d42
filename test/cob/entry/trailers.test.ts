/** Trailers of commit messages, as libgit2 finds them: the expected ones were read by git2 0.18 and 0.21. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTrailers } from "../../../src/cob/entry/entry_commit.ts";

/** Repetitions in a long message. */
const LONG = 2_000_000;

describe("parseTrailers", () => {
  const cases: [what: string, message: string, trailers: string[]][] = [
    ["the last paragraph", "Title\n\nRad-Related: a\nRad-Resource: b\n", ["Rad-Related=a", "Rad-Resource=b"]],
    ["no paragraph but the last one", "Title\n\nA: b\n\nC: d\n", ["C=d"]],
    ["blank lines at the end", "Title\n\nA: b\n\n \n", ["A=b"]],
    ["blanks around the colon, and those after the value", "Title\n\nA \t:\t b \n", ["A=b "]],
    ["returns in values", "Title\r\n\r\nA: b\r\n", ["A=b\r"]],
    ["folded values as they are", "Title\n\nA: b\n  c\nB: d\n", ["A=b\n  c", "B=d"]],
    ["no more of a value folded with a tab", "Title\n\nA: b\n\tc\nB: d\n", ["A=b", "B=d"]],
    ["the next line in an empty value", "Title\n\nA:\nB: c\n", ["A=\nB: c"]],
    ["an empty value in the last line as a line feed", "Title\n\nA:\n", ["A=\n"]],
    ["no value after the very last colon", "Title\n\nA: b\nB:", ["A=b"]],
    ["trailers before comments and conflicts", "Title\n\nA: b\n\nConflicts:\n\tfile\n", ["A=b"]],
    ["an empty token", "Title\n\nSigned-off-by: x\n: b\n", ["Signed-off-by=x", "=b"]],
    ["what comes before a divider", "Title\n\nA: b\n---\nC: d\n", ["A=b"]],
    ["comments left out", "Title\n\nA: b\n# C: d\n", ["A=b"]],
    ["no title", "A: b\n", []],
    ["no title of two lines", "A: b\nC: d\n", []],
    ["no prose", "Title\n\nSome words\nA: b\n", []],
    ["prose when git signed and a quarter are trailers", "Title\n\nw\nw\nw\nSigned-off-by: x\n", [
      "Signed-off-by=x",
    ]],
    ["no prose when fewer are", "Title\n\nw\nw\nw\nw\nSigned-off-by: x\n", []],
    ["lines of cherry-picks passed over", "Title\n\n(cherry picked from commit x)\nA: b\n", ["A=b"]],
    ["no tokens with blanks or dots", "Title\n\nA b: c\n", []],
    ["nothing in an empty message", "", []],
    ["nothing after a title", "Title", []],
  ];
  for (const [what, message, trailers] of cases) {
    it(`finds ${what}`, () => {
      assert.deepEqual(
        parseTrailers(message, "spaced").map(({ token, value }) => `${token}=${value}`),
        trailers,
      );
    });
  }

  it("ends messages at a line that begins with ---, where nothing but white space follows in later programs", () => {
    const message = "Title\n\nA: b\n---x\n";
    assert.deepEqual(parseTrailers(message, "spaced"), []);
    assert.deepEqual(parseTrailers(message, "all"), [{ token: "A", value: "b" }]);
    for (const dividers of ["spaced", "all"] as const) {
      assert.equal(parseTrailers("Title\n\nA: b\n---\nC: d\n", dividers).length, 1);
      assert.equal(parseTrailers("Title\n\nA: b\u2028---\nC: d\n", dividers).length, 2);
    }
  });

  it("come to an end in a message of megabytes, which would take hours in quadratic steps", () => {
    for (
      const [message, count] of [
        [`Title\n\n${"a:".repeat(LONG)}\n${" \n".repeat(LONG)}x`, 0],
        [`Title\n\na: b\n${" c\n".repeat(LONG)}`, 1],
        [`Title\n\n${"a\t".repeat(LONG)}:\n${"-".repeat(LONG)}\n${"\n".repeat(LONG)}`, 0],
      ] as const
    ) {
      assert.equal(parseTrailers(message, "spaced").length, count);
      parseTrailers(message, "all");
    }
  });
});
