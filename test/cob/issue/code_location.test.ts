/** Places in code, and their order. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as v from "valibot";
import {
  CodeLocation,
  compareLocations,
  isExactLocation,
  locationKey,
} from "../../../src/cob/issue/code_location.ts";
import { createRandom } from "../random.ts";

const commit = "a".repeat(40);
const lines = (start: number, end: number) => ({ type: "lines", range: { start, end } });
const chars = (line: number, start: number, end: number) => ({ type: "chars", line, range: { start, end } });
const at = (path: string, old: unknown = null, after: unknown = null, oid = commit) =>
  v.parse(CodeLocation, { commit: oid, path, old, new: after });

describe("CodeLocation", () => {
  it("has both sides, null where they are missing", () => {
    assert.deepEqual(v.parse(CodeLocation, { commit, path: "./a//b", more: 1 }), {
      commit,
      path: "./a//b",
      old: null,
      new: null,
    });
  });

  for (
    const bad of [
      { path: "a" },
      { commit: "x", path: "a" },
      { commit, path: 1 },
      { commit, path: "a", new: lines(-1, 2) },
      { commit, path: "a", new: lines(0.5, 2) },
      { commit, path: "a", new: lines(0, 2 ** 64) },
      { commit, path: "a", new: lines(0, NaN) },
      { commit, path: "a", new: { type: "lines", range: { start: 1, end: 2, more: 3 } } },
      { commit, path: "a", new: { type: "words", range: { start: 1, end: 2 } } },
      { commit, path: "a", new: { type: "chars", range: { start: 1, end: 2 } } },
    ]
  ) {
    it(`refuses ${JSON.stringify(bad).slice(0, 100)}`, () => assert.ok(!v.is(CodeLocation, bad)));
  }
});

describe("isExactLocation", () => {
  it("is true of places whose numbers have a canonical text", () => {
    assert.ok(isExactLocation(at("a", lines(0, 2 ** 53 - 1), chars(1, 2, 3))));
    for (const odd of [lines(0, 2 ** 53), lines(2 ** 60, 1), chars(2 ** 53, 1, 2)]) {
      assert.ok(!isExactLocation(at("a", odd)));
      assert.ok(!isExactLocation(at("a", null, odd)));
    }
  });
});

describe("compareLocations", () => {
  const ascending = [
    undefined,
    at("z", null, null, "0".repeat(40)),
    at("/a"),
    at("a"),
    at("a", null, lines(9, 9)),
    at("a", null, lines(1, 2)),
    at("a", null, lines(1, 3)),
    at("a", null, lines(2, 3)),
    at("a", null, chars(0, 5, 6)),
    at("a", null, chars(1, 0, 0)),
    at("a", null, chars(1, 0, 1)),
    at("a", lines(0, 1)),
    at("a/b"),
    at("a-b"),
    at("\uff5e"),
    at("\u{1f331}"),
  ];

  it("orders by commit, path part by part, old and new side", () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        assert.equal(Math.sign(compareLocations(a, b)), Math.sign(i - j), `${i} and ${j}`);
        assert.equal(locationKey(a) === locationKey(b), i === j);
      }
    }
  });

  it("takes for one place what differs in spelling only", () => {
    for (const [a, b] of [["a/b", "a//b"], ["a/b", "a/./b/"], ["/a", "//a"]] as const) {
      assert.equal(compareLocations(at(a), at(b)), 0);
      assert.equal(locationKey(at(a)), locationKey(at(b)));
    }
    assert.equal(locationKey(at("a", lines(3, 3))), locationKey(at("a", lines(9, 2))));
    assert.notEqual(compareLocations(at("./a"), at("a")), 0);
  });

  it("is an order: shuffled places sort back", () => {
    const random = createRandom(7);
    for (let round = 0; round < 50; round++) {
      assert.deepEqual(random.shuffle(ascending.slice(1)).sort(compareLocations), ascending.slice(1));
    }
  });
});
