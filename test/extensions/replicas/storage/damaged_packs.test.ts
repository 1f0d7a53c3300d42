/** Packs whose bytes are wrong, missing or replaced while they are read: each answer is right, or unavailable. */
import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { UnavailableError } from "../../../../src/errors.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { type PackFileKind, packKey } from "../../../../extensions/replicas/format/keys.ts";
import type { Manifest } from "../../../../extensions/replicas/format/manifest.ts";
import { BLOCK_BYTES } from "../../../../extensions/replicas/format/offset_table.ts";
import type { BucketRepository } from "../../../../extensions/replicas/storage/repository.ts";
import { createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import { noise } from "../../../support/noise.ts";
import type { NamedObject } from "../../../support/packs.ts";
import { CountingBucket, type GivenState, putState, randomFaults } from "../../../support/published.ts";
import { randomNumbers } from "../format/fuzz.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const ABSENT = "ab".repeat(20) as Oid;
const encoder = new TextEncoder();

function blob(bytes: Uint8Array): NamedObject {
  return { oid: hashObject("blob", bytes), kind: "blob", bytes };
}

/** So many small objects that the offset table has a file, with large ones between them. */
const OBJECTS = Array.from(
  { length: 1500 },
  (_, i) =>
    i % 75 === 0
      ? blob(noise(BLOCK_BYTES + 4 * i, i + 1))
      : blob(encoder.encode(`Text ${i}\n`.repeat(i % 50))),
);
const UNIQUE = [...new Map(OBJECTS.map((object) => [object.oid, object])).values()];

const isUnavailable = (error: unknown) =>
  error instanceof UnavailableError && error.isOfStorage && error.retryAfterSeconds !== undefined;

/** Makes a state with all objects. Returns its manifest, and the content of its files by their keys. */
async function makeState(given: Pick<GivenState, "packObjects" | "stateNumber">) {
  const memory = createMemoryBucket();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const bucket: Bucket = {
    ...memory,
    put(key, content, options) {
      files.set(key, new Uint8Array(content));
      return memory.put(key, content, options);
    },
  };
  return { manifest: await putState(bucket, { rid: RID, refs: [], objects: UNIQUE, ...given }), files };
}

describe("a damaged bucket of packs", () => {
  let bucket: CountingBucket;
  let manifest: Manifest;
  let log: string[];
  let files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

  before(async () => {
    bucket = new CountingBucket(createMemoryBucket());
    ({ manifest, files } = await makeState({ stateNumber: 1 }));
    for (const [key, bytes] of files) await bucket.put(key, bytes.slice());
  });

  beforeEach(() => {
    bucket.fault = undefined;
    bucket.reset();
    log = [];
  });

  const keyOf = (file: PackFileKind) => packKey(RID, manifest.packs[0]!.name, file);

  async function open(): Promise<BucketRepository> {
    const environment = { now: () => 0, log: (_: string, message: string) => void log.push(message) };
    return (await createBucketStorage(bucket, { environment }).repository(RID))!;
  }

  /** Stores other bytes of a file, calls `use`, and stores the right bytes again. */
  async function withFile(
    file: PackFileKind,
    change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
    use: () => Promise<void>,
  ): Promise<void> {
    const right = files.get(keyOf(file))!.slice();
    await bucket.put(keyOf(file), change(right.slice()));
    await use().finally(() => bucket.put(keyOf(file), right));
  }

  /** Reads all objects, one after the other. Returns which are unavailable. */
  async function readAll(repository: BucketRepository, objects = UNIQUE): Promise<ReadonlySet<Oid>> {
    const missing = new Set<Oid>();
    for (const { oid, kind, bytes } of objects) {
      try {
        const object = await repository.object(oid);
        assert.deepEqual([object?.kind, object?.bytes], [kind, bytes]);
        assert.deepEqual(await repository.header(oid), { kind, size: bytes.length });
      } catch (error) {
        assert.ok(isUnavailable(error), String(error));
        missing.add(oid);
      }
    }
    return missing;
  }

  it("brings all objects as long as it is not damaged", async () => {
    assert.ok(manifest.packs[0]!.bytes > 2 ** 22);
    assert.equal((await readAll(await open())).size, 0);
    assert.deepEqual(log, []);
  });

  it("brings the objects of the other blocks when one block is wrong", async () => {
    const wrong = {
      "a flipped bit": (bytes: Uint8Array<ArrayBuffer>) => {
        bytes[3 * BLOCK_BYTES + 777]! ^= 8;
        return bytes;
      },
      "two blocks in each other's place": (bytes: Uint8Array<ArrayBuffer>) => {
        const block = bytes.slice(3 * BLOCK_BYTES, 4 * BLOCK_BYTES);
        bytes.copyWithin(3 * BLOCK_BYTES, 4 * BLOCK_BYTES, 5 * BLOCK_BYTES);
        bytes.set(block, 4 * BLOCK_BYTES);
        return bytes;
      },
    };
    for (const [name, change] of Object.entries(wrong)) {
      await withFile("pack", change, async () => {
        const missing = await readAll(await open());
        assert.ok(missing.size > 0 && missing.size < UNIQUE.length / 2, `${name}: ${missing.size} objects`);
        assert.ok(log.some((line) => line.includes(keyOf("pack")) && line.includes("damaged")), log.join());
        assert.ok(bucket.reads < 10 + 8 * missing.size + 60, `${bucket.reads} reads`);
        const repository = await open();
        const [absent] = missing;
        const present = UNIQUE.find(({ oid }) => !missing.has(oid))!;
        await assert.rejects(async () => await repository.objects([present.oid, absent!]), isUnavailable);
        assert.equal((await repository.objects([present.oid, ABSENT]))[1], undefined);
      });
    }
    assert.equal((await readAll(await open())).size, 0);
  });

  it("is unavailable with a wrong table", async () => {
    const random = randomNumbers(5);
    for (let i = 0; i < 10; i++) {
      const change = (bytes: Uint8Array<ArrayBuffer>) => {
        if (i === 0) return bytes.slice(0, -8);
        bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(8 * random());
        return bytes;
      };
      await withFile("offsets", change, async () => {
        const repository = await open();
        for (const oid of [UNIQUE[0]!.oid, ABSENT]) {
          await assert.rejects(async () => await repository.object(oid), isUnavailable);
          await assert.rejects(async () => await repository.header(oid), isUnavailable);
          await assert.rejects(async () => await repository.objects([oid, UNIQUE[1]!.oid]), isUnavailable);
        }
        assert.ok(i === 0 || log.some((line) => line.includes(keyOf("offsets"))), log.join());
      });
    }
  });

  it("is unavailable where a pack is cut, and with a missing file", async () => {
    await withFile("pack", (bytes) => bytes.slice(0, 4 * BLOCK_BYTES), async () => {
      const missing = await readAll(await open());
      assert.ok(missing.size > 0 && missing.size < UNIQUE.length, `${missing.size} objects`);
    });
    for (const file of ["pack", "offsets"] as const) {
      await bucket.delete([keyOf(file)]);
      const some = UNIQUE.slice(0, 50);
      assert.equal((await readAll(await open(), some)).size, some.length);
      await bucket.put(keyOf(file), files.get(keyOf(file))!.slice());
    }
  });

  it("brings right objects or is unavailable while it fails in all ways, and works again after that", async () => {
    const random = randomNumbers(9);
    let [right, unavailable] = [0, 0];
    for (let round = 0; round < 12; round++) {
      const repository = await open();
      bucket.fault = randomFaults(random);
      const wanted = Array.from({ length: 40 }, () => UNIQUE[Math.floor(random() * UNIQUE.length)]!);
      const check = async () => {
        const found = await repository.objects([...wanted.map(({ oid }) => oid), ABSENT]);
        assert.deepEqual(found.map((object) => object?.bytes), [
          ...wanted.map(({ bytes }) => bytes),
          undefined,
        ]);
        for (const { oid, bytes } of wanted) {
          assert.deepEqual((await repository.object(oid))?.bytes, bytes);
        }
        right++;
      };
      await Promise.all([0, 1, 2].map(() =>
        check().catch((error) => {
          assert.ok(isUnavailable(error), String(error));
          unavailable++;
        })
      ));
      bucket.fault = undefined;
      await check();
    }
    assert.ok(right >= 12 && unavailable > 0);
  });

  it("follows the publisher at each read of a request", async () => {
    const next = await makeState({ packObjects: 700, stateNumber: 2 });
    const repository = await open();
    bucket.reset();
    await repository.objects(UNIQUE.map(({ oid }) => oid));
    assert.ok(bucket.reads > 3);
    for (let replacedAt = 1; replacedAt <= bucket.reads; replacedAt++) {
      const replaced = new CountingBucket(createMemoryBucket());
      for (const [key, bytes] of files) await replaced.put(key, bytes.slice());
      const environment = { now: () => 0 };
      const repository = (await createBucketStorage(replaced, { environment }).repository(RID))!;
      let reads = 0;
      replaced.fault = async (_, read) => {
        if (++reads === replacedAt) {
          for (const [key, bytes] of next.files) await replaced.put(key, bytes.slice());
          await replaced.delete([keyOf("pack"), keyOf("offsets")]);
        }
        return await read();
      };
      const found = await repository.objects(UNIQUE.map(({ oid }) => oid));
      assert.deepEqual(found.map((object) => object?.bytes), UNIQUE.map(({ bytes }) => bytes));
      assert.equal(repository.manifest.stateNumber, 2);
    }
  });

  it("ends each read when all reads of the bucket end", async () => {
    const repository = await open();
    const waiting: (() => void)[] = [];
    bucket.fault = async (_, read) => {
      await new Promise<void>((resume) => waiting.push(resume));
      return await read();
    };
    const reads = Promise.allSettled(UNIQUE.map(async ({ oid }) => await repository.object(oid)));
    let isOver = false;
    void reads.then(() => isOver = true);
    while (!isOver) {
      await new Promise((resume) => setTimeout(resume));
      for (const resume of waiting.splice(0)) resume();
    }
    assert.ok((await reads).every(({ status }) => status === "fulfilled"));
  });
});
