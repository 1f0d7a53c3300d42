/** What a publisher puts into a bucket, and what it takes away. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { didOfNid } from "../../../../src/ids/nid.ts";
import type { Oid } from "../../../../src/ids/oid.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import { type Bucket, BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import type { Storage } from "../../../../src/ports/storage.ts";
import {
  CATALOGUE_KEY,
  GIT_FILES,
  gitFileKey,
  manifestKey,
  NODE_KEY,
  packKey,
  REPOSITORIES_PREFIX,
  repositoryPrefix,
} from "../../../../extensions/replicas/format/keys.ts";
import { NODE } from "../../../../extensions/replicas/format/node_description.ts";
import { readRows } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import {
  namedKeys,
  UnreferencedObjects,
} from "../../../../extensions/replicas/publisher/unreferenced_objects.ts";
import { LEASE_KEY, RECENT_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createMemoryStorage, type MemoryRepository } from "../../../../src/storage/memory.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  createRepository,
  createWorld,
  publish,
  putBlob,
  putCommit,
  setHead,
  type World,
} from "../../../support/world.ts";
import { createPackMaker } from "../../../support/packs.ts";
import { checkWhole, readState } from "./published_state.ts";
import { type BucketCall, ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";
import { createTestClock, createTestPublisher, publisherParts } from "./test_publisher.ts";

/** A put besides the two with which each publisher begins. */
const isPut = ({ name, key }: BucketCall) => name === "put" && key !== LEASE_KEY && key !== RECENT_KEY;

const isOfRepository = (key: string) => key.startsWith(REPOSITORIES_PREFIX);

/** Adds a commit to the default branch. */
function addCommit({ hello }: World, text: string): void {
  const head = hello.ref("refs/heads/master")!.oid!;
  const commit = putCommit(hello, {
    folder: { README: text },
    parents: [head],
    message: `Say ${text}\n`,
    timeSeconds: 1_700_000_000,
  });
  setHead(hello, commit);
  publish(hello, ALICE_SEED, { master: commit });
}

/** Replaces the identity document by a private one. */
function makePrivate(repository: MemoryRepository): void {
  const doc = JSON.stringify({
    delegates: [didOfNid(ALICE)],
    payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "hidden" } },
    threshold: 1,
    visibility: { type: "private" },
  });
  const before = repository.ref("refs/rad/id")!.oid!;
  const identity = putCommit(repository, {
    folder: { embeds: { "radicle.json": doc } },
    parents: [before],
    message: "Hide\n",
  });
  repository.setRef("refs/rad/id", identity);
}

async function copyObject(from: Bucket, to: Bucket, key: string): Promise<void> {
  const found = await from.get(key);
  assert.ok(found !== undefined && found !== "unchanged");
  await to.put(key, found.bytes);
}

async function catalogue({ inner }: ScriptedBucket): Promise<readonly RepoId[]> {
  return [
    ...(await readRows(publisherParts(createMemoryStorage(), inner))).keys(),
  ];
}

describe("a publisher", () => {
  it("publishes public repositories with all that their references lead to, and no others", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const summary = await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.deepEqual([summary.repositories, summary.published, summary.failed], [1, 1, 0]);
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
    assert.deepEqual(state.refs, [world.hello.ref("HEAD"), ...world.hello.refs("refs/")]);
    assert.deepEqual(await catalogue(scripted), [world.helloRid]);
    assert.ok((await scripted.keys()).every((key) => !key.startsWith(repositoryPrefix(world.secretRid))));
    assert.ok([...state.objects.keys()].every((oid) => world.hello.header(oid) !== undefined));
  });

  it("puts the manifest after all that it names", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const puts = scripted.take().filter(isPut).map(({ key }) => key);
    const rest = puts.slice(puts.indexOf(manifestKey(world.helloRid)) + 1);
    const names = rest.map((key) => key.replace(/-[0-9a-f]{64}$/, ""));
    // Git clients must find the packs of all references that they read.
    assert.equal(names.shift(), gitFileKey(world.helloRid, "objects/info/packs"));
    assert.deepEqual(
      [...names].sort(),
      [
        ...["HEAD", "info/refs", "packed-refs"].map((name) => repositoryPrefix(world.helloRid) + name),
        ...["catalogue/page", CATALOGUE_KEY],
      ].sort(),
    );
    assert.ok(puts.some((key) => key.endsWith(".pack")) && puts.some((key) => key.endsWith(".idx")));
  });

  it("puts nothing when nothing has changed", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    scripted.take();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.deepEqual(scripted.take().filter(isPut), []);
  });

  it("sends only new objects", async () => {
    const world = createWorld();
    const large = crypto.getRandomValues(new Uint8Array(60_000));
    const commit = putCommit(world.hello, {
      folder: Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [`${i}`, large.map((byte) => byte ^ i)]),
      ),
      message: "Add large files\n",
    });
    world.hello.setRef("refs/heads/large", commit);
    const scripted = new ScriptedBucket();
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    const first = await publisher.publishAll();
    assert.ok(first.sentBytes > 450_000);
    addCommit(world, "again");
    const second = await publisher.publishAll();
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
    // A commit, a tree and a blob, and three of the signed references.
    assert.ok(second.sentBytes < 8_000, `${second.sentBytes} bytes were sent`);
    assert.equal(state.stored, state.objects.size, "an object is in two packs");
    assert.equal(state.manifest.stateNumber, 2);
  });

  it("keeps few packs, and sends an object only a few times", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    let sent = 0;
    let raw = 0;
    for (let i = 0; i < 24; i++) {
      const bytes = crypto.getRandomValues(new Uint8Array(20_000));
      raw += bytes.length;
      world.hello.setRef(
        `refs/heads/b${i}`,
        putCommit(world.hello, { folder: { bytes }, message: `${i}\n` }),
      );
      sent += (await publisher.publishAll()).sentBytes;
    }
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
    assert.ok(state.manifest.packs.length <= 9);
    assert.ok(sent < 8 * raw, `${sent} bytes were sent for ${raw}`);
  });

  it("keeps the packs together that were made at the same time", async () => {
    const world = createWorld();
    const folder = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`${i}`, crypto.getRandomValues(new Uint8Array(10_000))]),
    );
    world.hello.setRef("refs/heads/many", putCommit(world.hello, { folder, message: "Many\n" }));
    const scripted = new ScriptedBucket();
    const packMaker = createPackMaker(world.storage, { limitBytes: 40_000 });
    const publisher = createTestPublisher(world.storage, scripted.bucket, { packMaker });
    const read = async () => {
      await publisher.publishAll();
      const state = await readState(scripted.inner, world.helloRid);
      assert.ok(state !== undefined);
      checkWhole(state);
      return state;
    };
    const { manifest: { packs } } = await read();
    assert.ok(packs.length >= 3);
    assert.deepEqual(new Set(packs.map(({ tips }) => tips?.sha256)).size, 1);
    assert.notEqual(packs[0]!.tips, null);
    for (let i = 0; i < 8; i++) {
      addCommit(world, `${i}`);
      const { manifest, objects, stored } = await read();
      assert.equal(stored, objects.size, "an object is in two packs");
      assert.deepEqual(manifest.packs.slice(-packs.length), packs);
    }
  });

  it("goes on with the large packs that a killed publisher sent before its manifest", async () => {
    const world = createWorld();
    const folder = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`${i}`, crypto.getRandomValues(new Uint8Array(30_000))]),
    );
    world.hello.setRef("refs/heads/many", putCommit(world.hello, { folder, message: "Many\n" }));
    const scripted = new ScriptedBucket();
    const bucket = wrapBucket(scripted.bucket, ({ name, key }) => {
      if (name === "put" && key === manifestKey(world.helloRid)) throw new Error("killed");
    });
    const first = await createTestPublisher(world.storage, bucket).publishAll();
    assert.equal(first.failed, 1);
    const second = await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.ok(second.sentBytes < 40_000, `${second.sentBytes} bytes were sent`);
    checkWhole((await readState(scripted.inner, world.helloRid))!);
    // A pack that will soon be removed is sent again.
    await scripted.inner.delete([manifestKey(world.helloRid)]);
    scripted.nowMs += 3_000_000;
    const third = await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.ok(third.sentBytes > 360_000, `${third.sentBytes} bytes were sent`);
  });

  it("publishes no hidden reference, nor symbolic ones that lead to it", async () => {
    const world = createWorld();
    const draft = putCommit(world.hello, { folder: { draft: "not yet" }, message: "Draft\n" });
    world.hello.setRef(`refs/namespaces/${ALICE}/refs/drafts/review/1`, draft);
    world.hello.setRef("refs/drafts/x", draft);
    world.hello.setSymbolicRef("refs/heads/alias", "refs/drafts/x");
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    assert.ok(!state.objects.has(draft));
    assert.ok(state.refs.every(({ name }) => !name.includes("draft") && name !== "refs/heads/alias"));
  });

  it("publishes tags, and trees and blobs to which references point", async () => {
    const world = createWorld();
    const blob = putBlob(world.hello, "alone");
    const text = `object ${world.commits[0]}\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n\nOne\n`;
    const tag = world.hello.put("tag", new TextEncoder().encode(text));
    world.hello.setRef("refs/tags/v1", tag);
    world.hello.setRef("refs/tags/blob", blob);
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
    assert.deepEqual([state.objects.get(tag)?.kind, state.objects.get(blob)?.kind], ["tag", "blob"]);
  });

  it("publishes objects that were missing when they are there, after the next change", async () => {
    const world = createWorld();
    const lost = createWorld().hello.put("blob", new TextEncoder().encode("late"));
    const tree = world.hello.put("tree", treeOf("late", lost));
    const late = world.hello.put("commit", commitOf(tree));
    world.hello.setRef("refs/heads/late", late);
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const before = await readState(scripted.inner, world.helloRid);
    assert.equal(before?.manifest.isIncomplete, true);
    checkWhole(before, new Set([lost]));
    world.hello.put("blob", new TextEncoder().encode("late"));
    addCommit(world, "more");
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const after = await readState(scripted.inner, world.helloRid);
    assert.ok(after !== undefined);
    assert.equal(after.manifest.isIncomplete, undefined);
    checkWhole(after);
    assert.equal(after.stored, after.objects.size);
  });

  it("makes all packs again when one has vanished", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const [lost] = (await scripted.keys()).filter((key) => key.endsWith(".pack"));
    await scripted.inner.delete([lost!]);
    addCommit(world, "more");
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
  });

  it("sends again what has vanished or is damaged when it checks the bucket, without any change", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    await publisher.publishAll();
    const keys = (await scripted.keys()).filter((key) => key !== LEASE_KEY);
    for (const key of keys) {
      await scripted.inner.delete([key]);
      await publisher.publishAll();
      checkWhole((await readState(scripted.inner, world.helloRid))!);
      assert.deepEqual(await catalogue(scripted), [world.helloRid], `${key} was lost`);
    }
    for (const key of [manifestKey(world.helloRid), CATALOGUE_KEY]) {
      await scripted.inner.put(key, new Uint8Array(10));
      await publisher.publishAll();
      checkWhole((await readState(scripted.inner, world.helloRid))!);
      assert.deepEqual(await catalogue(scripted), [world.helloRid], `${key} was damaged`);
    }
  });

  it("lets a repository that becomes private vanish: from lists, its manifest, then the rest", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    await publisher.publishAll();
    makePrivate(world.hello);
    scripted.take();
    const summary = await publisher.publishAll();
    assert.equal(summary.removed, 1);
    const changes = scripted.take().filter((call) => call.name === "delete" || isPut(call));
    const ofGit = GIT_FILES.map((name) => gitFileKey(world.helloRid, name));
    assert.deepEqual(
      changes.slice(0, 4).map(({ name, key }) => `${name} ${key.replace(/-[0-9a-f]{64}$/, "")}`),
      [
        "put catalogue/page",
        `put ${CATALOGUE_KEY}`,
        // The page that told of it.
        "delete catalogue/page",
        `delete ${[manifestKey(world.helloRid), ...ofGit].join(" ")}`,
      ],
    );
    assert.equal(changes[4]?.name, "delete");
    assert.ok(changes[4]?.key.startsWith(repositoryPrefix(world.helloRid)));
    assert.deepEqual(await catalogue(scripted), []);
    assert.deepEqual((await scripted.keys()).filter((key) => isOfRepository(key)), []);
  });

  it("shows no list that names a repository without a manifest, wherever it is killed", async () => {
    const world = createWorld();
    const published = new ScriptedBucket();
    await createTestPublisher(world.storage, published.bucket).publishAll();
    const other = createRepository(world.storage, { name: "other" });
    setHead(other, putCommit(other, { folder: { README: "other" }, message: "One\n" }));
    await createTestPublisher(world.storage, published.bucket).publishAll();
    makePrivate(world.hello);
    const keys = await published.keys();
    for (let last = 1, isOver = false; !isOver; last++) {
      const killed = new ScriptedBucket();
      for (const key of keys) await copyObject(published.inner, killed.inner, key);
      let calls = 0;
      const bucket = wrapBucket(killed.bucket, () => {
        if (++calls > last) throw new Error("killed");
      });
      const work = createTestPublisher(world.storage, bucket).publishAll();
      isOver = await work.then(() => true, () => false);
      const rows = await readRows(publisherParts(createMemoryStorage(), killed.inner));
      const isThere = await killed.inner.head(manifestKey(world.helloRid)) !== undefined;
      assert.ok(isThere || !rows.has(world.helloRid), `after ${last} calls a list has the name`);
      if (!isOver) continue;
      assert.ok(last > 10 && !isThere);
    }
  });

  it("removes a manifest also when the lists cannot be changed, and these afterwards", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    makePrivate(world.hello);
    const bucket = wrapBucket(scripted.bucket, ({ name, key }) => {
      if (name === "put" && key === CATALOGUE_KEY) throw new BucketError("unavailable", "full");
    });
    await assert.rejects(createTestPublisher(world.storage, bucket).publishAll(), BucketError);
    assert.equal(await scripted.inner.head(manifestKey(world.helloRid)), undefined);
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.deepEqual(await catalogue(scripted), []);
    assert.deepEqual((await scripted.keys()).filter((key) => isOfRepository(key)), []);
  });

  it("lets a removed repository vanish", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    world.storage.delete(world.helloRid);
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.deepEqual(await catalogue(scripted), []);
    assert.deepEqual((await scripted.keys()).filter((key) => isOfRepository(key)), []);
  });

  it("sends nothing more of a repository that becomes private while it is published", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    let puts = 0;
    scripted.calls.push = (call: BucketCall) => {
      if (call.name === "put" && isOfRepository(call.key) && ++puts === 1) makePrivate(world.hello);
      return 0;
    };
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    await publisher.publishAll();
    // The pack and its index were on their way.
    assert.equal(puts, 2);
    await publisher.publishAll();
    assert.deepEqual((await scripted.keys()).filter((key) => isOfRepository(key)), []);
  });

  it("removes what nothing names after the grace time, by the clock of the bucket alone", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const stray = packKey(world.helloRid, "0".repeat(40) as Oid, "pack");
    await scripted.inner.put(stray, new Uint8Array(1));
    // The clock of the publisher is a year ahead.
    const publisher = createTestPublisher(world.storage, scripted.bucket, { now: () => 1_731_536_000_000 });
    await publisher.publishAll();
    addCommit(world, "more");
    await publisher.publishAll();
    const before = await scripted.keys();
    assert.ok(before.includes(stray));
    scripted.nowMs += 3_500_000;
    assert.equal((await publisher.publishAll()).unreferenced, 0);
    scripted.nowMs += 200_000;
    // The stray pack, and a page of the catalogue.
    const { unreferenced } = await publisher.publishAll();
    const after = await scripted.keys();
    assert.ok(unreferenced > 1 && before.length - after.length === unreferenced && !after.includes(stray));
    const state = await readState(scripted.inner, world.helloRid);
    assert.ok(state !== undefined);
    checkWhole(state);
  });

  it("removes what nothing names also from a repository that never rests", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const publisher = createTestPublisher(world.storage, scripted.bucket);
    const ofHello = async () => {
      const keys = await scripted.keys();
      return keys.filter((key) => key.startsWith(repositoryPrefix(world.helloRid)));
    };
    const stray = packKey(world.helloRid, "0".repeat(40) as Oid, "pack");
    await scripted.inner.put(stray, new Uint8Array(1));
    let removed = 0;
    // The manifest is never older than 20 minutes, the grace time is an hour.
    for (let i = 0; i < 30; i++) {
      addCommit(world, `${i}`);
      removed += (await publisher.publishAll()).unreferenced;
      const { manifest } = (await readState(scripted.inner, world.helloRid))!;
      for (const key of namedKeys(manifest)) assert.ok(await scripted.inner.head(key), `${key} is gone`);
      // An object that a manifest named in the last two hours is still there, for readers of that manifest.
      if (i < 6) assert.ok((await ofHello()).includes(stray));
      scripted.nowMs += 1_200_000;
    }
    assert.ok(!(await ofHello()).includes(stray));
    assert.ok(removed > 30 && (await ofHello()).length < 50, `${removed} removed`);
    checkWhole((await readState(scripted.inner, world.helloRid))!);
  });

  it("restarts the time without a name when an object was put or named again", () => {
    const entry = { key: "a", size: 1, etag: "", modifiedMs: 0 };
    const young = (nowMs: number, ...keys: string[]) => ({ putMs: nowMs - 1, keys: new Set(keys) });
    const unreferenced = new UnreferencedObjects(1000);
    const found = (nowMs: number, entryNow = entry, ...named: string[]) => {
      const keys = unreferenced.find([entryNow], young(nowMs, ...named), nowMs);
      unreferenced.endLook();
      return keys.length;
    };
    assert.deepEqual([found(500), found(1500), found(2500), found(2501)], [0, 0, 0, 1]);
    assert.deepEqual([found(4000, entry, "a"), found(4500), found(5500), found(5501)], [0, 0, 0, 1]);
    const again = { ...entry, modifiedMs: 5500 };
    assert.deepEqual([found(6600, again), found(7600, again), found(7601, again)], [0, 0, 1]);
    // The manifest has not changed for the grace time.
    assert.equal(
      new UnreferencedObjects(1000).find([entry], { putMs: 1000, keys: new Set() }, 2001).length,
      1,
    );
  });

  it("leaves objects of other programs alone", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await scripted.inner.put("repos/readme.txt", new Uint8Array(1));
    await scripted.inner.put(`${repositoryPrefix(world.helloRid)}notes`, new Uint8Array(1));
    scripted.nowMs += 1e9;
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    const keys = await scripted.keys();
    assert.ok(keys.includes("repos/readme.txt") && keys.includes(`${repositoryPrefix(world.helloRid)}notes`));
  });

  it("replaces a damaged manifest and a damaged catalogue", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await scripted.inner.put(manifestKey(world.helloRid), new TextEncoder().encode("{}"));
    await scripted.inner.put(CATALOGUE_KEY, new TextEncoder().encode("[]"));
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    checkWhole((await readState(scripted.inner, world.helloRid))!);
    assert.deepEqual(await catalogue(scripted), [world.helloRid]);
  });

  it("publishes the description of the node, without private repositories, when it changes", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const rids = [world.helloRid, world.secretRid];
    let alias = "alice";
    const node = {
      profile: {
        nodeId: ALICE,
        get alias() {
          return alias;
        },
        pinned: () => rids,
      },
      node: {
        ...createAbsentNode(),
        knownNodes: () => Promise.resolve([ALICE, BOB]),
        aliases: () => Promise.resolve(new Map([[BOB, "bob"]])),
        inventory: () => Promise.resolve(rids),
        policies: () => Promise.resolve(rids.map((rid) => ({ rid, scope: "all", policy: "allow" } as const))),
        seedCounts: () => Promise.resolve(new Map([[world.helloRid, 2]])),
      },
    };
    const publisher = createTestPublisher(world.storage, scripted.bucket, { node });
    await publisher.publishAll();
    const read = async () => {
      const object = await scripted.inner.get(NODE_KEY);
      assert.ok(object !== undefined && object !== "unchanged");
      assert.ok(!new TextDecoder().decode(object.bytes).includes(world.secretRid));
      return NODE.decode(object.bytes);
    };
    const first = await read();
    assert.deepEqual([first.alias, first.pinned, first.state], ["alice", [world.helloRid], "stopped"]);
    assert.deepEqual(first.inventories, {
      rows: [[ALICE, [world.helloRid]], [BOB, [world.helloRid]]].sort(),
    });
    scripted.take();
    await publisher.publishAll();
    assert.deepEqual(scripted.take().filter(isPut), []);
    alias = "alicia";
    await publisher.publishAll();
    assert.equal((await read()).alias, "alicia");
    const ending = new AbortController();
    let looks = 0;
    await createTestPublisher(world.storage, scripted.bucket, {
      node,
      nodeScanMs: 0,
      clock: createTestClock({
        step: async () => {
          if (++looks === 1) makePrivate(world.hello);
          if (looks !== 2) return;
          const { pinned, inventories, policies } = await read();
          assert.deepEqual([pinned, inventories, policies], [[], { rows: [] }, []]);
          ending.abort();
        },
      }),
    }).watch(ending.signal);
    assert.equal(looks, 2);

    const other = { ...node, profile: { ...node.profile, nodeId: BOB } };
    await assert.rejects(
      createTestPublisher(world.storage, scripted.bucket, { node: other }).publishAll(),
      (error: BucketError) => error.obstacle === "denied",
    );
  });

  it("publishes changes while it watches, also of repositories that appear and vanish", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const heard: string[] = [];
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const ending = new AbortController();
    let looks = 0;
    const publisher = createTestPublisher(world.storage, scripted.bucket, {
      onPublication: ({ change }) => heard.push(change),
      clock: createTestClock({
        // deno-lint-ignore require-await -- a step of the test in place of a pause
        step: async () => {
          looks++;
          if (looks === 1) addCommit(world, "first");
          if (looks === 2) addCommit(world, "second");
          if (looks === 3) world.storage.delete(world.helloRid);
          if (looks === 5) {
            ending.abort();
            resolve();
          }
        },
      }),
    });
    await publisher.watch(ending.signal);
    await done;
    assert.deepEqual(heard, ["published", "published", "published", "removed"]);
    assert.deepEqual((await scripted.keys()).filter((key) => isOfRepository(key)), []);
  });

  it("lists references again only when the storage cannot rule out a change", async () => {
    const world = createWorld();
    const lists: number[] = [];
    let listed = 0;
    const repository: MemoryRepository = {
      ...world.hello,
      refs(prefix) {
        listed++;
        return world.hello.refs(prefix);
      },
    };
    const storage: Storage = {
      repositoryIds: () => [world.helloRid],
      repository: () => repository,
    };
    const heard: string[] = [];
    const ending = new AbortController();
    const head = world.hello.ref("refs/heads/master")!.oid!;
    const publisher = createTestPublisher(storage, new ScriptedBucket().bucket, {
      onPublication: ({ change }) => heard.push(change),
      clock: createTestClock({
        // deno-lint-ignore require-await -- a step of the test in place of a pause
        step: async () => {
          lists.push(listed);
          listed = 0;
          if (lists.length === 3) world.hello.setRef("refs/heads/master", head);
          if (lists.length === 5) addCommit(world, "more");
          if (lists.length === 7) ending.abort();
        },
      }),
    });
    await publisher.watch(ending.signal);
    assert.deepEqual(heard, ["published", "published"]);
    // Nothing, nothing, one list for the version that a write of the same value has changed, nothing, the change.
    assert.deepEqual(lists.slice(1, 5), [0, 0, 1, 0]);
    assert.ok(lists[5]! > 0);
    assert.equal(lists[6], 0);
  });
});

function treeOf(name: string, oid: string): Uint8Array {
  const head = new TextEncoder().encode(`100644 ${name}\0`);
  const id = Uint8Array.from(oid.match(/../g)!, (digits) => parseInt(digits, 16));
  return Uint8Array.from([...head, ...id]);
}

function commitOf(tree: string): Uint8Array {
  return new TextEncoder().encode(
    `tree ${tree}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nLate\n`,
  );
}
