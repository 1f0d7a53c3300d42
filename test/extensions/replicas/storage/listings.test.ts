/** Lists of a published home with many repositories: the pages of the catalogue that they read. */
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { UnavailableError } from "../../../../src/errors.ts";
import { didOfNid } from "../../../../src/ids/nid.ts";
import { formatRid, type RepoId, sortRids } from "../../../../src/ids/rid.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { ListedRepository, ListingSelection } from "../../../../src/ports/catalogued_storage.ts";
import { CatalogueWriter } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import { CATALOGUE_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { randomNumbers } from "../format/fuzz.ts";
import { createTestPublisher, publisherParts } from "../publisher/test_publisher.ts";
import { CountingBucket } from "../../../support/published.ts";
import { ALICE, BOB } from "../../../support/world.ts";

const [ALICE_DID, BOB_DID] = [didOfNid(ALICE), didOfNid(BOB)];

describe("lists of many repositories", () => {
  const random = randomNumbers(3);
  const rids = sortRids(Array.from(
    { length: 1200 },
    () => formatRid(Uint8Array.from({ length: 20 }, () => Math.floor(random() * 256))),
  ));
  /** Those of Bob lie together. */
  const ofBob = new Set(rids.slice(700, 703));
  const bucket = new CountingBucket(createMemoryBucket());
  let most = 0;

  before(async () => {
    const writer = new CatalogueWriter({
      ...publisherParts(createMemoryStorage(), bucket),
      isPublic: () => Promise.resolve(true),
    });
    for (const rid of rids) {
      const delegates = ofBob.has(rid) ? [BOB_DID, ALICE_DID] : [ALICE_DID];
      writer.add(rid, {
        document: JSON.stringify({ delegates, payload: { filler: "x".repeat(2000) }, threshold: 1 }),
        isProject: true,
        head: null,
        issues: { open: 0, closed: 0 },
        patches: { open: 0, draft: 0, archived: 0, merged: 0 },
        evaluation: "newest",
      });
    }
    await writer.flush();
    let reading = 0;
    bucket.fault = async (_, read) => {
      most = Math.max(most, ++reading);
      await Promise.resolve();
      reading--;
      return await read();
    };
  });

  /** The repositories of a list of a new storage, as far as they are asked for. */
  async function list(
    selection: ListingSelection | undefined,
    wanted = Infinity,
  ): Promise<readonly RepoId[]> {
    bucket.reset();
    const found: ListedRepository[] = [];
    for await (const one of (await createBucketStorage(bucket).listings()).all(selection)) {
      if (found.push(one) >= wanted) break;
    }
    return found.map(({ rid }) => rid);
  }

  it("have all repositories in order, and read pages together when they need many", async () => {
    assert.deepEqual(await list(undefined), rids);
    assert.ok(bucket.reads > 6);
    assert.ok(most > 1 && most <= 8, `${most} at a time`);
    bucket.reset();
    assert.deepEqual(await createBucketStorage(bucket).repositoryIds(), rids);
  });

  it("read one page for their beginning, wherever that is", async () => {
    assert.deepEqual(await list(undefined, 10), rids.slice(0, 10));
    assert.equal(bucket.reads, 2);
    assert.deepEqual(await list({ skippedProjects: 900 }, 10), rids.slice(900, 910));
    assert.ok(bucket.reads <= 4, `${bucket.reads} reads`);
  });

  it("by delegate read the pages alone that have the delegate's repositories", async () => {
    const found = await list({ delegate: BOB_DID });
    assert.deepEqual(found.filter((rid) => ofBob.has(rid)), [...ofBob]);
    assert.ok(bucket.reads <= 3, `${bucket.reads} reads`);
    assert.deepEqual(await list({ delegate: ALICE_DID }), rids);
    assert.deepEqual(
      await list({ delegate: didOfNid("z6MkknDg4CXa5X6PnvyKQkWFXJV9uJLpWNjEkSwHNpHPjuVg" as typeof BOB) }),
      [],
    );
    assert.equal(bucket.reads, 1);
  });

  it("are unavailable without a catalogue, whether it is lost, denied or damaged, and never empty", async () => {
    const other = new CountingBucket(createMemoryBucket());
    await createTestPublisher(createMemoryStorage(), other).publishAll();
    assert.deepEqual(await createBucketStorage(other).repositoryIds(), []);
    const { projects } = await createBucketStorage(other).listings();
    assert.equal(projects, 0);

    const clock = { nowMs: 1_700_000_000_000 };
    const environment = { now: () => clock.nowMs, log: () => {} };
    const isUnavailable = (error: unknown) => error instanceof UnavailableError;
    const late = createBucketStorage(other, { environment });
    assert.deepEqual(await late.repositoryIds(), []);
    await other.put(CATALOGUE_KEY, new Uint8Array(9));
    await assert.rejects(createBucketStorage(other, { environment }).repositoryIds(), isUnavailable);
    await other.delete([CATALOGUE_KEY]);
    clock.nowMs += 60_000;
    for (const storage of [late, createBucketStorage(other, { environment })]) {
      await assert.rejects(storage.repositoryIds(), isUnavailable);
      await assert.rejects(storage.listings(), isUnavailable);
    }
    other.fault = () => Promise.reject(new BucketError("denied", "no"));
    await assert.rejects(createBucketStorage(other, { environment }).listings(), isUnavailable);

    other.fault = undefined;
    await createTestPublisher(createMemoryStorage(), other).publishAll();
    assert.deepEqual(await createBucketStorage(other, { environment }).repositoryIds(), []);
  });

  it("have the repositories that are there", async () => {
    const listings = await createBucketStorage(bucket).listings();
    const absent = formatRid(new Uint8Array(20).fill(7));
    assert.deepEqual(await listings.present([...ofBob, absent]), ofBob);
    assert.deepEqual(await listings.present(rids), new Set(rids));
  });
});
