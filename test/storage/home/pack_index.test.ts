/** Indexes of packs, right and wrong ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../../src/errors.ts";
import { type Oid, oidFromBytes } from "../../../src/ids/oid.ts";
import { PackIndex } from "../../../src/storage/home/pack_index.ts";
import { blobId, buildIndex, fileOf } from "./pack_builder.ts";

const PACK = new Uint8Array(10_000).fill(7);
const OIDS = Array.from({ length: 500 }, (_, i) => blobId(`${i}`));
const NEAR = OIDS.map((oid, i) => [oid, 12 + 10 * i] as const);
const INDEX = buildIndex(NEAR, PACK);
const FIRST_INDEX = buildIndex(NEAR, PACK, 1);

/** Offsets on both sides of the borders of 31, 32 and 33 bits. */
const FAR = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 5];
const FAR_INDEX = buildIndex(FAR.map((offset, i) => [OIDS[i]!, offset]), PACK);

/** An index in a file. */
const open = (bytes: Uint8Array) => new PackIndex({ file: () => fileOf(bytes) });

/** The index with some of its bytes replaced. */
function changed(index: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
  const copy = Uint8Array.from(index);
  copy.set(bytes, at < 0 ? copy.length + at : at);
  return copy;
}

describe("PackIndex", () => {
  for (const [version, bytes] of [[1, FIRST_INDEX], [2, INDEX]] as const) {
    it(`finds each object, of version ${version}`, () => {
      const index = open(bytes);
      assert.equal(index.count, OIDS.length);
      OIDS.forEach((oid, i) => assert.equal(index.find(oid), 12 + 10 * i));
    });

    it(`finds no other object, of version ${version}`, () => {
      const index = open(bytes);
      for (const digit of "0123456789abcdef") assert.equal(index.find(digit.repeat(40) as Oid), undefined);
      for (const oid of OIDS) {
        assert.equal(index.find(oid.slice(0, 39) + (oid.endsWith("0") ? "1" : "0") as Oid), undefined);
      }
    });

    it(`has nothing in an empty pack, of version ${version}`, () => {
      assert.equal(open(buildIndex([], PACK, version)).find(OIDS[0]!), undefined);
    });

    it(`knows the checksum of its pack, of version ${version}`, () => {
      assert.deepEqual(Uint8Array.from(open(bytes).packChecksum), PACK.subarray(-20));
    });

    it(`refuses an index cut off anywhere, of version ${version}`, () => {
      for (let length = 0; length < bytes.length; length += 7) {
        assert.throws(() => open(bytes.subarray(0, length)), DamagedError, `length ${length}`);
      }
    });
  }

  it("finds objects up to 4 GiB where offsets have four bytes", () => {
    const far = FAR.slice(0, 4);
    const index = open(buildIndex(far.map((offset, i) => [OIDS[i]!, offset]), PACK, 1));
    far.forEach((offset, i) => assert.equal(index.find(OIDS[i]!), offset));
    far.forEach((offset, i) => assert.equal(index.entryEnd(offset, 2 ** 33), far[i + 1] ?? 2 ** 33 - 20));
  });

  it("finds objects beyond 2 GiB and 4 GiB", () => {
    const index = open(FAR_INDEX);
    FAR.forEach((offset, i) => assert.equal(index.find(OIDS[i]!), offset));
  });

  it("lists the objects within the pack by position", () => {
    const list = (bytes: Uint8Array, packSize: number) =>
      Array.from(open(bytes).inOrder(packSize), ({ oid, offset }) => [oidFromBytes(oid), offset]);
    for (const index of [INDEX, FIRST_INDEX]) {
      assert.deepEqual(list(index, 4992), OIDS.slice(0, 498).map((oid, i) => [oid, 12 + 10 * i]));
    }
    assert.deepEqual(list(FAR_INDEX, 2 ** 34), FAR.map((offset, i) => [OIDS[i], offset]));
    assert.deepEqual(list(FAR_INDEX, 2 ** 32), FAR.slice(0, 4).map((offset, i) => [OIDS[i], offset]));
    assert.deepEqual(list(buildIndex([], PACK), PACK.length), []);
  });

  it("ends each entry where the next begins, the last before the pack's checksum", () => {
    const index = open(FAR_INDEX);
    FAR.forEach((offset, i) => assert.equal(index.entryEnd(offset, 2 ** 34), FAR[i + 1] ?? 2 ** 34 - 20));
  });

  it("refuses offsets at which no entry begins or that are not within the pack", () => {
    const index = open(FAR_INDEX);
    for (const offset of [-1, 0, 11, 13, 2 ** 32 + 1, 2 ** 40, NaN]) {
      assert.throws(() => index.entryEnd(offset, 2 ** 34), DamagedError, `${offset}`);
    }
    assert.throws(() => index.entryEnd(2 ** 31, 2 ** 31 + 20), DamagedError);
    assert.throws(() => open(buildIndex([[OIDS[0]!, 4]], PACK)).entryEnd(4, 100), DamagedError);
  });

  it("refuses an object without an offset, and finds the others", () => {
    const last = [...OIDS].sort().at(-1)!;
    const index = open(changed(INDEX, -44, 0xff, 0xff, 0xff, 0xff));
    assert.throws(() => index.find(last), DamagedError);
    for (const oid of OIDS) if (oid !== last) index.entryEnd(index.find(oid)!, PACK.length);
  });

  const damaged: Record<string, Uint8Array> = {
    "empty": new Uint8Array(),
    "of version 2 without its signature": INDEX.subarray(8),
    "of version 1 that counts down": changed(FIRST_INDEX, 4 * 100, 0, 0, 255, 255),
    "of version 1 that counts more objects than it has": changed(FIRST_INDEX, 4 * 255, 0, 0, 255, 255),
    "of version 1 with bytes left over": Uint8Array.of(...FIRST_INDEX, ...new Uint8Array(8)),
    "of version 3": changed(INDEX, 7, 3),
    "that counts down": changed(INDEX, 8 + 4 * 100, 0, 0, 255, 255),
    "that counts more objects than it has": changed(INDEX, 8 + 4 * 255, 0, 0, 255, 255),
    "that counts more objects than any": changed(INDEX, 8 + 4 * 255, 255, 255, 255, 255),
    "with bytes left over": Uint8Array.of(...INDEX, 0),
  };
  for (const [what, bytes] of Object.entries(damaged)) {
    it(`refuses an index ${what}`, () => assert.throws(() => open(bytes), DamagedError));
  }
});
