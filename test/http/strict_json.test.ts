/** JSON texts that mean something, and those that must not. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseStrictJson as parseInSteps } from "../../src/http/body.ts";
import { runSync } from "../../src/scheduling/task.ts";

/** The value as JSON.parse would build it: with plain objects. */
const parseStrictJson = (text: string) => runSync(parseInSteps(text));
const plain = (text: string) => structuredClone(parseStrictJson(text));
const refusal = (name: string) => ({ name });

describe("parseStrictJson", () => {
  for (
    const text of [
      "null",
      " true\t",
      "\r\nfalse\n",
      "0",
      "-0",
      "-12.5e+3",
      "1E-400",
      "123456789012345678901234567890",
      '""',
      '"plain \u007f\u0080 ü 🪵"',
      String.raw`"\"\\\/\b\f\n\r\t\u0000\u00fc\uD83E\udeb5"`,
      "[]",
      "[ ]",
      '[1, [2, []], {"a": [{}]}]',
      "{ }",
      '{"a": 1, "b": {"a": 2}, "": null}',
      '{"__proto__": {"x": 1}, "constructor": 2}',
    ]
  ) {
    it(`reads ${JSON.stringify(text)} as JSON.parse does`, () =>
      assert.deepEqual(plain(text), JSON.parse(text)));
  }

  it("makes objects without inherited members", () => {
    const object = parseStrictJson('{"a": {}}') as Record<string, object>;
    assert.equal("toString" in object, false);
    assert.equal("toString" in object["a"]!, false);
    const named = parseStrictJson('{"__proto__": 1}') as object;
    assert.deepEqual(Object.keys(named), ["__proto__"]);
  });

  for (
    const text of [
      "",
      " ",
      "{",
      "}",
      "[1",
      "[1,]",
      "[,1]",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      "{a:1}",
      "{'a':1}",
      '{"a":1 "b":2}',
      "nope",
      "nul",
      "nullx",
      "True",
      "01",
      "1.",
      ".5",
      "+1",
      "-",
      "1e",
      "0x10",
      "NaN",
      "Infinity",
      '"',
      '"\n"',
      '"\u0000"',
      '"\\x"',
      '"\\u12"',
      '"\\u12g4"',
      "\uFEFF{}",
      "\u00a0{}",
      "// comment\n{}",
      "{} {}",
      "{} trailing text",
      "{}\u0000",
    ]
  ) {
    it(`refuses ${JSON.stringify(text)} as no JSON`, () => {
      assert.throws(() => parseStrictJson(text), refusal("MalformedError"));
    });
  }

  for (const text of [String.raw`"\ud800"`, String.raw`{"\udc00": 1}`, String.raw`"\ud800\ud800\udc00"`]) {
    it(`refuses half a surrogate pair: ${text}`, () => {
      assert.throws(() => parseStrictJson(text), refusal("MalformedError"));
    });
  }

  it("refuses numbers that no double holds", () => {
    assert.throws(() => parseStrictJson("1e999"), refusal("MalformedError"));
    assert.throws(() => parseStrictJson(`[${"9".repeat(400)}]`), refusal("MalformedError"));
  });

  for (
    const text of [
      '{"a":1,"a":1}',
      '{"x":{"a":1,"b":2,"a":3}}',
      String.raw`{"a":1,"\u0061":2}`,
      '{"__proto__":1,"__proto__":2}',
    ]
  ) {
    it(`refuses a member that comes twice: ${text}`, () => {
      assert.throws(() => parseStrictJson(text), refusal("InvalidError"));
    });
  }

  it("says that a text is no JSON before it says that a member comes twice", () => {
    assert.throws(() => parseStrictJson('{"a":1,"a":1'), refusal("MalformedError"));
  });

  it(`takes ${MAX_JSON_DEPTH} levels and refuses one more`, () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    assert.ok(parseStrictJson(nested(MAX_JSON_DEPTH)));
    assert.throws(() => parseStrictJson(nested(MAX_JSON_DEPTH + 1)), refusal("MalformedError"));
    assert.throws(() => parseStrictJson('{"a":'.repeat(1_000_000)), refusal("MalformedError"));
  });

  it(`takes ${MAX_JSON_VALUES} values and refuses one more`, () => {
    const list = (values: number) => `[${"0,".repeat(values - 2)}0]`;
    assert.ok(parseStrictJson(list(MAX_JSON_VALUES)));
    assert.throws(() => parseStrictJson(list(MAX_JSON_VALUES + 1)), refusal("MalformedError"));
  });

  it("reads four mebibytes of text, escapes, white space or digits", () => {
    const size = 4 * 1024 * 1024;
    assert.equal((parseStrictJson(`"${"x".repeat(size)}"`) as string).length, size);
    assert.equal((parseStrictJson(`"${"\\n".repeat(size / 2)}"`) as string).length, size / 2);
    assert.equal(parseStrictJson(" ".repeat(size) + "1"), 1);
    assert.equal(parseStrictJson(`0.${"1".repeat(size)}`), 0.1111111111111111);
  });
});
