import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readStatus } from "../../src/diff/pairing.ts";
import type { Change } from "../../src/diff/tree_comparison.ts";

const CHANGES: readonly Change[] = Array.from({ length: 4 }, (_, i) => ({ path: Uint8Array.of(0x61 + i) }));

/** Pairs as numbers of their changes; renames have an arrow. */
function print(list: string): string[] {
  return readStatus(list, CHANGES).map(({ from, to, isRename }) =>
    `${CHANGES.indexOf(from)} ${isRename ? "→" : "="} ${CHANGES.indexOf(to)}`
  );
}

describe("readStatus", () => {
  it("reads files that stayed where they are", () => {
    assert.deepEqual(print("A\t000000\nD\t000001\nM\t000002\n"), ["0 = 0", "1 = 1", "2 = 2"]);
  });

  it("reads moved and copied files", () => {
    assert.deepEqual(print("R\t000001  000000 \nC\t000003  000002 \n"), ["1 → 0", "3 = 2"]);
  });

  it("is not misled by the stars of executable files", () => {
    assert.deepEqual(print("R\t000001* 000000*\nM\t000002  000002*\nM\t000003*\n"), [
      "1 → 0",
      "2 = 2",
      "3 = 3",
    ]);
  });

  it("finds nothing in an empty list", () => {
    assert.deepEqual(print(""), []);
  });

  it("rejects what is no list of the changes", () => {
    for (const list of ["hello\n", "A\tx\n", "A\t000004\n", "R\t000000 \t000001\n"]) {
      assert.throws(() => print(list), TypeError);
    }
  });
});
