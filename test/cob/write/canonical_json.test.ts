/** The one text of a JSON value. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { canonicalJson, MAX_JSON_DEPTH } from "../../../src/cob/write/canonical_json.ts";
import { createRandom } from "../random.ts";

describe("canonicalJson", () => {
  const vectors: [value: unknown, text: string][] = [
    [{ b: 2, a: 1, c: { x: {}, a: null } }, '{"a":1,"b":2,"c":{"a":null,"x":{}}}'],
    [{ A: [99] }, '{"A":[99]}'],
    [
      {
        zzz: "I have a newline\n",
        nested: { good: false, bad: true },
        b: 2,
        a: 1,
        c: { x: {}, h: { i: 3, h: -5 }, a: null },
      },
      '{"a":1,"b":2,"c":{"a":null,"h":{"h":-5,"i":3},"x":{}},"nested":{"bad":true,"good":false},"zzz":"I have a newline\\n"}',
    ],
    ['\u0001\u000b\b\t\n\f\r"\\/\u007f é\u2028', '"\\u0001\\u000b\\b\\t\\n\\f\\r\\"\\\\/\u007f é\u2028"'],
    [[], "[]"],
    [-0, "0"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["e\u0301", '"\u00e9"'],
    [{ "e\u0301": "A\u030a" }, '{"\u00e9":"\u00c5"}'],
    [{ a: undefined, b: [true] }, '{"b":[true]}'],
  ];
  for (const [value, text] of vectors) {
    it(`writes ${text.slice(0, 40)}`, () => assert.equal(canonicalJson(value), text));
  }

  it("orders members by their quoted names, the closing quote included", () => {
    assert.equal(canonicalJson({ ab: 1, a: 2, "a!": 3, "a b": 4 }), '{"a b":4,"a!":3,"a":2,"ab":1}');
  });

  it("orders members by bytes, not by UTF-16 units", () => {
    assert.equal(canonicalJson({ "\u{1f331}": 1, "\uff5e": 2 }), '{"\uff5e":2,"\u{1f331}":1}');
  });

  it("keeps the last of two names that become equal", () => {
    assert.equal(canonicalJson({ "\u00e9": 1, "e\u0301": 2 }), '{"\u00e9":2}');
  });

  for (
    const value of [
      8.5,
      NaN,
      Infinity,
      2 ** 53,
      1n,
      "\ud800",
      { "\udc00": 1 },
      () => 1,
      undefined,
      Symbol("s"),
    ]
  ) {
    it(`refuses ${typeof value} ${String(typeof value === "object" ? "with a lone surrogate" : value)}`, () => {
      assert.throws(() => canonicalJson(value), TypeError);
    });
  }

  it("refuses what is nested too deeply, however deep", () => {
    const nest = (depth: number) => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = [value];
      return value;
    };
    assert.equal(canonicalJson(nest(MAX_JSON_DEPTH)).length, 2 * MAX_JSON_DEPTH + 1);
    assert.throws(() => canonicalJson(nest(MAX_JSON_DEPTH + 1)), TypeError);
    assert.throws(() => canonicalJson(nest(1_000_000)), TypeError);
  });

  it("writes random values so that they read back, and the same whatever the order of their members", () => {
    const random = createRandom(1);
    for (let round = 0; round < 300; round++) {
      const value = randomValue(random, 4);
      const text = canonicalJson(value);
      assert.deepEqual(JSON.parse(text), value);
      assert.equal(canonicalJson(shuffled(value, random)), text);
      assert.equal(canonicalJson(JSON.parse(text)), text);
    }
  });
});

type Random = ReturnType<typeof createRandom>;

/** Texts are in normalization form C already. */
function randomValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return random.below(2) === 0;
  if (kind === 2) return random.below(1_000_000) - 500_000;
  if (kind < 5) return randomText(random);
  const size = random.below(5);
  if (kind === 5) return Array.from({ length: size }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: size }, () => [randomText(random), randomValue(random, depth - 1)]),
  );
}

function randomText(random: Random): string {
  const characters = [
    "a",
    "b",
    "\u00e9",
    "\u0000",
    "\u001f",
    '"',
    "\\",
    "/",
    "\u{1f331}",
    "\uff5e",
    " ",
    "\n",
  ];
  return Array.from({ length: random.below(6) }, () => characters[random.below(characters.length)]).join("");
}

function shuffled(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, random));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    random.shuffle(Object.entries(value)).map(([name, item]) => [name, shuffled(item, random)]),
  );
}
