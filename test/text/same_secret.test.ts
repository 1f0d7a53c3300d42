/** Comparing secrets. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSameSecret } from "../../src/text/digest.ts";

describe("isSameSecret", () => {
  it("is true for equal texts alone", () => {
    assert.equal(isSameSecret("abc", "abc"), true);
    for (const guess of ["", "a", "ab", "abd", "xbc", "abcabc", "abcd", "ABC"]) {
      assert.equal(isSameSecret("abc", guess), false);
    }
    assert.equal(isSameSecret("", "a"), false);
    assert.equal(isSameSecret("", ""), true);
  });
});
