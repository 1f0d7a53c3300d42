/** How a publisher finds changed repositories: the node tells of them, and looks at all find the rest. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { ChangeListener, RadicleNode } from "../../../../src/ports/radicle_node.ts";
import type { Storage } from "../../../../src/ports/storage.ts";
import { ChangeSearch } from "../../../../extensions/replicas/publisher/change_search.ts";
import { createRepository, createWorld } from "../../../support/world.ts";
import { untilAborted } from "./test_publisher.ts";
import { Task } from "../../../../src/scheduling/task.ts";

/** Milliseconds of a look at a repository. */
const COST_MS = 5;
const REPOSITORIES = 40;

/** A home of which each repository takes some time to look at, and a node that tells what a test lets it tell. */
function createSearch(watchChanges?: RadicleNode["watchChanges"]) {
  const { storage } = createWorld();
  for (let i = 0; i < REPOSITORIES; i++) createRepository(storage, { name: `found-${i}` });
  const rids = [...storage.repositoryIds() as readonly RepoId[]];
  const changed = new Set<RepoId>();
  let nowMs = 0;
  let looked: RepoId[] = [];
  let listener: ChangeListener | undefined;
  let atLook = () => {};
  const logged: string[] = [];
  const search = new ChangeSearch({
    storage: { repositoryIds: () => rids } as Pick<Storage, "repositoryIds"> as Storage,
    home: {
      states: { rids: () => rids.values() } as never,
      isDue(rid) {
        nowMs += COST_MS;
        looked.push(rid);
        atLook();
        return Promise.resolve(changed.delete(rid));
      },
    },
    node: {
      watchChanges: watchChanges ?? ((heard, signal) => {
        listener = heard;
        return untilAborted(0, signal);
      }),
    },
    task: new Task("background"),
    nowMs: () => nowMs,
    log: (_level, message) => logged.push(message),
  });
  const busy = new Set<RepoId>();
  return {
    rids,
    changed,
    busy,
    search,
    logged,
    onLook: (call: () => void) => void (atLook = call),
    tell: (rid: RepoId | undefined) => listener!.onChange(rid),
    open: () => listener!.onOpen(),
    stop: () => listener!.onStopped(),
    async step() {
      looked = [];
      const found: RepoId[] = [];
      await search.step((rid) => busy.has(rid), (rid) => Promise.resolve(void found.push(rid)));
      return { found, looked };
    },
  };
}

/** Repositories that are looked at in one step while no node tells of changes. */
const SHARE = (await createSearch().step()).looked.length;

describe("a search for changed repositories", () => {
  it("scans all of them in parts, each for a share of the time", async () => {
    const { step, changed, rids } = createSearch();
    changed.add(rids.at(-1)!);
    const first = await step();
    assert.ok(SHARE > 0 && SHARE < REPOSITORIES);
    assert.deepEqual(first, { found: [], looked: rids.slice(0, SHARE) });
    const second = await step();
    assert.deepEqual(second, { found: [rids.at(-1)], looked: rids.slice(SHARE) });
    assert.deepEqual(await step(), first);
  });

  it("finds changes that the node reports at once, and checks other repositories less often", async () => {
    const { search, step, changed, rids, open, tell, busy, stop } = createSearch();
    const ending = new AbortController();
    const hearing = search.watchNode(ending.signal);
    await step();
    open();
    // The look that had begun may have missed a change, and the next one finds it.
    await step();
    await step();
    await step();
    const last = rids.at(-1)!;
    changed.add(last);
    tell(last);
    busy.add(last);
    const { found, looked } = await step();
    const few = looked.length - 1;
    assert.ok(few > 0 && few < SHARE / 2);
    assert.deepEqual({ found, looked }, { found: [last], looked: [last, ...rids.slice(0, few)] });
    busy.delete(last);
    assert.deepEqual((await step()).looked, [last, ...rids.slice(few, 2 * few)]);
    assert.deepEqual((await step()).looked, rids.slice(2 * few, 3 * few));
    stop();
    assert.ok((await step()).looked.length > few);
    ending.abort();
    await hearing;
  });

  it("ends a step although the node reports more, and checks busy ones in the next", async () => {
    const { search, step, changed, rids, open, tell, busy, onLook } = createSearch();
    const ending = new AbortController();
    void search.watchNode(ending.signal);
    open();
    const [first, second] = rids as [RepoId, RepoId];
    tell(first);
    busy.add(first);
    // Each look at a repository takes so long that the node tells of the next one.
    let told = 0;
    onLook(() => void (told < REPOSITORIES * 10 && tell(rids[1 + told++ % (REPOSITORIES - 1)]!)));
    await step();
    assert.ok(told < REPOSITORIES * 2, `${told} looks`);
    busy.delete(first);
    changed.add(first).add(second);
    assert.deepEqual((await step()).found.slice(0, 2), [first, second]);
    ending.abort();
  });

  it("checks all repositories when no events come from the node, and logs it", async () => {
    const { search, step, logged, rids } = createSearch((heard) => {
      heard.onOpen();
      return Promise.reject(new Error("cannot"));
    });
    await search.watchNode(new AbortController().signal);
    assert.deepEqual(logged, ["Cannot receive events from the node"]);
    await step();
    const { looked } = await step();
    assert.equal(looked.length, rids.length - SHARE);
  });

  it("checks all repositories again when the node reports too much, or unknown repositories", async () => {
    for (const isTooMuch of [true, false]) {
      const { search, step, open, tell, rids } = createSearch();
      const ending = new AbortController();
      void search.watchNode(ending.signal);
      open();
      await step();
      await step();
      if (isTooMuch) { for (let i = 0; i < 200_000; i++) tell(`rad:z${i}` as RepoId); }
      else tell(undefined);
      const { looked } = await step();
      assert.equal(looked.filter((rid) => rids.includes(rid)).length, SHARE);
      ending.abort();
    }
  });
});
