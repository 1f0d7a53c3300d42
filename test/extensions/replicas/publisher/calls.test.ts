/** What a change costs a publisher that watches: calls of the bucket, and repositories at a time. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import { PUBLISHED_AT_ONCE } from "../../../../extensions/replicas/publisher/publisher.ts";
import { createChangeApi } from "../../../routes/change_api.ts";
import {
  ALICE_SEED,
  createRepository,
  createWorld,
  publish,
  putCommit,
  setHead,
} from "../../../support/world.ts";
import type { MemoryRepository } from "../../../../src/storage/memory.ts";
import { RECENT_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { RECENT } from "../../../../extensions/replicas/format/recent_changes.ts";
import { type BucketCall, ScriptedBucket, wrapBucket } from "./scripted_bucket.ts";
import { createDerive, createTestClock, createTestPublisher } from "./test_publisher.ts";

const ISSUE = { title: "Issue", description: "It is broken", labels: [], assignees: [], embeds: [] };

function addCommit(repository: MemoryRepository, text: string): void {
  const commit = putCommit(repository, {
    folder: { README: text },
    parents: [repository.ref("refs/heads/master")!.oid!],
    message: `Say ${text}\n`,
    timeSeconds: 1_700_000_000,
  });
  setHead(repository, commit);
  publish(repository, ALICE_SEED, { master: commit });
}

/** The kinds of objects that calls were about. */
function namesOf(calls: readonly BucketCall[]): readonly string[] {
  return calls.map(({ name, key }) =>
    `${name} ${key.replace(/^z[^/]+\//, "").replace(/-[0-9a-f]{40}(?=\.)|-[0-9a-f]{64}$/, "")}`
  )
    .sort();
}

const isRecent = ({ key }: BucketCall) => key === RECENT_KEY;

describe("a change costs a publisher that watches", () => {
  it("at most one put a second more, which contains all changes of all repositories", async () => {
    const world = createWorld();
    const repositories = Array.from(
      { length: 20 },
      (_, i) => createRepository(world.storage, { name: `told-${i}` }),
    );
    repositories.forEach((repository) => {
      setHead(repository, putCommit(repository, { folder: { README: "one" }, message: "One\n" }));
    });
    const scripted = new ScriptedBucket();
    const told: number[] = [];
    let [nowMs, rounds] = [0, 0];
    const ending = new AbortController();
    await createTestPublisher(world.storage, scripted.bucket, {
      clock: {
        ...createTestClock({
          async step() {
            await Promise.resolve();
            told.push(scripted.take().filter(isRecent).filter(({ name }) => name === "put").length);
            nowMs += 250;
            if (rounds++ === 20) return ending.abort();
            repositories.forEach((repository) => addCommit(repository, `text ${rounds}`));
          },
        }),
        nowMs: () => nowMs,
      },
    }).watch(ending.signal);
    // It begins empty, and has all that the first round has published.
    assert.deepEqual(told, [2, ...Array.from({ length: 20 }, (_, i) => (i + 1) % 4 === 0 ? 1 : 0)]);
    const found = await scripted.inner.get(RECENT_KEY);
    assert.ok(typeof found === "object");
    const { lease, told: count, changes } = RECENT.decode(found.bytes);
    // The last ones when it ends.
    assert.deepEqual([lease, count], [1, 21 + 20 * 6]);
    assert.deepEqual(new Set(changes.slice(-20).map((change) => change?.[1])), new Set([21]));
  });

  it("eight calls", async () => {
    const { world, send } = await createChangeApi();
    const scripted = new ScriptedBucket();
    const calls: (readonly string[])[] = [];
    const steps = [
      () => send("POST", "/issues", ISSUE),
      () => send("POST", "/issues", { ...ISSUE, title: "Another one" }),
      () => addCommit(world.hello, "one"),
      () => addCommit(world.hello, "two"),
    ];
    const ending = new AbortController();
    await createTestPublisher(world.storage, scripted.bucket, {
      derive: createDerive(),
      clock: createTestClock({
        async step() {
          calls.push(namesOf(scripted.take()));
          const step = steps.shift();
          if (step === undefined) ending.abort();
          else await step();
        },
      }),
    }).watch(ending.signal);
    const [, ...changes] = calls;
    const change = [
      ...["put objects/pack/pack.pack", "put objects/pack/pack.idx", "put manifest.json"],
      ...["put objects/info/packs", "put packed-refs", "put info/refs"],
      ...["put catalogue/page", "put repositories.json"],
    ].sort();
    assert.deepEqual(changes, [change, change, change, change]);
  });

  it("no more repositories at a time than there are places, and all have their turn", async () => {
    const world = createWorld();
    const repositories = Array.from(
      { length: 2 * PUBLISHED_AT_ONCE + 1 },
      (_, i) => createRepository(world.storage, { name: `many-${i}` }),
    );
    repositories.forEach((repository) => {
      setHead(repository, putCommit(repository, { folder: { README: "one" }, message: "One\n" }));
    });
    const scripted = new ScriptedBucket();
    const underWay = new Set<string>();
    let most = 0;
    const published = new Set<RepoId>();
    const bucket = wrapBucket(scripted.inner, async ({ name, key }) => {
      if (name !== "put" || !key.endsWith("/manifest.json")) return;
      underWay.add(key);
      most = Math.max(most, underWay.size);
      await new Promise((resolve) => setTimeout(resolve, 0));
      underWay.delete(key);
    });
    const ending = new AbortController();
    let pauses = 0;
    await createTestPublisher(world.storage, bucket, {
      onPublication: ({ rid }) => void (pauses > 0 && published.add(rid)),
      clock: createTestClock({
        step() {
          if (pauses++ > 0) ending.abort();
          else repositories.forEach((repository) => addCommit(repository, "two"));
          return Promise.resolve();
        },
      }),
    }).watch(ending.signal);
    assert.equal(published.size, repositories.length);
    assert.ok(most > 1 && most <= PUBLISHED_AT_ONCE, `${most} at a time`);
  });
});
