/** A storage in memory whose references move, and the checks of what a bucket has of it. */
import assert from "node:assert/strict";
import { didOfNid } from "../../../../src/ids/nid.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { Bucket } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { ChangesPlace } from "../../../../src/ports/catalogued_storage.ts";
import {
  CATALOGUE_PREFIX,
  manifestKey,
  parseKey,
  REPOSITORIES_PREFIX,
} from "../../../../extensions/replicas/format/keys.ts";
import { readRows } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import { namedKeys } from "../../../../extensions/replicas/publisher/unreferenced_objects.ts";
import { readManifest } from "../../../../extensions/replicas/publisher/changing_object.ts";
import { type BucketStorage, createBucketStorage } from "../../../../extensions/replicas/storage/storage.ts";
import type { MemoryRepository, MemoryStorage } from "../../../../src/storage/memory.ts";
import { createMemoryStorage } from "../../../../src/storage/memory.ts";
import { ALICE, ALICE_SEED, createRepository, publish, putCommit, setHead } from "../../../support/world.ts";
import { checkWhole, readState } from "./published_state.ts";
import { publisherParts } from "./test_publisher.ts";

/** Repositories of a world. */
const REPOSITORIES = 3;
/** Bytes of a file: some packs are then too large to be joined. */
const FILE_BYTES = 3000;

/** A storage whose references move. */
export class MovingWorld {
  readonly storage: MemoryStorage = createMemoryStorage();
  readonly #random: () => number;
  readonly #rids: readonly RepoId[];
  /** Repositories that became private since somebody has cleared it. */
  readonly hidden = new Set<RepoId>();
  readonly #removed = new Map<RepoId, MemoryRepository>();
  #commits = 0;

  constructor(random: () => number) {
    this.#random = random;
    this.#rids = Array.from({ length: REPOSITORIES }, (_, i) => {
      const repository = createRepository(this.storage, { name: `world-${i}` });
      this.#commit(repository);
      return repository.rid;
    });
  }

  /** Changes something: mostly adds a commit, now and then hides or shows a repository. */
  move(): void {
    const rid = this.#rids[Math.floor(this.#random() * this.#rids.length)]!;
    const repository = this.storage.repository(rid)!;
    const choice = this.#random();
    if (choice < 0.06) this.#setVisibility(repository, this.#removed.has(rid));
    else if (choice < 0.16) repository.deleteRef("refs/heads/side");
    else this.#commit(repository);
  }

  /** Makes all repositories public. */
  showAll(): void {
    for (const repository of this.#removed.values()) this.#setVisibility(repository, true);
  }

  #commit(repository: MemoryRepository): void {
    const head = repository.ref("refs/heads/master")?.oid;
    const number = this.#commits++;
    const bytes = Uint8Array.from({ length: FILE_BYTES }, () => Math.floor(this.#random() * 256));
    const commit = putCommit(repository, {
      folder: { [`file${number % 7}`]: bytes, sub: { number: `${number}\n` } },
      ...(head !== undefined && { parents: [head] }),
      message: `Commit ${number}\n`,
      timeSeconds: 1_700_000_000 + number,
    });
    if (number % 5 === 4) repository.setRef("refs/heads/side", commit);
    else {
      setHead(repository, commit);
      publish(repository, ALICE_SEED, { master: commit });
    }
  }

  #setVisibility(repository: MemoryRepository, isPublic: boolean): void {
    if (isPublic) this.#removed.delete(repository.rid);
    else {
      this.#removed.set(repository.rid, repository);
      this.hidden.add(repository.rid);
    }
    const doc = JSON.stringify({
      delegates: [didOfNid(ALICE)],
      payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "moving" } },
      threshold: 1,
      ...(!isPublic && { visibility: { type: "private" } }),
    });
    const before = repository.ref("refs/rad/id")!.oid as Oid;
    const identity = putCommit(repository, {
      folder: { embeds: { "radicle.json": doc } },
      parents: [before],
      message: "Change visibility\n",
      timeSeconds: 1_700_000_000 + this.#commits++,
    });
    repository.setRef("refs/rad/id", identity);
  }
}

/**
 * A reader who looks at the repositories alone of which it is told that they have changed, and at all of them
 * when it may have missed some. After each round it knows all that the bucket has.
 */
export class Follower {
  readonly #bucket: Bucket;
  readonly #storage: BucketStorage;
  #nowMs = 0;
  #place: ChangesPlace | undefined;
  /** Digests of what it knows. */
  readonly #known = new Map<RepoId, string>();
  /** Times that it was told of all changes. */
  told = 0;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
    this.#storage = createBucketStorage(bucket, { environment: { now: () => this.#nowMs } });
  }

  /** Reads what it is told of. */
  async read(): Promise<void> {
    this.#nowMs += 60_000;
    const { place, rids, hasMissed } = await this.#storage.changesAfter(this.#place);
    this.#place = place;
    if (!hasMissed) this.told++;
    const present = await this.#present();
    for (const rid of hasMissed ? present : rids) {
      const repository = await this.#storage.repository(rid);
      if (repository !== undefined) this.#known.set(rid, repository.manifest.referencesDigest);
    }
    // Lists tell of repositories that are gone.
    for (const rid of this.#known.keys()) if (!present.has(rid)) this.#known.delete(rid);
  }

  /**
   * Reads, and checks that it knows all.
   *
   * @param hidden Repositories that became private during the round: their last states are not told any more. They
   *   are removed by the next round, or have a later state in it.
   */
  async follow(hidden: ReadonlySet<RepoId>): Promise<void> {
    await this.read();
    const there = new Map<RepoId, string | undefined>();
    for (const rid of await this.#present()) {
      there.set(rid, (await readManifest(this.#bucket, rid)).value?.referencesDigest);
    }
    const shown = (digests: ReadonlyMap<RepoId, unknown>) =>
      new Map([...digests].filter(([rid]) => !hidden.has(rid)));
    assert.deepEqual(shown(this.#known), shown(there), "a change was not told");
  }

  async #present(): Promise<ReadonlySet<RepoId>> {
    return new Set((await readRows(publisherParts(createMemoryStorage(), this.#bucket))).keys());
  }
}

/** Checks that all objects are there that manifests name. */
export async function checkNamed(bucket: Bucket, rids: readonly RepoId[]): Promise<void> {
  for (const rid of rids) {
    const { value: manifest } = await readManifest(bucket, rid);
    if (manifest === undefined) continue;
    for (const key of namedKeys(manifest)) assert.ok(await bucket.head(key), `${key} is gone`);
  }
}

/** Checks that everything is whole that readers see now. */
export async function checkVisible(bucket: Bucket, rids: readonly RepoId[]): Promise<void> {
  for (const rid of rids) {
    const state = await readState(bucket, rid);
    if (state !== undefined) checkWhole(state);
  }
}

/** Checks that lists name only repositories that readers can open. */
export async function checkListed(bucket: Bucket): Promise<void> {
  for (const rid of (await readRows(publisherParts(createMemoryStorage(), bucket))).keys()) {
    assert.ok(await bucket.head(manifestKey(rid)), `${rid} is listed and has no manifest`);
  }
}

/** Checks that the bucket has the present state of a storage, and that nothing else is in it. */
export async function checkSettled(bucket: Bucket, storage: MemoryStorage): Promise<void> {
  const expected = new Set<string>();
  for (const rid of storage.repositoryIds()) {
    const state = await readState(bucket, rid);
    assert.ok(state !== undefined, `${rid} is not published`);
    checkWhole(state);
    const repository = storage.repository(rid)!;
    assert.deepEqual(state.refs, [repository.ref("HEAD"), ...repository.refs("refs/")]);
    for (const key of namedKeys(state.manifest)) expected.add(key);
  }
  const left: string[] = [];
  for await (const { key } of bucket.list(REPOSITORIES_PREFIX)) left.push(key);
  assert.deepEqual(left.filter((key) => !expected.has(key)), [], "objects are left over");
  const pages: string[] = [];
  for await (const { key } of bucket.list(CATALOGUE_PREFIX)) pages.push(key);
  assert.ok(pages.length <= 1, "pages of the catalogue are left over");
  assert.deepEqual(
    [...(await readRows(publisherParts(storage, bucket))).keys()].sort(),
    [...storage.repositoryIds()].sort(),
  );
  assert.ok([...expected].every((key) => parseKey(key) !== undefined));
  assert.ok(storage.repositoryIds().every((rid) => expected.has(manifestKey(rid))));
}
