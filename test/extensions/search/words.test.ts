/** Words of texts and queries. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  excerptOf,
  fromIndexed,
  MAX_QUERY_WORDS,
  toExpression,
  toIndexed,
  wordsOf,
} from "../../../extensions/search/words.ts";

const expressionOf = (query: string) => toExpression(wordsOf(query));

describe("a query", () => {
  it("is words and no syntax", () => {
    assert.equal(expressionOf('a" OR b*'), '"a" AND "OR" AND "b"');
    assert.equal(
      expressionOf("title:x NEAR(y, 2) -z^"),
      '"title" AND "x" AND "NEAR" AND "y" AND "2" AND "z"',
    );
    for (const query of ["", " \0\n", '"', "*", "()", "{a", '""""', "-"]) {
      assert.match(expressionOf(query) ?? '""', /^"[^"*]*"(?: AND "[^"*]*")*\*?$/);
    }
    assert.equal(expressionOf("“…”"), undefined);
  });

  it("finds longer words by its last one only", () => {
    assert.equal(expressionOf("green tre"), '"green" AND "tre"*');
    assert.equal(expressionOf("x"), '"x"');
  });

  it(`has at most ${MAX_QUERY_WORDS} words that count`, () => {
    assert.equal(wordsOf("a ".repeat(100)).length, MAX_QUERY_WORDS);
  });
});

describe("an indexed text", () => {
  it("has the characters of scripts without spaces apart, and comes back as it was", () => {
    for (
      const text of [
        "日本語 text",
        "カタカナ語abc",
        "ภาษาไทย",
        "한국어",
        "plain",
        "e\u0301",
        "Ελλάδα й ё",
        "👩🏽‍🚀 x",
      ]
    ) {
      assert.equal(fromIndexed(toIndexed(text)), text);
    }
    assert.equal(toIndexed("a日本b"), "a\u2063日\u2063本\u2063b");
    assert.equal(toIndexed("plain text"), "plain text");
  });

  it("lacks what could be taken for a separator, or end a text", () => {
    assert.equal(toIndexed("a\u2063b\0c"), "abc");
  });
});

describe("an excerpt", () => {
  const text = `${"lorem ipsum ".repeat(40)}the Tréasure is here${" dolor sit".repeat(40)}`;

  it("is around the first found word, on one line", () => {
    const excerpt = excerptOf(`${text}\n\n`, ["treasure"]);
    assert.match(excerpt, /^….*Tréasure is here.*…$/);
    assert.ok(excerpt.length <= 300);
    assert.equal(excerptOf("a\n\n  b\tc", ["c"]), "a b c");
  });

  it("is the beginning where no word is found", () => {
    assert.equal(excerptOf("short", ["nothing"]), "short");
    assert.ok(excerptOf(text, ["nothing"]).startsWith("lorem ipsum"));
    assert.equal(excerptOf("", ["x"]), "");
  });

  it("finds parts of texts without spaces", () => {
    assert.match(excerptOf(`${"一".repeat(500)}検索`, ["検索"]), /検索$/);
  });
});
