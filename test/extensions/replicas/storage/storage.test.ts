/** The storage of a published home. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { Memory } from "../../../../src/cache/memory.ts";
import { UnavailableError } from "../../../../src/errors.ts";
import { hashObject } from "../../../../src/git/encode.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { CacheFolder } from "../../../../src/ports/cache_folder.ts";
import type { ObjectKind, Ref } from "../../../../src/ports/storage.ts";
import type { NamedObject } from "../../../support/packs.ts";
import { contentKey, manifestKey, packKey, sha256Of } from "../../../../extensions/replicas/format/keys.ts";
import { manifestOf } from "../../../../extensions/replicas/format/manifest.ts";
import { encodeReferences } from "../../../../extensions/replicas/format/references.ts";
import {
  type BucketStorageOptions,
  createBucketStorage,
} from "../../../../extensions/replicas/storage/storage.ts";
import { CountingBucket, putCatalogue, putState, randomFaults } from "../../../support/published.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { EMPTY_RID, type Given, RID, testStorage } from "../../../storage/suite.ts";
import { zlibSync } from "fflate";

const encoder = new TextEncoder();

function refsOf(refs: Given["refs"]): Ref[] {
  return Object.entries(refs).map(([name, value]) =>
    value.startsWith("ref: ") ? { name, target: value.slice("ref: ".length) } : { name, oid: value as Oid }
  );
}

function objectOf(kind: ObjectKind, text: string): NamedObject {
  const bytes = encoder.encode(text);
  return { oid: hashObject(kind, bytes), kind, bytes };
}

for (const packObjects of [2, undefined]) {
  testStorage(`createBucketStorage, packs of ${packObjects ?? "all"} objects`, async ({ objects, refs }) => {
    const bucket = createMemoryBucket();
    await putState(bucket, {
      rid: RID,
      refs: refsOf(refs),
      objects: objects.map(({ oid, kind, content }) => ({
        oid: oid as Oid,
        kind,
        bytes: encoder.encode(content),
      })),
      ...(packObjects && { packObjects }),
    });
    await putState(bucket, { rid: EMPTY_RID, refs: [], objects: [] });
    await putCatalogue(bucket, [RID, EMPTY_RID]);
    return { storage: createBucketStorage(bucket) };
  });
}

const OBJECTS = Array.from({ length: 300 }, (_, i) => objectOf("blob", `blob ${i} ${"x".repeat(i)}`));
const REFS: readonly Ref[] = [{ name: "refs/heads/main", oid: OBJECTS[0]!.oid }];

async function publish(options: BucketStorageOptions = {}) {
  const bucket = new CountingBucket(createMemoryBucket());
  const state = { rid: RID, refs: REFS, objects: OBJECTS } as const;
  const manifest = await putState(bucket, state);
  await putCatalogue(bucket, [RID]);
  const clock = { nowMs: 1_700_000_000_000 };
  const log: string[] = [];
  const environment = {
    now: () => clock.nowMs,
    log: (_level: string, message: string) => void log.push(message),
  };
  const storage = createBucketStorage(bucket, { environment, ...options });
  return { bucket, manifest, state, storage, clock, log };
}

const isUnavailable = (error: unknown) =>
  error instanceof UnavailableError && error.retryAfterSeconds !== undefined;

describe("a repository in a bucket", () => {
  it("costs a read for its manifest, and one for its blocks", async () => {
    const { bucket, storage } = await publish();
    const repository = (await storage.repository(RID))!;
    assert.deepEqual(await repository.refs("refs/"), REFS);
    assert.equal(bucket.reads, 1);
    for (const { oid, kind, bytes } of OBJECTS) {
      assert.deepEqual(await repository.object(oid), { kind, bytes });
    }
    assert.equal(bucket.reads, 2);
  });

  it("is asked for again after the given time, and only then", async () => {
    const { bucket, storage, clock } = await publish({ freshSeconds: 3 });
    await storage.repository(RID);
    clock.nowMs += 2_999;
    assert.ok(!(storage.repository(RID) instanceof Promise));
    assert.equal(bucket.reads, 1);
    clock.nowMs += 1;
    await storage.repository(RID);
    assert.equal(bucket.reads, 2);
  });

  it("shows another state at once when its manifest has changed", async () => {
    const { bucket, storage, clock } = await publish();
    const repository = (await storage.repository(RID))!;
    const version = repository.objectsVersion();
    const extra = objectOf("blob", "extra");
    assert.equal(await repository.object(extra.oid), undefined);
    const refs = [{ name: "refs/heads/main", oid: extra.oid }];
    await putState(bucket, { rid: RID, refs, objects: [...OBJECTS, extra], stateNumber: 2 });
    clock.nowMs += 10_000;
    assert.equal(await storage.repository(RID), repository);
    assert.deepEqual(await repository.ref("refs/heads/main"), refs[0]);
    assert.deepEqual(await repository.object(extra.oid), { kind: extra.kind, bytes: extra.bytes });
    assert.notEqual(repository.objectsVersion(), version);
  });

  it("follows the publisher when a pack has been replaced", async () => {
    const { bucket, storage, state, manifest } = await publish();
    const repository = (await storage.repository(RID))!;
    await putState(bucket, { ...state, packObjects: 50, stateNumber: 2 });
    await bucket.delete(manifest.packs.map(({ name }) => packKey(RID, name, "pack")));
    const { oid, kind, bytes } = OBJECTS[7]!;
    assert.deepEqual(await repository.object(oid), { kind, bytes });
    assert.equal(repository.manifest.stateNumber, 2);
  });

  it("is unavailable when a pack is gone for good", async () => {
    const { bucket, storage, manifest } = await publish();
    const repository = (await storage.repository(RID))!;
    await bucket.delete(manifest.packs.map(({ name }) => packKey(RID, name, "pack")));
    await assert.rejects(async () => await repository.object(OBJECTS[7]!.oid), isUnavailable);
    await assert.rejects(async () => await repository.objects(OBJECTS.map(({ oid }) => oid)), isUnavailable);
  });

  it("vanishes with its manifest", async () => {
    const { bucket, storage, clock } = await publish();
    assert.ok(await storage.repository(RID));
    await bucket.delete([manifestKey(RID)]);
    clock.nowMs += 10_000;
    assert.equal(await storage.repository(RID), undefined);
    assert.equal(storage.repository(RID), undefined);
  });

  it("is shown in its last state while the bucket is away", async () => {
    const { bucket, storage, clock } = await publish();
    const repository = (await storage.repository(RID))!;
    await repository.object(OBJECTS[0]!.oid);
    bucket.fault = () => Promise.reject(new BucketError("unavailable", "away"));
    clock.nowMs += 10_000;
    assert.equal(await storage.repository(RID), repository);
    assert.ok(await repository.object(OBJECTS[9]!.oid));
    await assert.rejects(async () => await storage.repository(EMPTY_RID), isUnavailable);
    await assert.rejects(async () => await storage.repositoryIds(), isUnavailable);
    bucket.fault = undefined;
    assert.equal(await storage.repository(EMPTY_RID), undefined);
    assert.deepEqual(await storage.repositoryIds(), [RID]);
  });

  it("reads the same bytes once for all", async () => {
    const { bucket, storage } = await publish();
    const repositories = await Promise.all([storage.repository(RID), storage.repository(RID)]);
    const objects = await Promise.all(
      OBJECTS.map(async ({ oid }, i) => await repositories[i % 2]!.object(oid)),
    );
    assert.deepEqual(objects, OBJECTS.map(({ kind, bytes }) => ({ kind, bytes })));
    assert.equal(bucket.reads, 2);
  });

  it("answers from little memory", async () => {
    const { storage } = await publish({
      memory: new Memory({ totalBytes: 40 * 2 ** 20, storageKind: "bucket" }),
    });
    const repository = (await storage.repository(RID))!;
    const objects = await repository.objects(OBJECTS.map(({ oid }) => oid));
    assert.deepEqual(objects.map((object) => object?.bytes), OBJECTS.map(({ bytes }) => bytes));
  });

  it("has references in an object of their own when they are many", async () => {
    const { bucket, storage, clock, manifest } = await publish();
    const refs = Array.from({ length: 2000 }, (_, i) => ({
      name: `refs/heads/${String(i).padStart(5, "0")}`,
      oid: OBJECTS[i % 300]!.oid,
    }));
    const text = encodeReferences(refs);
    const packed = zlibSync(text);
    const references = { sha256: sha256Of(packed), bytes: packed.length, rawBytes: text.length };
    await bucket.put(contentKey(RID, "references", references.sha256), new Uint8Array(packed));
    await bucket.put(manifestKey(RID), manifestOf(RID).encode({ ...manifest, stateNumber: 2, references }));
    clock.nowMs += 10_000;
    bucket.reset();
    const repository = (await storage.repository(RID))!;
    assert.deepEqual(await repository.refs("refs/heads/"), refs);
    assert.deepEqual(await repository.ref("refs/heads/00017"), refs[17]);
    assert.equal(await repository.refs("refs/heads/"), await repository.refs("refs/heads/"));
    assert.equal(bucket.reads, 2);
  });

  it("reads large objects, and refuses those beyond the limits", async () => {
    const bucket = createMemoryBucket();
    const random = randomNumbers(5);
    const bytes = new Uint8Array(6 * 2 ** 20);
    for (let i = 0; i < bytes.length; i += 3) bytes[i] = Math.floor(random() * 256);
    const large = { oid: hashObject("blob", bytes), kind: "blob" as const, bytes };
    const small = objectOf("blob", "small");
    const beyond = new Uint8Array(17 * 2 ** 20);
    const tooLarge = { oid: hashObject("blob", beyond), kind: "blob" as const, bytes: beyond };
    await putState(bucket, { rid: RID, refs: [], objects: [small, large, tooLarge] });
    const repository = (await createBucketStorage(bucket).repository(RID))!;
    assert.deepEqual((await repository.object(large.oid))?.bytes, bytes);
    assert.deepEqual(await repository.header(tooLarge.oid), { kind: "blob", size: beyond.length });
    await assert.rejects(async () => await repository.object(tooLarge.oid), { name: "TooLargeError" });
    await assert.rejects(async () => await repository.object(large.oid, { limitBytes: 10 }), {
      name: "TooLargeError",
    });
    const [first, second, third] = await repository.objects([tooLarge.oid, small.oid, large.oid]);
    assert.deepEqual([first, second?.bytes, third?.bytes.length], [undefined, small.bytes, bytes.length]);
  });

  it("brings derived data that its manifest names", async () => {
    const { bucket, storage, manifest } = await publish();
    const [file, inline] = [encoder.encode("a file"), encoder.encode("inline")];
    const digest = sha256Of(file);
    await bucket.put(contentKey(RID, "derived", digest), file);
    await bucket.put(
      manifestKey(RID),
      manifestOf(RID).encode({
        ...manifest,
        derived: {
          names: [{ name: "one", digest }],
          files: [
            { digest, bytes: file.length },
            { digest: sha256Of(inline), bytes: inline.length, inline: btoa("inline") },
            { digest: "7".repeat(64), bytes: 10 },
          ],
        },
      }),
    );
    const { derived } = (await storage.repository(RID))!;
    assert.equal(await derived.named("one"), digest);
    assert.equal(await derived.named("two"), undefined);
    assert.deepEqual(await derived.read(digest, 100), file);
    assert.equal(await derived.read(digest, 5), undefined);
    assert.deepEqual(await derived.read(sha256Of(inline), 100), inline);
    assert.equal(await derived.read("8".repeat(64), 100), undefined);
    assert.equal(await derived.read("7".repeat(64), 100), undefined);
  });
});

describe("a storage on a bucket with faults", () => {
  it("returns what is right or says that it is unavailable, whatever the bucket answers", async () => {
    const random = randomNumbers(11);
    for (let round = 0; round < 15; round++) {
      const { bucket, storage } = await publish({ freshSeconds: 0 });
      bucket.fault = randomFaults(random);
      for (let i = 0; i < 20; i++) {
        const { oid, kind, bytes } = OBJECTS[Math.floor(random() * OBJECTS.length)]!;
        try {
          const repository = await storage.repository(RID);
          assert.ok(repository, "it is there");
          assert.deepEqual(await repository.refs("refs/"), REFS);
          assert.deepEqual(await repository.header(oid), { kind, size: bytes.length });
          assert.deepEqual(await repository.object(oid), { kind, bytes });
        } catch (error) {
          assert.ok(isUnavailable(error), String(error));
        }
      }
      bucket.fault = undefined;
      const repository = (await storage.repository(RID))!;
      for (const { oid, kind, bytes } of OBJECTS) {
        assert.deepEqual(await repository.object(oid), { kind, bytes });
      }
    }
  });

  it("reads on from its folder, and not what is damaged there", async () => {
    const saved = new Map<string, Uint8Array>();
    const cacheFolder: CacheFolder = {
      read: (name) => saved.get(name),
      write: (name, bytes) => {
        assert.match(name, /^[\w-][\w.-]*$/);
        saved.set(name, bytes.slice());
      },
    };
    const first = await publish({ cacheFolder });
    await (await first.storage.repository(RID))!.object(OBJECTS[0]!.oid);
    assert.equal(saved.size, 1);
    const second = createBucketStorage(first.bucket, { cacheFolder });
    first.bucket.reset();
    await (await second.repository(RID))!.object(OBJECTS[0]!.oid);
    assert.deepEqual(first.bucket.asked, [manifestKey(RID)]);
    for (const bytes of saved.values()) bytes[40]! ^= 1;
    const third = createBucketStorage(first.bucket, { cacheFolder });
    assert.ok(await (await third.repository(RID))!.object(OBJECTS[0]!.oid));
  });

  it("forgets what it has saved of a damaged bucket, and says once what is damaged", async () => {
    const saved = new Map<string, Uint8Array>();
    const cacheFolder: CacheFolder = {
      read: (name) => saved.get(name),
      write: (name, bytes) => void saved.set(name, bytes.slice()),
    };
    const { bucket, storage, log } = await publish({ cacheFolder });
    bucket.fault = async (key, read) => {
      const found = await read();
      if (typeof found === "object" && key.endsWith(".pack")) found.bytes[found.bytes.length - 9]! ^= 1;
      return found;
    };
    const repository = (await storage.repository(RID))!;
    const [{ oid, kind, bytes }] = OBJECTS as [NamedObject];
    for (let i = 0; i < 3; i++) await assert.rejects(async () => await repository.object(oid), isUnavailable);
    assert.equal(log.filter((line) => line.endsWith("is damaged")).length, 1, log.join());
    bucket.fault = undefined;
    assert.deepEqual(await repository.object(oid), { kind, bytes });
    const lines = log.length;
    const environment = { log: (_level: string, message: string) => void log.push(message) };
    const next = createBucketStorage(bucket, { cacheFolder, environment });
    for (const { oid, kind, bytes } of OBJECTS) {
      assert.deepEqual(await (await next.repository(RID))!.object(oid), { kind, bytes });
    }
    assert.equal(log.length, lines, log.slice(lines).join());
    const parts = new Map([...saved].map(([name, bytes]) => [name, bytes.length]));
    for (const [name, length] of parts) {
      const [start, end] = name.split("-").slice(-2).map(Number) as [number, number];
      assert.ok(length === end - start || length === 0, name);
    }
  });
});
