/** Trailers of commit messages, as `git interpret-trailers --parse` finds them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTrailers } from "../../src/cob/trailers.ts";

describe("parseTrailers", () => {
  const cases: [what: string, message: string, trailers: string[]][] = [
    ["the last paragraph", "Title\n\nRad-Related: a\nRad-Resource: b\n", ["Rad-Related=a", "Rad-Resource=b"]],
    ["no paragraph but the last one", "Title\n\nA: b\n\nC: d\n", ["C=d"]],
    ["blank lines at the end", "Title\n\nA: b\n\n \n", ["A=b"]],
    ["blanks around the colon", "Title\n\nA \t:\t b \n", ["A=b"]],
    ["folded values", "Title\n\nA: b\n  c\n\td\n", ["A=b c d"]],
    ["empty values", "Title\n\nA:\n", ["A="]],
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

  it("takes no longer than a blink for a long message", () => {
    const startedMs = performance.now();
    parseTrailers(`Title\n\n${"a:".repeat(100_000)}\n${" \n".repeat(100_000)}x`, "spaced");
    assert.ok(performance.now() - startedMs < 1000);
  });
});
