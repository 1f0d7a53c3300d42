/**
 * Packs, offset tables and manifests that fit each other and are wrong nevertheless: made by a publisher with a
 * mistake, or by somebody who may write into the bucket. No answer has wrong bytes, and each one ends.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TooLargeError, UnavailableError } from "../../../../src/errors.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import { MAX_DELTA_CHAIN } from "../../../../src/git/pack/pack.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { GitObject } from "../../../../src/ports/storage.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { packKey } from "../../../../extensions/replicas/format/keys.ts";
import type { PublishedPack } from "../../../../extensions/replicas/format/manifest.ts";
import { BLOCK_BYTES } from "../../../../extensions/replicas/format/offset_table.ts";
import { createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import { noise } from "../../../support/noise.ts";
import { deltaOf } from "../../../support/packs.ts";
import { CountingBucket, putManifest, putPack } from "../../../support/published.ts";
import { buildPack, delta, number7, type PackEntry } from "../../../storage/home/pack_builder.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const encode = (text: string) => new TextEncoder().encode(text);

function blob(bytes: Uint8Array) {
  return { oid: hashObject("blob", bytes), kind: "blob" as const, data: bytes };
}

/** Contents whose deltas have some length. */
const text = (i: number) => encode(Array.from({ length: 50 }, (_, line) => `${line * i}\n`).join(""));
const HONEST: readonly PackEntry[] = Array.from({ length: 20 }, (_, i) => blob(text(i)));
const VICTIM = blob(encode("The object that is asked for.\n"));
const BASE = 5;

/** An id that no object has. It begins like the id of the victim. */
const ABSENT = VICTIM.oid.slice(0, 20) + "0".repeat(20) as Oid;

type Places = { oid: Oid; offset: number }[];

interface Forgery {
  /** The entries after the honest ones. The victim's is the last, unless `victim` says another one. */
  readonly entries?: readonly PackEntry[];
  /** Changes the bytes of the pack before its digests are computed. */
  readonly pack?: (pack: Uint8Array<ArrayBuffer>, offsets: readonly number[]) => Uint8Array<ArrayBuffer>;
  readonly places?: (places: Places, packBytes: number) => Places;
  readonly manifest?: (pack: PublishedPack) => PublishedPack;
  /** Whether honest objects of the pack may be unavailable, too. */
  readonly isOfAll?: boolean;
}

/** A delta of an entry, with the id of the victim. */
const deltaEntry = (base: number | Oid, data: Uint8Array): PackEntry => ({ oid: VICTIM.oid, base, data });
const own = HONEST.length;
/** Ids of objects that have only a place. */
const numbered = (i: number) => i.toString(16).padStart(8, "e").padEnd(40, "0") as Oid;
const append = encode("x");

/** A chain of deltas, each of the entry before it. */
function chain(length: number, oid: (i: number) => Oid, base: (i: number) => number | Oid): PackEntry[] {
  return Array.from({ length }, (_, i) => ({
    oid: i === length - 1 ? VICTIM.oid : oid(i),
    base: base(i),
    data: delta(HONEST[BASE]!.data.length + i, HONEST[BASE]!.data.length + i + 1, ...copy(i), 1, ...append),
  }));
}

/** Copies the base of the link `i` of a chain. */
function copy(i: number): number[] {
  const length = HONEST[BASE]!.data.length + i;
  return [0xb0, length & 255, length >> 8];
}

const FORGERIES: Readonly<Record<string, Forgery>> = {
  "another object": { entries: [{ ...VICTIM, data: encode("Another object.\n") }] },
  "another kind": { entries: [{ ...VICTIM, kind: "commit" }] },
  "an unknown type": { entries: [{ ...VICTIM, type: 5 }] },
  "type 0": { entries: [{ ...VICTIM, type: 0 }] },
  "a smaller size": { entries: [{ ...VICTIM, size: VICTIM.data.length - 1 }] },
  "a larger size": { entries: [{ ...VICTIM, size: VICTIM.data.length + 1 }] },
  "a size beyond the limit": { entries: [{ ...VICTIM, size: 2 ** 26 }] },
  "a size of petabytes": { entries: [{ ...VICTIM, size: 2 ** 52 }] },
  "a size beyond all numbers": { entries: [{ ...VICTIM, size: 2 ** 70 }] },
  "data with garbage": {
    entries: [VICTIM],
    pack: (pack, offsets) => {
      pack.fill(0x55, offsets.at(-1)! + 4, pack.length - 20);
      return pack;
    },
  },
  "data that is cut": {
    entries: [VICTIM, blob(encode("next"))],
    pack: (pack, offsets) => {
      pack.fill(0, offsets.at(-1)! - 6, offsets.at(-1)!);
      return pack;
    },
  },
  "a delta of itself": { entries: [deltaEntry(own, delta(10, 10, 0x90, 10))] },
  "a delta of itself by its id": { entries: [deltaEntry(VICTIM.oid, delta(10, 10, 0x90, 10))] },
  "a cycle of two deltas": {
    entries: [
      { oid: numbered(1), base: VICTIM.oid, data: delta(10, 10, 0x90, 10) },
      deltaEntry(numbered(1), delta(10, 10, 0x90, 10)),
    ],
  },
  "a delta of an absent object": { entries: [deltaEntry("ab".repeat(20) as Oid, delta(10, 10, 0x90, 10))] },
  "a delta of another base": { entries: [deltaEntry(BASE, deltaOf(text(9), VICTIM.data))] },
  "a delta that copies from outside": {
    entries: [deltaEntry(BASE, delta(text(BASE).length, 10, 0x91, 255, 10))],
  },
  "a delta that makes something else": {
    entries: [deltaEntry(BASE, delta(text(BASE).length, 3, 3, 65, 66, 67))],
  },
  "a delta without sizes": { entries: [deltaEntry(BASE, Uint8Array.of(0x80, 0x80))] },
  "a delta with a result of petabytes": {
    entries: [deltaEntry(BASE, Uint8Array.of(...number7(text(BASE).length), ...number7(2 ** 49), 1, 65))],
  },
  "an offset of a base before the pack": {
    entries: [deltaEntry(0, delta(10, 10, 0x90, 10))],
    pack: (pack, offsets) => {
      // Type and size stay; the distance becomes one of four bytes.
      pack.set([0xff, 0xff, 0xff, 0x7f], offsets.at(-1)! + 1);
      return pack;
    },
  },
  "an offset of a base between entries": {
    entries: [deltaEntry(BASE, delta(10, 10, 0x90, 10))],
    pack: (pack, offsets) => {
      pack[offsets.at(-1)! + 2]! ^= 1;
      return pack;
    },
  },
  "a chain that is too long": {
    entries: chain(
      MAX_DELTA_CHAIN + 5,
      numbered,
      (i) => i === 0 ? BASE : own + i - 1,
    ),
  },
  "a chain of large results": {
    entries: [
      { oid: numbered(0), kind: "blob", data: new Uint8Array(15 * 2 ** 20) },
      ...Array.from({ length: 80 }, (_, i): PackEntry => ({
        oid: i === 79 ? VICTIM.oid : numbered(i + 1),
        base: own + i,
        // 15 MiB, in pieces of 64 KiB less one.
        data: delta(
          15 * 2 ** 20,
          i === 79 ? 10 : 15 * 2 ** 20,
          ...(i === 79 ? [0x90, 10] : Array(240).fill([0x80]).flat()),
        ),
      })),
    ],
  },
  "offsets of other objects": {
    entries: [VICTIM],
    places: (places) =>
      places.map(({ oid }, i) => ({ oid, offset: places[(i + 1) % places.length]!.offset })),
    isOfAll: true,
  },
  "offsets between entries": {
    entries: [VICTIM],
    places: (places) => places.map(({ oid, offset }) => ({ oid, offset: offset + 3 })),
    isOfAll: true,
  },
  "one offset for all": {
    entries: [VICTIM],
    places: (places) => places.map(({ oid }) => ({ oid, offset: places[0]!.offset })),
    isOfAll: true,
  },
  "an offset in front of the first object": {
    entries: [VICTIM],
    places: (places) => places.map(({ oid, offset }) => ({ oid, offset: oid === VICTIM.oid ? 11 : offset })),
    isOfAll: true,
  },
  "an offset behind the last object": {
    entries: [VICTIM],
    places: (places, packBytes) =>
      places.map(({ oid, offset }) => ({ oid, offset: oid === VICTIM.oid ? packBytes - 20 : offset })),
    isOfAll: true,
  },
  "many objects whose ids begin alike": {
    entries: [VICTIM],
    places: (places) => [
      ...places.slice(0, -1).map(({ offset }, i) => ({
        oid: VICTIM.oid.slice(0, 8) + numbered(i).slice(0, 32) as Oid,
        offset,
      })),
      places.at(-1)!,
    ],
    isOfAll: true,
  },
  "fewer bytes in the manifest": {
    entries: [VICTIM],
    manifest: (pack) => ({ ...pack, bytes: pack.bytes - 5 }),
    isOfAll: true,
  },
  "more bytes in the manifest": {
    entries: [VICTIM],
    manifest: (pack) => ({ ...pack, bytes: pack.bytes + 5 }),
    isOfAll: true,
  },
};

async function open(forgery: Forgery) {
  const bucket = new CountingBucket(createMemoryBucket());
  const built = buildPack([...HONEST, ...forgery.entries ?? []]);
  const pack = (forgery.pack ?? ((pack) => pack))(built.pack.slice(), built.offsets);
  const places: Places = [...HONEST, ...forgery.entries ?? []].map(({ oid }, i) => ({
    oid,
    offset: built.offsets[i]!,
  }));
  const name = "1".repeat(40) as Oid;
  const published = await putPack(bucket, RID, {
    name,
    pack,
    idx: built.index.slice(),
    places: forgery.places?.(places, pack.length) ?? places,
  });
  await putManifest(bucket, RID, { refs: [], packs: [(forgery.manifest ?? ((pack) => pack))(published)] });
  return { bucket, open: async () => (await createBucketStorage(bucket).repository(RID))! };
}

/** Returns the result of a read, or "refused". All other errors are thrown. */
async function outcome<T>(read: () => T | Promise<T>): Promise<T | "refused"> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof TooLargeError) return "refused";
    throw error;
  }
}

function assertRight(found: GitObject | undefined | "refused", oid: Oid): void {
  if (typeof found === "object") assert.equal(hashObject(found.kind, found.bytes), oid);
}

describe("a forged pack", () => {
  for (const [name, forgery] of Object.entries(FORGERIES)) {
    it(`with ${name} brings no wrong object`, async () => {
      const { bucket, open: openAgain } = await open(forgery);
      for (const isVictimFirst of [true, false]) {
        const repository = await openAgain();
        bucket.reset();
        const oids = [...HONEST.map(({ oid }) => oid), VICTIM.oid, ABSENT];
        for (const oid of isVictimFirst ? oids.toReversed() : oids) {
          for (let times = 0; times < 2; times++) {
            const found = await outcome(() => repository.object(oid));
            assertRight(found, oid);
            const header = await outcome(() => repository.header(oid));
            const isHonest = oid !== VICTIM.oid && oid !== ABSENT;
            if (isHonest && !forgery.isOfAll) {
              assert.ok(typeof found === "object", "honest objects are still there");
              assert.deepEqual(header, { kind: found.kind, size: found.bytes.length });
            }
            if (oid === ABSENT) assert.ok(found === undefined || found === "refused");
          }
        }
        const batch = await outcome(() => repository.objects(oids));
        if (batch !== "refused") { for (const [i, oid] of oids.entries()) assertRight(batch[i], oid); }
        assert.ok(bucket.reads < 10 + 8 * oids.length, `${bucket.reads} reads`);
      }
    });
  }

  it("with a chain over many blocks is read with one read for each, or refused", async () => {
    const links = 150;
    const entries: PackEntry[] = [];
    for (let i = 0; i < links; i++) {
      const length = HONEST[BASE]!.data.length + i;
      entries.push({
        oid: i === links - 1 ? blob(expected(links)).oid : numbered(i),
        base: i === 0 ? BASE : own + 2 * i - 2,
        data: delta(length, length + 1, ...copy(i), 1, 0x78),
      }, { ...blob(noise(BLOCK_BYTES, i + 1)), isStored: true });
    }
    const { bucket, open: openAgain } = await open({ entries });
    const repository = await openAgain();
    bucket.reset();
    const { oid, data } = blob(expected(links));
    assert.deepEqual((await repository.object(oid))?.bytes, data);
    assert.ok(bucket.reads < 5 * links, `${bucket.reads} reads`);

    function expected(count: number): Uint8Array {
      return new Uint8Array([...HONEST[BASE]!.data, ...encode("x".repeat(count))]);
    }
  });

  it("that another pack of the repository replaces is not used", async () => {
    const bucket = new CountingBucket(createMemoryBucket());
    const putOne = async (name: string, entries: readonly PackEntry[]) => {
      const { pack, index, offsets } = buildPack(entries);
      const places = entries.map(({ oid }, i) => ({ oid, offset: offsets[i]! }));
      return await putPack(bucket, RID, {
        name: name as Oid,
        pack: pack.slice(),
        idx: index.slice(),
        places,
      });
    };
    const forged = await putOne("1".repeat(40), [{ ...VICTIM, data: encode("Another object.\n") }]);
    const right = await putOne("2".repeat(40), [VICTIM]);
    for (const packs of [[forged, right], [right, forged]]) {
      await putManifest(bucket, RID, { refs: [], packs });
      const repository = (await createBucketStorage(bucket).repository(RID))!;
      assert.deepEqual((await repository.object(VICTIM.oid))?.bytes, VICTIM.data);
      await bucket.delete([packKey(RID, "3".repeat(40) as Oid, "pack")]);
    }
  });
});
