/** Objects of published packs: all of them, no others, with few reads of the bucket and little memory. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Memory } from "../../../../src/cache/memory.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { CacheFolder } from "../../../../src/ports/cache_folder.ts";
import type { Ref } from "../../../../src/ports/storage.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { manifestKey, packKey } from "../../../../extensions/replicas/format/keys.ts";
import { BLOCK_BYTES, blockCount } from "../../../../extensions/replicas/format/offset_table.ts";
import {
  type BucketStorageOptions,
  createBucketStorage,
} from "../../../../extensions/replicas/storage/storage.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { noise } from "../../../support/noise.ts";
import type { Deltas, NamedObject } from "../../../support/packs.ts";
import { CountingBucket, putManifest, putState, reachableObjects } from "../../../support/published.ts";
import { createRepository, putCommit, setHead } from "../../../support/world.ts";

const source = createRepository(createMemoryStorage(), { name: "history" });
const { rid: RID } = source;
let objects: readonly NamedObject[];
let refs: readonly Ref[];

before(async () => {
  const files: Record<string, string> = {};
  let tip: Oid | undefined;
  for (let i = 0; i < 400; i++) {
    files[`file${i % 30}.txt`] = `line of ${i}\n`.repeat(1 + i % 60) + `${i}\n`;
    const folder = { ...files, docs: { "read me": `${i >> 3}` } };
    tip = putCommit(source, { folder, parents: tip ? [tip] : [], message: `Commit ${i}\n` });
  }
  setHead(source, tip!);
  refs = [source.ref("HEAD")!, ...source.refs("refs/")];
  objects = await reachableObjects(source, refs);
});

/** Puts objects into a new bucket. Returns a function that opens a new replica of the bucket. */
async function publish(
  some: readonly NamedObject[],
  { packObjects, deltas }: { readonly packObjects?: number; readonly deltas?: Deltas } = {},
) {
  const bucket = new CountingBucket(createMemoryBucket());
  const manifest = await putState(bucket, {
    rid: RID,
    refs,
    objects: some,
    ...(packObjects && { packObjects }),
    ...(deltas && { deltas }),
  });
  const open = async (options: BucketStorageOptions = {}) => {
    bucket.reset();
    return (await createBucketStorage(bucket, options).repository(RID))!;
  };
  return { bucket, manifest, open };
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof publish>>["open"]>>;

async function assertSame(repository: Opened, some: readonly NamedObject[]): Promise<void> {
  for (const { oid, kind, bytes } of some) {
    const object = await repository.object(oid);
    assert.deepEqual([object?.kind, object?.bytes], [kind, bytes]);
    assert.deepEqual(await repository.header(oid), { kind, size: bytes.length });
  }
}

/** An id that begins like another one. */
function forgedId(oid: Oid, digits = 8): Oid {
  return oid.slice(0, digits) +
    Array.from(oid.slice(digits), (digit) => digit === "0" ? "1" : "0").join("") as Oid;
}

describe("objects of published packs", () => {
  for (const deltas of ["none", "offsets", "references"] as const) {
    for (const packObjects of [undefined, 60]) {
      it(`are those of the home, deltas: ${deltas}, packs of ${packObjects ?? "all"} objects`, async () => {
        const { open } = await publish(objects, { deltas, ...(packObjects && { packObjects }) });
        await assertSame(await open(), objects);
        const repository = await open();
        const found = await repository.objects(objects.map(({ oid }) => oid));
        assert.deepEqual(found.map((object) => object?.bytes), objects.map(({ bytes }) => bytes));
      });
    }
  }

  it("have no other ids, even if these begin alike", async () => {
    for (const packObjects of [undefined, 60]) {
      const { open } = await publish(objects, packObjects ? { packObjects } : {});
      for (const isWarm of [false, true]) {
        const repository = await open();
        for (const { oid } of objects.slice(0, 50)) {
          if (isWarm) await repository.object(oid);
          for (const forged of [forgedId(oid), forgedId(oid, 38), forgedId(oid, 0)]) {
            assert.equal(await repository.header(forged), undefined);
            assert.equal(await repository.object(forged), undefined);
            const found = await repository.objects([forged, oid, forged]);
            assert.deepEqual(found.map((object) => object !== undefined), [false, true, false]);
          }
        }
      }
    }
  });

  it("are found in the right place when ids of several objects begin alike", async () => {
    // Two texts whose ids have the same first four bytes, found by trying.
    const starts = new Map<string, NamedObject>();
    const pair: NamedObject[] = [];
    for (let i = 0; pair.length === 0; i++) {
      const bytes = new TextEncoder().encode(`text ${i}`);
      const object: NamedObject = { oid: hashObject("blob", bytes), kind: "blob", bytes };
      const other = starts.get(object.oid.slice(0, 8));
      starts.set(object.oid.slice(0, 8), object);
      if (other !== undefined) pair.push(other, object);
    }
    for (const order of [pair, pair.toReversed()]) {
      for (const packObjects of [1, 2]) {
        const { open } = await publish(order, { packObjects });
        await assertSame(await open(), order);
        await assertSame(await open(), order.toReversed());
        assert.equal(await (await open()).object(forgedId(order[0]!.oid)), undefined);
      }
    }
  });

  it("share reads, and take one read for each pack of a small repository", async () => {
    const { bucket, manifest, open } = await publish(objects);
    assert.ok(manifest.packs.length === 1 && "sha256" in manifest.packs[0]!.offsets);
    const repository = await open();
    await Promise.all(objects.map(async ({ oid }) => await repository.object(oid)));
    const [{ name, bytes }] = manifest.packs as [typeof manifest.packs[0] & object];
    assert.deepEqual(
      bucket.asked.slice().sort(),
      [
        manifestKey(RID),
        `${packKey(RID, name, "offsets")} 0-${16 * blockCount(bytes) + 8 * objects.length}`,
        `${packKey(RID, name, "pack")} 0-${bytes}`,
      ].sort(),
    );
  });

  it("come from the newest pack that has them", async () => {
    const { bucket, manifest, open } = await publish(objects, { packObjects: 500 });
    await open();
    const [newest, ...older] = manifest.packs;
    await bucket.delete([packKey(RID, newest!.name, "pack")]);
    await putManifest(bucket, RID, { refs, packs: older, stateNumber: 2 });
    const repository = await open();
    await assertSame(repository, objects.slice(0, 500));
    assert.equal(await repository.object(objects.at(-1)!.oid), undefined);
  });
});

describe("large published packs", () => {
  const blobs = Array.from({ length: 24 }, (_, i): NamedObject => {
    const bytes = noise(i % 10 === 0 ? 2 * BLOCK_BYTES : 160_000, i + 1);
    return { oid: hashObject("blob", bytes), kind: "blob", bytes };
  });

  let published: Awaited<ReturnType<typeof publish>>;
  let mixed: typeof published;

  before(async () => {
    published = await publish(blobs);
    mixed = await publish([...objects, ...blobs]);
  });

  it("are read in the blocks that an object needs", async () => {
    const { bucket, manifest, open } = published;
    const [{ bytes, name }] = manifest.packs as [typeof manifest.packs[0] & object];
    assert.ok(bytes > 2 ** 22, `${bytes} bytes`);
    const repository = await open();
    await assertSame(repository, [blobs[21]!]);
    // The first block is read ahead.
    const key = packKey(RID, name, "pack");
    assert.equal(bucket.asked[1], `${key} 0-${BLOCK_BYTES}`);
    assert.ok(bucket.bytes < 5 * BLOCK_BYTES, `${bucket.bytes} bytes`);
  });

  it("are read in few calls when many objects are needed", async () => {
    const { bucket, manifest, open } = published;
    const bytes = manifest.packs[0]!.bytes;
    const repository = await open();
    const found = await repository.objects(blobs.map(({ oid }) => oid));
    assert.deepEqual(found.map((object) => object?.bytes), blobs.map(({ bytes }) => bytes));
    assert.ok(bucket.reads <= 3 + bytes / 2 ** 22, bucket.asked.join("\n"));
    // Neighbours and next neighbours are read together.
    const other = await open();
    await other.objects([blobs[12]!.oid, blobs[15]!.oid, blobs[18]!.oid]);
    assert.ok(bucket.reads <= 4, bucket.asked.join("\n"));
  });

  it("can be read with less memory than one operation needs", async () => {
    const { bucket, open } = mixed;
    const memory = new Memory({ totalBytes: 40 * 2 ** 20, storageKind: "bucket" });
    assert.ok(memory.share("bucketContents") < 2 ** 24);
    const repository = await open({ memory });
    const oids = [...objects, ...blobs].map(({ oid }) => oid);
    const [one, two] = await Promise.all([repository.objects(oids), repository.objects(oids.toReversed())]);
    assert.deepEqual(one.map((object) => object?.bytes), [...objects, ...blobs].map(({ bytes }) => bytes));
    assert.deepEqual(two.map((object) => object?.bytes), one.map((object) => object?.bytes).reverse());
    assert.ok(bucket.reads < 200, `${bucket.reads} reads`);
  });

  it("end a batch by its bytes", async () => {
    const { open } = published;
    const repository = await open();
    const oids = blobs.map(({ oid }) => oid);
    const batchBytes = 3 * BLOCK_BYTES;
    assert.equal((await repository.objects(oids, { batchBytes })).length, 3);
    assert.equal((await repository.objects(oids, { batchBytes: 1 })).length, 1);
    const small = await repository.objects(oids, { limitBytes: BLOCK_BYTES });
    assert.deepEqual(small.map((object) => object === undefined), blobs.map((_, i) => i % 10 === 0));
  });

  it("are read from the folder, and each block is saved once", async () => {
    const saved = new Map<string, number>();
    const files = new Map<string, Uint8Array>();
    const cacheFolder: CacheFolder = {
      read: (name) => files.get(name),
      write(name, bytes) {
        saved.set(name, (saved.get(name) ?? 0) + 1);
        files.set(name, bytes.slice());
      },
    };
    const { bucket, manifest, open } = mixed;
    const oids = blobs.slice(5, 15).map(({ oid }) => oid);
    const repository = await open({ cacheFolder });
    await repository.objects(oids);
    await repository.objects(oids.toReversed());
    assert.ok([...saved.values()].every((times) => times === 1));
    const again = await open({ cacheFolder });
    const found = await again.objects(oids);
    assert.deepEqual(found.map((object) => object?.bytes), blobs.slice(5, 15).map(({ bytes }) => bytes));
    assert.deepEqual(bucket.asked, [manifestKey(RID)]);
    for (const bytes of files.values()) bytes[77]! ^= 4;
    const third = await open({ cacheFolder });
    assert.deepEqual((await third.objects(oids)).length, oids.length);
    assert.ok(bucket.reads > 1 && manifest.packs.length === 1);
  });
});

describe("large published objects", () => {
  it("are read in steps, one for all readers, and refused beyond the limits", async () => {
    const bytes = noise(2 ** 20);
    const large = new Uint8Array(9 * 2 ** 20);
    for (let at = 0; at < large.length; at += bytes.length) large.set(bytes, at);
    const newer = large.slice(0, -5);
    const beyond = new Uint8Array(17 * 2 ** 20);
    const blobs = [large, newer, beyond].map((bytes): NamedObject => ({
      oid: hashObject("blob", bytes),
      kind: "blob",
      bytes,
    }));
    const { open } = await publish(blobs);
    const repository = await open();
    const found = await Promise.all(
      [0, 0, 1, 1].map(async (i) => (await repository.object(blobs[i]!.oid))?.bytes.length),
    );
    assert.deepEqual(found, [large.length, large.length, newer.length, newer.length]);
    assert.deepEqual((await repository.object(blobs[0]!.oid))?.bytes, large);
    assert.deepEqual(await repository.header(blobs[2]!.oid), { kind: "blob", size: beyond.length });
    const isTooLarge = { name: "TooLargeError" };
    await assert.rejects(async () => await repository.object(blobs[2]!.oid), isTooLarge);
    await assert.rejects(async () => await repository.object(blobs[0]!.oid, { limitBytes: 9 }), isTooLarge);
    assert.equal(await repository.object(forgedId(blobs[0]!.oid)), undefined);
    const batch = await repository.objects(blobs.map(({ oid }) => oid));
    assert.deepEqual(batch.map((object) => object?.bytes.length), [large.length, newer.length, undefined]);
  });
});
