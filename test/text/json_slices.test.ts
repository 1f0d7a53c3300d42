/** JSON in slices is the same JSON. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { jsonSlices } from "../../src/text/json_slices.ts";
import { firstLength } from "./first_length.ts";

const ITEMS = 1024;
/** Length of the longest text in one slice. */
const SLICE_LENGTH = firstLength((length) => Array.from(jsonSlices("x".repeat(length))).length > 1) - 1;
const LONG = `"${"\u0001\\é\u2028".repeat(SLICE_LENGTH)}"`;

describe("jsonSlices", () => {
  const values: Record<string, unknown> = {
    "a number": 1,
    "nothing": null,
    "a short text": 'a"b',
    "an object": { a: 1, b: undefined, c: ["x", null], d: {} },
    "a long text": LONG,
    "a long text in an object": { a: undefined, b: LONG, c: undefined, d: { e: [1, LONG, [], {}, LONG] } },
    "a long text in a list": [LONG],
    "surrogate pairs": "😀".repeat(SLICE_LENGTH),
    "surrogate pairs elsewhere": `x${"😀".repeat(SLICE_LENGTH)}`,
    "halves of surrogate pairs": "\ud83d".repeat(2 * SLICE_LENGTH + 1),
    "a long list": Array.from({ length: 5 * ITEMS + 1 }, (_, i) => ({ i })),
    "a long list of lists": Array.from({ length: ITEMS + 1 }, () => [[], [1]]),
    "long texts in a long list": [...Array(2 * ITEMS).fill(0), LONG, 1, LONG],
    "a list of a slice": Array(ITEMS).fill(1),
    "a text of a slice": "x".repeat(SLICE_LENGTH),
    "a text of a slice and more": "x".repeat(SLICE_LENGTH + 1),
  };
  for (const [what, value] of Object.entries(values)) {
    it(`writes ${what} as JSON.stringify does`, () => {
      const slices = [...jsonSlices(value, "<", ">")];
      assert.equal(slices.join(""), `<${JSON.stringify(value)}>`);
      assert.ok(slices.every((slice) => slice.length <= 6 * SLICE_LENGTH + 10));
    });
  }

  it("makes slices of a long list", () => {
    const items = Array.from({ length: 10 * ITEMS }, (_, i) => `${i}`.padStart(40, "0"));
    const lengths = [...jsonSlices({ items })].map(({ length }) => length);
    assert.ok(lengths.length > 5, `${lengths}`);
    assert.ok(lengths.every((length) => length < 2 * SLICE_LENGTH), `${lengths}`);
  });

  it("is usually one slice", () => {
    assert.deepEqual([...jsonSlices({ a: ["b"] }, "(", ")")], ['({"a":["b"]})']);
  });

  it("makes the slices of a long text, wherever one ends", () => {
    for (const head of ["", "x", "xy"]) {
      const text = `${head}${'😀"\n\u0001é'.repeat(40_000)}\ud83d`;
      assert.equal([...jsonSlices([text, { text }])].join(""), JSON.stringify([text, { text }]));
    }
  });
});
