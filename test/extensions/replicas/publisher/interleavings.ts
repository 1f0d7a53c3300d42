/**
 * A publisher of which a call is under way for so long that another one takes its lease, at each call; and the
 * check that nothing in a bucket tells of a repository. The clock of the old publisher stands still: it never
 * finds out by itself that its time is over.
 */
import assert from "node:assert/strict";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { didOfNid, type NodeId } from "../../../../src/ids/nid.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import { type Bucket, BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { Ref } from "../../../../src/ports/storage.ts";
import {
  manifestKey,
  NODE_KEY,
  RECENT_KEY,
  repositoryPrefix,
} from "../../../../extensions/replicas/format/keys.ts";
import { RECENT } from "../../../../extensions/replicas/format/recent_changes.ts";
import { readRows } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import { ChangedMeanwhile } from "../../../../extensions/replicas/publisher/changing_object.ts";
import type { NodeSource } from "../../../../extensions/replicas/publisher/node_publication.ts";
import type { Publisher, PublisherOptions } from "../../../../extensions/replicas/publisher/publisher.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import {
  createMemoryStorage,
  type MemoryRepository,
  type MemoryStorage,
} from "../../../../src/storage/memory.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  createRepository,
  publish,
  putCommit,
  setHead,
} from "../../../support/world.ts";
import { checkNamed, checkVisible } from "./moving_world.ts";
import { wrapBucket } from "./scripted_bucket.ts";
import { createTestClock, createTestPublisher, publisherParts, untilAborted } from "./test_publisher.ts";

/** Where the publishers stand when the repository becomes private. */
export interface Interleaving {
  /** Whether an earlier state of both repositories is published. */
  readonly isPublished: boolean;
  /** Whether the first publisher watches and is in a look, or publishes once. */
  readonly watches: boolean;
  /** Calls that the first publisher makes before. */
  readonly calls: number;
  /** Calls that the second one makes afterwards before the first one goes on; then the second one goes on. */
  readonly callsBetween: number;
}

/** References of repositories at a point in time. */
type RefsState = readonly (readonly [MemoryRepository, readonly Ref[]])[];

/** A storage with two repositories, of which one hides. Its states are made once, and set many times. */
export class HidingWorld {
  readonly storage: MemoryStorage = createMemoryStorage();
  readonly hiding: MemoryRepository;
  readonly other: MemoryRepository;
  readonly node: NodeSource;
  /** Parts of publishers that remember what they have read. */
  readonly reading: Pick<PublisherOptions, "identities" | "readListing">;
  readonly #published: Bucket = createMemoryBucket();
  readonly #first: RefsState;
  readonly #second: RefsState;
  readonly #hidden: Oid;

  constructor(name = "world") {
    const make = (which: string) => createRepository(this.storage, { name: `${name}-${which}` });
    [this.hiding, this.other] = [make("hiding"), make("other")];
    [this.#first, this.#second] = [this.#makeCommits("first"), this.#makeCommits("second")];
    this.#hidden = this.#makeHidden();
    const { identities, readListing } = publisherParts(this.storage, this.#published);
    this.reading = { identities, readListing };
    const rids = [this.hiding.rid, this.other.rid];
    this.node = {
      profile: { nodeId: ALICE, pinned: () => rids },
      node: {
        ...createAbsentNode(),
        knownNodes: () => Promise.resolve([ALICE]),
        inventory: () => Promise.resolve(rids),
        policies: () => Promise.resolve(rids.map((rid) => ({ rid, scope: "all", policy: "allow" } as const))),
        seedCounts: (rids) => Promise.resolve(new Map(rids.map((rid) => [rid, 1]))),
      },
    };
  }

  /** Copies what a publisher has put at the beginning. */
  async copyPublished(bucket: Bucket): Promise<void> {
    const more = { ...this.reading, node: this.node };
    await createTestPublisher(this.storage, this.#published, more).publishAll();
    for await (const { key } of this.#published.list("")) {
      const object = await this.#published.get(key);
      assert.ok(object !== undefined && object !== "unchanged");
      await bucket.put(key, object.bytes);
    }
  }

  /** Back to the beginning: both are public, with one commit. */
  reset(): void {
    this.#set(this.#first);
  }

  /** Each has one more commit. */
  commit(): void {
    this.#set(this.#second);
  }

  /** One of them is private. */
  hide(): void {
    this.hiding.setRef("refs/rad/id", this.#hidden);
  }

  #set(state: RefsState): void {
    for (const [repository, refs] of state) {
      for (const { name, oid } of refs) if (oid !== undefined) repository.setRef(name, oid);
    }
  }

  #makeCommits(text: string): RefsState {
    return [this.hiding, this.other].map((repository) => {
      const head = repository.ref("refs/heads/master")?.oid;
      const commit = putCommit(repository, {
        folder: { README: text },
        ...(head !== undefined && { parents: [head] }),
        message: "Move\n",
      });
      setHead(repository, commit);
      publish(repository, ALICE_SEED, { master: commit });
      return [repository, [...repository.refs("refs/")]];
    });
  }

  #makeHidden(): Oid {
    const doc = JSON.stringify({
      delegates: [didOfNid(ALICE)],
      payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "hiding" } },
      threshold: 1,
      visibility: { type: "private" },
    });
    return putCommit(this.hiding, {
      folder: { embeds: { "radicle.json": doc } },
      parents: [this.hiding.ref("refs/rad/id")!.oid!],
      message: "Hide\n",
    });
  }
}

/** Lets a publisher make so many calls, and holds it until it may go on. */
class Hold {
  readonly held: Promise<void>;
  readonly #go: Promise<void>;
  readonly letGo: () => void;
  #left: number;
  #reached: () => void;

  constructor(calls: number) {
    this.#left = calls;
    const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    [this.held, this.#reached, this.#go, this.letGo] = [held.promise, held.resolve, go.promise, go.resolve];
  }

  readonly call = (): Promise<void> | undefined => {
    if (this.#left-- > 0) return undefined;
    this.#reached();
    return this.#go;
  };
}

/** The past of a repository and of the first publisher. */
export const HISTORIES:
  readonly (Pick<Interleaving, "isPublished" | "watches"> & { readonly name: string })[] = [
    { name: "published before", isPublished: true, watches: false },
    { name: "published before and watched", isPublished: true, watches: true },
    { name: "published for the first time", isPublished: false, watches: false },
  ];

/** Repositories of which an earlier state is published when a publisher begins that is killed. */
export const PASTS = ["both", "other", "none"] as const;
type Past = typeof PASTS[number];

/** Calls of the second publisher before the first one goes on, in turn; `Infinity`: it has ended. */
const BETWEEN = [Infinity, 0, Infinity, 5, 9, Infinity, 13, 17, Infinity, 21];
/** Calls of a round are more than this, and of a look with two commits. */
const [FEWEST_CALLS, FEWEST_OF_LOOKS] = [20, 10];
/** Iterations of the event loop in which a repository is hidden beside a look. */
const MOST_TURNS = 50;
/** Looks in which a repository is published, told of, and hidden. */
const HIDING_LOOKS = 3;

/** Options of {@link hideAtEachCall}. */
export interface EachCallOptions extends Pick<Interleaving, "isPublished" | "watches"> {
  /** The first call at which the first publisher is held, and the number of calls to the next one. */
  readonly start: number;
  readonly step: number;
}

/** Holds the first publisher at one call after the other. */
export async function hideAtEachCall(world: HidingWorld, options: EachCallOptions): Promise<void> {
  let calls = options.start;
  for (let i = 0, isHeld = true; isHeld; i++, calls += options.step) {
    isHeld = await hideBetween(world, { ...options, calls, callsBetween: BETWEEN[i % BETWEEN.length]! });
  }
  assert.ok(calls > FEWEST_CALLS, `${calls} calls`);
}

/**
 * Runs two publishers so. When the first one has ended, no reader finds anything of the repository that became
 * private; after the check that follows, nothing of it is in the bucket, and all of the other one is there.
 *
 * @returns Whether the first publisher made so many calls.
 */
async function hideBetween(world: HidingWorld, given: Interleaving): Promise<boolean> {
  const { storage, node, hiding, other } = world;
  const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
  const open = (bucket: Bucket, more = {}): Publisher =>
    createTestPublisher(storage, bucket, { ...world.reading, node, ...more });
  world.reset();
  if (given.isPublished) await world.copyPublished(inner);
  const [first, second] = [new Hold(given.calls), new Hold(given.callsBetween)];
  const work = ended(given.watches ? watchOnce(world, open, inner, first) : publishOnce());
  const wasHeld = await isReached(first.held, work);
  world.hide();
  const next = open(wrapBucket(inner, second.call));
  const removal = next.publishAll();
  await isReached(second.held, removal);
  first.letGo();
  await work;
  second.letGo();
  await removal;
  assert.equal(await inner.head(manifestKey(hiding.rid)), undefined, "its manifest is there");
  await checkUnlisted(inner, hiding.rid);
  await next.publishAll();
  await checkAway(inner, hiding.rid);
  await checkThere(world, inner, [other.rid]);
  return wasHeld;

  async function publishOnce(): Promise<void> {
    world.commit();
    await open(wrapBucket(inner, first.call)).publishAll();
  }
}

/**
 * A publisher removes a repository, and is held at one call after the other. Meanwhile the repository becomes
 * public again, and another publisher takes the lease and publishes it. Whatever the first one removes late is
 * there again after the check that follows.
 */
export async function showAtEachCall(
  world: HidingWorld,
  { start, step }: Pick<EachCallOptions, "start" | "step">,
): Promise<void> {
  let calls = start;
  for (let isHeld = true; isHeld; calls += step) {
    const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
    const open = (bucket: Bucket) =>
      createTestPublisher(world.storage, bucket, { ...world.reading, node: world.node });
    world.reset();
    await world.copyPublished(inner);
    world.hide();
    const hold = new Hold(calls);
    const removal = ended(open(wrapBucket(inner, hold.call)).publishAll());
    isHeld = await isReached(hold.held, removal);
    world.reset();
    const next = open(inner);
    assert.equal((await next.publishAll()).failed, 0);
    hold.letGo();
    await removal;
    assert.equal((await next.publishAll()).failed, 0);
    await checkThere(world, inner, [world.hiding.rid, world.other.rid]);
  }
  assert.ok(calls > FEWEST_CALLS, `${calls} calls`);
}

/**
 * A publisher is held at one call after the other while a repository becomes private and another publisher
 * takes the lease and removes it. Then the call takes effect, and the first publisher is killed: nobody takes
 * back what it did. No list names the repository, and it has no manifest. The one exception is a first
 * manifest; the check that follows finds it.
 */
export async function killAtEachCall(
  world: HidingWorld,
  { past, start, step }: Pick<EachCallOptions, "start" | "step"> & { readonly past: Past },
): Promise<void> {
  let calls = start;
  for (let isHeld = true; isHeld; calls += step) {
    const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
    const more = { ...world.reading, node: world.node };
    world.reset();
    if (past === "both") await world.copyPublished(inner);
    if (past === "other") {
      world.hide();
      await createTestPublisher(world.storage, inner, more).publishAll();
      world.reset();
    } else world.commit();
    const hold = new Hold(calls);
    let made = 0;
    const bucket = wrapBucket(inner, async () => {
      if (made > calls) throw new Error("killed");
      await hold.call();
      return made++ === calls ? new Error("killed") : undefined;
    });
    const killed = ended(createTestPublisher(world.storage, bucket, more).publishAll());
    isHeld = await isReached(hold.held, killed);
    world.hide();
    const next = createTestPublisher(world.storage, inner, more);
    await next.publishAll();
    hold.letGo();
    await killed;
    await checkUnlisted(inner, world.hiding.rid);
    if (past === "both") {
      assert.equal(await inner.head(manifestKey(world.hiding.rid)), undefined, `at ${calls}`);
    }
    await next.publishAll();
    await checkAway(inner, world.hiding.rid);
    await checkThere(world, inner, [world.other.rid]);
  }
  assert.ok(calls > FEWEST_CALLS, `${calls} calls`);
}

/**
 * A repository becomes private while a publisher is held with what it sends of the other one. It is hidden
 * meanwhile; in the end nothing of it is left.
 */
export async function hideBeside(world: HidingWorld, watches: boolean): Promise<void> {
  const { storage, node, hiding, other } = world;
  const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
  world.reset();
  await world.copyPublished(inner);
  const [hold, look, hasLooked] = [new Hold(0), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isMoved = false;
  const bucket = wrapBucket(
    inner,
    ({ name, key }) =>
      isMoved && name === "put" && key.startsWith(repositoryPrefix(other.rid)) ? hold.call() : undefined,
  );
  let [looks, pauses] = [0, 0];
  const ending = new AbortController();
  const publisher = createTestPublisher(storage, bucket, {
    node,
    clock: createTestClock({
      async scan(ms, signal) {
        if (!isMoved) return await untilAborted(ms, signal);
        if (looks++ === 0) return await look.promise;
        hasLooked.resolve();
        await untilAborted(ms, signal);
      },
      step() {
        if (++pauses === 1) move();
        // The next look removes what is left.
        if (pauses === 3) ending.abort();
        return Promise.resolve();
      },
    }),
  });
  const move = () => {
    isMoved = true;
    world.commit();
  };
  if (!watches) move();
  const work = watches ? publisher.watch(ending.signal) : publisher.publishAll();
  assert.ok(await isReached(hold.held, work));
  world.hide();
  look.resolve();
  await hasLooked.promise;
  // Its own publication may be hiding it by now, beside the look.
  const isThere = async () => await inner.head(manifestKey(hiding.rid)) !== undefined;
  for (let turn = 0; turn < MOST_TURNS && await isThere(); turn++) {
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.ok(!await isThere(), "its manifest is there");
  await checkUnlisted(inner, hiding.rid);
  hold.letGo();
  await work;
  await checkAway(inner, hiding.rid);
  await checkNamed(inner, [other.rid]);
}

/** A repository becomes private at one call or pause after the other of the publisher that tells of it. */
export async function hideFromItself(
  world: HidingWorld,
  { start, step }: Pick<EachCallOptions, "start" | "step">,
): Promise<void> {
  let calls = start;
  for (let isReached = true; isReached; calls += step) {
    const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
    world.reset();
    await world.copyPublished(inner);
    isReached = false;
    let [made, looks, nowMs] = [0, 0, 0];
    const hideNow = () => {
      if (looks === 0 || looks > HIDING_LOOKS || made++ !== calls) return;
      isReached = true;
      world.hide();
    };
    const bucket = wrapBucket(inner, hideNow);
    const ending = new AbortController();
    await createTestPublisher(world.storage, bucket, {
      ...world.reading,
      node: world.node,
      clock: {
        ...createTestClock({
          step() {
            nowMs += 1_000;
            if (++looks === 1) world.commit();
            if (looks === 2 * HIDING_LOOKS) ending.abort();
            hideNow();
            return Promise.resolve();
          },
        }),
        nowMs: () => nowMs,
      },
    }).watch(ending.signal);
    const found = await inner.get(RECENT_KEY);
    assert.ok(found !== undefined && found !== "unchanged");
    const { told } = RECENT.decode(found.bytes);
    assert.ok(told > 0);
    if (isReached) await checkAway(inner, world.hiding.rid);
    await checkThere(world, inner, [world.other.rid]);
  }
  assert.ok(calls > FEWEST_OF_LOOKS, `${calls} calls`);
}

/** Two nodes publish into one bucket that was empty, the first one held at one call after the other. */
export async function claimAtEachCall(
  { start, step }: Pick<EachCallOptions, "start" | "step">,
): Promise<void> {
  const [world, otherWorld] = [new HidingWorld(), new HidingWorld("foreign")];
  let calls = start;
  for (let isHeld = true; isHeld; calls += step) {
    const inner = createMemoryBucket({ now: () => 1_700_000_000_000 });
    const hold = new Hold(calls);
    const publishOf = ({ storage, reading, node }: HidingWorld, nodeId: NodeId, bucket: Bucket) =>
      createTestPublisher(storage, bucket, {
        ...reading,
        node: { ...node, profile: { ...node.profile, nodeId } },
      }).publishAll().then(() => "published", (error) => error instanceof BucketError && error.obstacle);
    const first = publishOf(world, ALICE, wrapBucket(inner, hold.call));
    isHeld = await isReached(hold.held, first);
    const second = await publishOf(otherWorld, BOB, wrapBucket(inner, () => {}));
    hold.letGo();
    const results = [await first, second];
    assert.deepEqual([...results].sort(), ["denied", "published"], `held at ${calls}`);
    const [owner, stranger] = results[0] === "published" ? [world, otherWorld] : [otherWorld, world];
    assert.equal(
      await publishOf(owner, owner === world ? ALICE : BOB, inner),
      "published",
      "it is locked out",
    );
    await checkNamed(inner, [owner.hiding.rid, owner.other.rid]);
    for (const { rid } of [owner.hiding, owner.other]) assert.ok(await inner.head(manifestKey(rid)));
    for (const { rid } of [stranger.hiding, stranger.other]) await checkAway(inner, rid);
  }
  assert.ok(calls > FEWEST_CALLS, `${calls} calls`);
}

/** A publisher that watches: its calls are counted from its first look on, and it ends with the look. */
async function watchOnce(
  world: HidingWorld,
  open: (bucket: Bucket, more: object) => Publisher,
  inner: Bucket,
  hold: Hold,
): Promise<void> {
  const ending = new AbortController();
  let looks = 0;
  const bucket = wrapBucket(inner, () => looks === 1 ? hold.call() : undefined);
  const step = () => {
    if (++looks === 1) world.commit();
    else ending.abort();
    return Promise.resolve();
  };
  await open(bucket, { clock: createTestClock({ step }), nodeScanMs: 0 }).watch(ending.signal);
}

/** Waits for the end of a publisher that may lose its lease, or be killed. */
async function ended(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => {
    if (!(error instanceof BucketError || error instanceof ChangedMeanwhile || error.message === "killed")) {
      throw error;
    }
  });
}

async function isReached(held: Promise<void>, work: Promise<unknown>): Promise<boolean> {
  return await Promise.race([held.then(() => true), work.then(() => false)]);
}

/** Checks that nothing tells of a repository that a reader of the bucket finds. */
export async function checkAway(bucket: Bucket, rid: RepoId): Promise<void> {
  const left: string[] = [];
  for await (const { key } of bucket.list(repositoryPrefix(rid))) left.push(key);
  assert.deepEqual(left, [], "objects are left");
  await checkUnlisted(bucket, rid);
}

/** Checks that repositories are there, whole and listed. */
async function checkThere({ storage }: HidingWorld, bucket: Bucket, rids: readonly RepoId[]): Promise<void> {
  await checkVisible(bucket, rids);
  const listed = await readRows(publisherParts(storage, bucket));
  for (const rid of rids) {
    assert.ok(await bucket.head(manifestKey(rid)), `${rid} is gone`);
    assert.ok(listed.has(rid), `${rid} is not listed`);
  }
}

/** Checks that neither the catalogue nor the description of the node nor the latest changes name a repository. */
async function checkUnlisted(bucket: Bucket, rid: RepoId): Promise<void> {
  assert.ok(!(await readRows(publisherParts(createMemoryStorage(), bucket))).has(rid), "it is listed");
  const node = await bucket.get(NODE_KEY);
  assert.ok(node !== undefined && node !== "unchanged");
  assert.ok(!new TextDecoder().decode(node.bytes).includes(rid), "the description of the node names it");
  const recent = await bucket.get(RECENT_KEY);
  if (recent === undefined || recent === "unchanged") return;
  assert.ok(!new TextDecoder().decode(recent.bytes).includes(rid), "the latest changes name it");
}
