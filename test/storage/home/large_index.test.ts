/** Indexes of large packs: in the file at first, in memory while they are used much. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../../src/errors.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { PackIndex } from "../../../src/storage/home/pack_index.ts";
import { FakeClock } from "../../diff_service/fake_workers.ts";
import { blobId, buildIndex, fileOf } from "./pack_builder.ts";

const PACK = new Uint8Array(10_000).fill(7);
const OIDS = Array.from({ length: 500 }, (_, i) => blobId(`${i}`));
const NEAR = OIDS.map((oid, i) => [oid, 12 + 10 * i] as const);
const INDEX = buildIndex(NEAR, PACK);
const FIRST_INDEX = buildIndex(NEAR, PACK, 1);

/** An index in a file that counts what is read of it. */
function open(bytes: Uint8Array, clock = new FakeClock()) {
  let readBytes = 0;
  const file = fileOf(bytes, (length) => readBytes += length);
  const index = new PackIndex({ file: () => file, isLarge: true, setTimer: clock.setTimer });
  return { index, clock, readBytes: () => readBytes };
}

function findAlike(version: 1 | 2): void {
  const oids = Array.from(
    { length: 20_000 },
    (_, i) => `00${(7 * i).toString(16).padStart(38, "0")}` as Oid,
  );
  const { index } = open(buildIndex(oids.map((oid, i) => [oid, 12 + 10 * i]), PACK, version));
  for (let i = 0; i < oids.length; i += 97) assert.equal(index.find(oids[i]!), 12 + 10 * i);
  assert.equal(index.find("00".padEnd(40, "f") as Oid), undefined);
  assert.equal(index.find("f".repeat(40) as Oid), undefined);
}

describe("the index of a large pack", () => {
  for (const [version, bytes] of [[1, FIRST_INDEX], [2, INDEX]] as const) {
    it(`finds each object and no other, in its file and in memory, of version ${version}`, () => {
      const { index } = open(bytes);
      const whole = new PackIndex({ file: () => fileOf(bytes) });
      assert.deepEqual([index.count, index.packChecksum], [whole.count, Uint8Array.from(whole.packChecksum)]);
      for (let lookups = 0; lookups < 2000; lookups += OIDS.length) {
        for (const oid of OIDS) {
          assert.equal(index.find(oid), whole.find(oid));
          const other = oid.slice(0, 39) + (oid.endsWith("0") ? "1" : "0") as Oid;
          assert.equal(index.find(other), undefined);
        }
      }
    });

    it(`ends each entry where the next begins, of version ${version}`, () => {
      const { index } = open(bytes);
      OIDS.forEach((_, i) => assert.equal(index.entryEnd(12 + 10 * i, 5032), 22 + 10 * i));
      assert.throws(() => index.entryEnd(13, 5032), DamagedError);
    });

    it(`finds objects among thousands whose ids begin alike, of version ${version}`, () => {
      findAlike(version);
    });
  }

  it("finds objects beyond 2 GiB and 4 GiB", () => {
    const far = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 33 + 5];
    const { index } = open(buildIndex(far.map((offset, i) => [OIDS[i]!, offset]), PACK));
    far.forEach((offset, i) => assert.equal(index.find(OIDS[i]!), offset));
    far.forEach((offset, i) => assert.equal(index.entryEnd(offset, 2 ** 34), far[i + 1] ?? 2 ** 34 - 20));
  });

  it("is in memory while it is used much, and no longer", () => {
    const { index, clock, readBytes } = open(INDEX);
    const find = (count: number) => {
      const before = readBytes();
      for (let i = 0; i < count; i++) index.find(OIDS[i % OIDS.length]!);
      return readBytes() - before;
    };
    assert.ok(find(100) > 0);
    assert.ok(find(2000) >= INDEX.length);
    for (let period = 0; period < 3; period++) {
      assert.equal(find(1000), 0);
      clock.pass(5000);
    }
    clock.pass(60_000);
    const one = find(1);
    assert.ok(one > 0 && one < INDEX.length / 2, `${one} bytes read`);
    index.close();
    clock.pass(60_000);
    assert.equal(index.find(OIDS[0]!), 12);
  });

  it("is damaged when its file is cut off or has no offset for an object", () => {
    assert.throws(() => open(INDEX.subarray(0, -1)), DamagedError);
    const last = [...OIDS].sort().at(-1)!;
    const withoutOffset = Uint8Array.from(INDEX);
    withoutOffset.fill(0xff, INDEX.length - 44, INDEX.length - 40);
    assert.throws(() => open(withoutOffset).index.find(last), DamagedError);
  });
});
