/** Small publications pass large ones, and packs are made anew when that is necessary. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CATALOGUE_KEY,
  GIT_FILES,
  gitFileKey,
  manifestKey,
  NODE_KEY,
  repositoryPrefix,
  sha256Of,
} from "../../../../extensions/replicas/format/keys.ts";
import { NODE } from "../../../../extensions/replicas/format/node_description.ts";
import { encodeSealed } from "../../../../extensions/replicas/format/sealed_json.ts";
import { checkBucket } from "../../../../extensions/replicas/publisher/bucket_check.ts";
import { readRows } from "../../../../extensions/replicas/publisher/catalogue_writer.ts";
import type { PackMaker } from "../../../../extensions/replicas/publisher/pack_maker.ts";
import { PUBLISHED_AT_ONCE } from "../../../../extensions/replicas/publisher/publisher.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import { createPackMaker } from "../../../support/packs.ts";
import { ALICE, createRepository, createWorld, putCommit, setHead } from "../../../support/world.ts";
import { checkWhole, readState } from "./published_state.ts";
import { ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";
import { createTestClock, createTestPublisher, publisherParts } from "./test_publisher.ts";

/** Time in which a check looks at the whole bucket, and the grace time. */
const HOUR_MS = 3_600_000;

/** A clock that goes on while publications run. */
function createRunningClock() {
  let nowMs = 0;
  const pause = async (ms: number, signal: AbortSignal) => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    nowMs += signal.aborted ? 0 : ms;
  };
  return { ...createTestClock({ scan: pause }), nowMs: () => nowMs };
}

/**
 * Publishes with an hour between two steps, until `onStep` returns true. The lease is lost and taken again at each
 * second step.
 */
async function watch(
  world: ReturnType<typeof createWorld>,
  scripted: ScriptedBucket,
  onStep: (step: number) => boolean,
  log: string[] = [],
): Promise<void> {
  const ending = new AbortController();
  let [nowMs, steps] = [0, 0];
  await createTestPublisher(world.storage, scripted.bucket, {
    log: (_, message) => log.push(message),
    clock: {
      ...createTestClock({
        step() {
          nowMs += HOUR_MS;
          scripted.nowMs += HOUR_MS;
          if (onStep(steps++)) ending.abort();
          return Promise.resolve();
        },
      }),
      nowMs: () => nowMs,
    },
  }).watch(ending.signal);
}

describe("a large publication", () => {
  it("that never ends lets all others pass, and the lists appear", async () => {
    const world = createWorld();
    const large = Array.from(
      { length: PUBLISHED_AT_ONCE + 1 },
      (_, i) => createRepository(world.storage, { name: `large-${i}` }),
    );
    const small = Array.from(
      { length: 40 },
      (_, i) => createRepository(world.storage, { name: `small-${i}` }),
    );
    for (const repository of [...large, ...small]) {
      setHead(repository, putCommit(repository, { folder: { README: "one" }, message: "One\n" }));
    }
    const isLarge = new Set(large.map(({ rid }) => rid));
    const maker = createPackMaker(world.storage);
    const packMaker: PackMaker = {
      make(request, use) {
        if (!isLarge.has(request.rid)) return maker.make(request, use);
        request.onLarge?.();
        return new Promise((_, reject) =>
          request.signal?.addEventListener("abort", () => reject(request.signal?.reason))
        );
      },
    };
    const scripted = new ScriptedBucket();
    const ending = new AbortController();
    const work = createTestPublisher(world.storage, scripted.bucket, {
      packMaker,
      clock: createRunningClock(),
      node: { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() },
    }).publishAll(ending.signal);
    const wanted = new Set([world.helloRid, ...small.map(({ rid }) => rid)]);
    const isListed = async () => {
      const rows = await readRows(publisherParts(world.storage, scripted.inner));
      return rows.size === wanted.size && [...wanted].every((rid) => rows.has(rid));
    };
    for (let turn = 0; turn < 2000 && !await isListed(); turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.ok(await isListed(), "a small repository is not listed");
    assert.ok(await scripted.inner.head(NODE_KEY), "the description of the node is missing");
    ending.abort();
    await assert.rejects(work);
  });

  it("begins after the description of the node and the catalogue were put", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    await createTestPublisher(world.storage, scripted.bucket, {
      node: { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() },
    }).publishAll();
    const puts = scripted.take().filter(({ name }) => name === "put").map(({ key }) => key);
    const first = puts.findIndex((key) => key.startsWith(repositoryPrefix(world.helloRid)));
    assert.deepEqual(puts.slice(0, first).slice(-2), [NODE_KEY, "repositories.json"]);
  });
});

describe("a check of the bucket", () => {
  it("replaces all packs when references were removed, once", async () => {
    const world = createWorld();
    const side = putCommit(world.hello, { folder: { side: "removed" }, message: "Side\n" });
    world.hello.setRef("refs/heads/side", side);
    const scripted = new ScriptedBucket();
    await watch(world, scripted, (step) => {
      if (step === 0) world.hello.deleteRef("refs/heads/side");
      return step === 12;
    });
    const state = (await readState(scripted.inner, world.helloRid))!;
    checkWhole(state);
    assert.ok(!state.objects.has(side), "a removed object is there");
    // The first state, the one without the reference, and the one with new packs.
    assert.deepEqual([state.manifest.stateNumber, state.manifest.hasRemoved], [3, undefined]);
  });

  it("finds objects that were missing, without a change of references", async () => {
    const world = createWorld();
    const content = new TextEncoder().encode("late");
    const blob = createWorld().hello.put("blob", content);
    const id = Uint8Array.from(blob.match(/../g)!, (digits) => parseInt(digits, 16));
    const tree = world.hello.put("tree", Uint8Array.from([...new TextEncoder().encode("100644 a\0"), ...id]));
    const text = `tree ${tree}\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nLate\n`;
    world.hello.setRef("refs/heads/late", world.hello.put("commit", new TextEncoder().encode(text)));
    const scripted = new ScriptedBucket();
    await watch(world, scripted, (step) => {
      if (step === 0) world.hello.put("blob", content);
      return step === 12;
    });
    const state = (await readState(scripted.inner, world.helloRid))!;
    checkWhole(state);
    assert.equal(state.manifest.isIncomplete, undefined);
  });

  it("finds objects with the wrong size, and files for git clients that are older than the manifest", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const node = { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() };
    const publisher = createTestPublisher(world.storage, scripted.bucket, { node });
    await publisher.publishAll();
    const { unpack } = publisherParts(world.storage, scripted.inner);
    const isSound = async () =>
      (await checkBucket({ bucket: scripted.inner, unpack }, () => {})).damaged === 0;
    const keys = (await scripted.keys()).filter((key) => key.includes("/objects/pack/"));
    for (const key of keys) {
      await scripted.inner.put(key, new Uint8Array(3));
      await publisher.publishAll();
      assert.ok(await isSound(), key);
    }
    for (const name of GIT_FILES) {
      await scripted.inner.delete([gitFileKey(world.helloRid, name)]);
      await publisher.publishAll();
      assert.ok(await isSound(), name);
    }
    // A publisher that was killed after it had put a manifest.
    scripted.nowMs += 5_000;
    let isKilled = false;
    const bucket = wrapBucket(scripted.bucket, ({ name, key }) => {
      if (isKilled) throw new Error("killed");
      isKilled = name === "put" && key === manifestKey(world.helloRid);
    });
    world.hello.setRef("refs/heads/other", world.hello.ref("refs/heads/master")!.oid!);
    await createTestPublisher(world.storage, bucket).publishAll().catch(() => {});
    assert.ok(isKilled && !await isSound());
    scripted.nowMs += 5_000;
    await createTestPublisher(world.storage, scripted.bucket).publishAll();
    assert.ok(await isSound());
  });

  it("replaces the lists of an older format, which readers refuse with the reason", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    for (const key of [NODE_KEY, CATALOGUE_KEY]) {
      await scripted.inner.put(key, encodeSealed({ format: 4, number: 7, pages: [] }));
    }
    const found = await scripted.inner.get(NODE_KEY);
    assert.ok(typeof found === "object");
    assert.throws(() => NODE.decode(found.bytes), /has the format 4: publish again/);
    await createTestPublisher(world.storage, scripted.bucket, {
      node: { profile: { nodeId: ALICE, pinned: () => [] }, node: createAbsentNode() },
    }).publishAll();
    const rows = await readRows(publisherParts(world.storage, scripted.inner));
    assert.deepEqual([...rows.keys()], [world.helloRid]);
    const node = await scripted.inner.get(NODE_KEY);
    assert.ok(typeof node === "object");
    assert.equal(NODE.decode(node.bytes).nodeId, ALICE);
  });

  it("removes the objects of an older format after the grace time, and says so once", async () => {
    const world = createWorld();
    const scripted = new ScriptedBucket();
    const folder = `repos/${repositoryPrefix(world.helloRid)}`;
    const old = [`${folder}manifest.json`, `${folder}history-${sha256Of(new Uint8Array(1))}`];
    const foreign = `${folder}notes.txt`;
    for (const key of [...old, foreign]) await scripted.inner.put(key, new Uint8Array(1));
    scripted.nowMs += 1e9;
    const log: string[] = [];
    const counts: Promise<number>[] = [];
    const count = async () => (await scripted.keys()).filter((key) => key.startsWith("repos/")).length;
    await watch(world, scripted, (step) => {
      counts.push(count());
      return step === 12;
    }, log);
    assert.equal(await counts[0], 3, "they are removed before the grace time is over");
    assert.equal(await count(), 1);
    assert.equal(log.filter((message) => message.includes("older format")).length, 1);
    checkWhole((await readState(scripted.inner, world.helloRid))!);
  });
});
