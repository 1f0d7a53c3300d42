/** Long texts in parts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textParts } from "../../src/text/utf8.ts";

describe("the parts of a text", () => {
  it("are the text itself when it is short", () => {
    for (const text of ["", "a", "abcd"]) assert.deepEqual([...textParts(text, 4)], [text]);
  });

  it("have the given length, the last one what is left", () => {
    assert.deepEqual([...textParts("abcdefghi", 4)], ["abcd", "efgh", "i"]);
    assert.deepEqual([...textParts("abcdefgh", 4)], ["abcd", "efgh"]);
  });

  it("do not end within a character", () => {
    assert.deepEqual([...textParts("abc🌱def🌱", 4)], ["abc", "🌱de", "f🌱"]);
    assert.deepEqual([...textParts("🌱".repeat(5), 3)], ["🌱", "🌱", "🌱", "🌱", "🌱"]);
  });

  it("have half characters, too, where the text has them", () => {
    const text = "ab\ud83c\ud83ccd\udf31\udf31";
    assert.equal([...textParts(text, 3)].join(""), text);
  });
});
