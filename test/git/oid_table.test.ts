/** Object ids in a column. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OidTable } from "../../src/git/oid_table.ts";
import type { Oid } from "../../src/ids/oid.ts";

const oids = Array.from(
  { length: 5000 },
  (_, i) => (i * 7919).toString(16).padStart(40, "0123456789abcdef") as Oid,
);

describe("OidTable", () => {
  it("gives each id the next row, and the same again", () => {
    const table = new OidTable();
    assert.deepEqual(oids.map((oid) => table.add(oid)), oids.map((_, i) => i));
    assert.deepEqual(oids.map((oid) => table.add(oid)), oids.map((_, i) => i));
    assert.equal(table.size, oids.length);
    assert.deepEqual(oids.map((_, i) => table.oidOf(i)), oids);
  });

  it("finds what is in it, and nothing else", () => {
    const table = new OidTable();
    for (const oid of oids.slice(0, 3000)) table.add(oid);
    assert.deepEqual(
      oids.slice(0, 3000).map((oid) => table.rowOf(oid)),
      oids.slice(0, 3000).map((_, i) => i),
    );
    assert.ok(oids.slice(3000).every((oid) => table.rowOf(oid) === undefined));
  });

  it("distinguishes ids that differ in any digit", () => {
    const table = new OidTable();
    const zeros = "0".repeat(40);
    const near = Array.from({ length: 40 }, (_, i) => `${zeros.slice(i + 1)}1${zeros.slice(0, i)}` as Oid);
    for (const oid of near) table.add(oid);
    assert.equal(table.size, 40);
  });

  it("takes the bytes of another table, row by row", () => {
    const [table, again] = [new OidTable(), new OidTable()];
    for (const oid of oids) table.add(oid);
    const { bytes } = table;
    for (let row = 0; row < oids.length; row++) {
      assert.equal(again.add(bytes.subarray(20 * row, 20 * row + 20)), row);
    }
    assert.deepEqual(oids.map((oid) => again.add(oid)), oids.map((_, i) => i));
  });
});
