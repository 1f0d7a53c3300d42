import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoize } from "../../src/cache/memory.ts";

describe("memoize()", () => {
  it("is made once of each thing", () => {
    let made = 0;
    const lengths = memoize((list: readonly number[]) => ({ length: list.length, number: ++made }));
    const [one, other] = [[1, 2, 3], [1, 2, 3]];
    assert.deepEqual(lengths(one), { length: 3, number: 1 });
    assert.equal(lengths(one), lengths(one));
    assert.deepEqual(lengths(other), { length: 3, number: 2 });
  });
});
