/** Rows made from stored objects, and rows that were left behind. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkCacheRows } from "../../../src/cob/rad_cache/cache_row_check.ts";
import { CacheRows } from "../../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../../src/cob/rules.ts";
import { createCobs } from "../../../src/cob/evaluation/store.ts";
import { CommitGraph } from "../../../src/git/commit_graph.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import type { CachedType, RowForm } from "../../../src/ports/cob_cache.ts";
import { createMemoryStorage } from "../../../src/storage/memory.ts";
import { createRepository, putCommit } from "../../support/world.ts";
import { createCachedRows } from "../cached_rows.ts";
import { createWriter, putEntry, setTip, type Writer } from "../entries.ts";

const ISSUE = "xyz.radicle.issue";
const PATCH = "xyz.radicle.patch";
const [alice, bob] = [createWriter(1), createWriter(2)];

/** A repository with alice as its delegate, and a database without rows. */
function createSetting() {
  const storage = createMemoryStorage();
  const repository = createRepository(storage, { name: "x", delegates: [alice.nid] });
  const resource = repository.ref("refs/rad/id")!.oid;
  const cache = createCachedRows();
  const log: string[] = [];
  const rows = new CacheRows({
    cache,
    cobs: createCobs(RULES.newest, () => {}),
    log: (_level, message) => log.push(message),
    graphs: { open: (objects, task) => ({ objects, graph: new CommitGraph(), task }) },
  });
  const put = (
    writer: Writer,
    actions: readonly unknown[],
    { object, on = object, type = ISSUE }: { object?: Oid; on?: Oid | undefined; type?: CachedType } = {},
  ): Oid => {
    const id = putEntry(repository, { writer, type, actions, parents: on ? [on] : [], resource });
    setTip(repository, writer.nid, object ?? id, id, type);
    return id;
  };
  const openIssue = (title: string, ...more: readonly unknown[]) =>
    put(alice, [{ type: "comment", body: title }, { type: "edit", title }, ...more]);
  const openPatch = (target: unknown) => {
    const oid = putCommit(repository, { folder: {}, message: "Change\n" });
    const revision = { type: "revision", description: "", base: oid, oid };
    return put(alice, [revision, { type: "edit", title: "patch", target }], { type: PATCH });
  };
  const rowOf = (id: Oid) => {
    const text = cache.rows.get(id);
    return text === undefined ? undefined : JSON.parse(text);
  };
  const check = (signal?: AbortSignal) => {
    const home = { cache, storage, nodeId: alice.nid };
    return checkCacheRows({ ...home, log: (_level, message) => log.push(message) }, signal);
  };
  return { repository, cache, log, rows, put, openIssue, openPatch, rowOf, check };
}

describe("the row of a changed object", () => {
  it("has the present state of the object", async () => {
    const { repository, rows, put, openIssue, rowOf, log } = createSetting();
    const id = openIssue("first");
    await rows.update(repository, ISSUE, id);
    assert.equal(rowOf(id).title, "first");
    const comment = put(bob, [{ type: "comment", body: "hi", replyTo: id }], { object: id });
    await rows.update(repository, ISSUE, id);
    assert.deepEqual(rowOf(id).thread.timeline, [id, comment]);
    assert.deepEqual(log, []);
  });

  it("is made by the rules of the programs that read it", async () => {
    const { repository, rows, put, openIssue, cache, rowOf } = createSetting();
    const id = openIssue("one line");
    put(alice, [{ type: "edit", title: "two\nlines" }], { object: id });
    const titles = [];
    for (const form of ["0.10", "1.0", "1.1", "newest"] as RowForm[]) {
      cache.form = form;
      await rows.update(repository, ISSUE, id);
      titles.push(rowOf(id).title);
    }
    assert.deepEqual(titles, ["one line", "one line", "one line", "two\nlines"]);
  });

  it("is not there for programs that know no such object", async () => {
    const { repository, rows, openPatch, cache, rowOf, log } = createSetting();
    const [plain, other] = [openPatch("delegates"), openPatch({ branch: "refs/heads/next" })];
    for (const form of ["0.10", "1.0", "1.1"] as RowForm[]) {
      cache.form = form;
      await rows.update(repository, PATCH, plain);
      await rows.update(repository, PATCH, other);
      assert.equal(rowOf(plain).target, "delegates");
      assert.equal(rowOf(other), undefined);
    }
    assert.equal(log.filter((line) => /could not read it$/.test(line)).length, 3);
    cache.form = "newest";
    await rows.update(repository, PATCH, other);
    assert.deepEqual(rowOf(other).target, { branch: "refs/heads/next" });
  });

  it("stays as it was when the object cannot be evaluated", async () => {
    const { repository, rows, cache, rowOf } = createSetting();
    const id = "1".repeat(40) as Oid;
    cache.rows.set(id, `"before"`);
    await rows.update(repository, ISSUE, id);
    assert.equal(rowOf(id), "before");
  });

  it("is not written without a database", async () => {
    const { repository, openIssue } = createSetting();
    const rows = new CacheRows({
      cache: undefined,
      cobs: createCobs(RULES.newest, () => {}),
      log: () => assert.fail("logged"),
      graphs: { open: () => assert.fail("evaluated") },
    });
    await rows.update(repository, ISSUE, openIssue("x"));
  });
});

describe("the check at the start", () => {
  it("writes rows that are missing, and those that miss the node's last change", async () => {
    const { repository, rows, put, openIssue, openPatch, cache, rowOf, check } = createSetting();
    const [stale, missing, patch] = [openIssue("stale"), openIssue("missing"), openPatch("delegates")];
    await rows.update(repository, ISSUE, stale);
    put(alice, [{ type: "lifecycle", state: { status: "closed", reason: "solved" } }], { object: stale });
    await check();
    assert.deepEqual(rowOf(stale).state, { status: "closed", reason: "solved" });
    assert.equal(rowOf(missing).title, "missing");
    assert.equal(rowOf(patch).title, "patch");
    assert.equal(cache.rows.size, 3);
  });

  it("evaluates nothing when every row mentions the node's last entry", async () => {
    const { repository, rows, openIssue, openPatch, cache, check } = createSetting();
    await rows.update(repository, ISSUE, openIssue("x"));
    await rows.update(repository, PATCH, openPatch("delegates"));
    Object.assign(cache.calls, { read: 0, replace: 0 });
    await check();
    assert.deepEqual(cache.calls, { read: 0, replace: 0, findBehind: 2 });
  });

  it("writes nothing when a row is right though it does not mention the entry", async () => {
    const { repository, rows, put, openIssue, cache, check } = createSetting();
    const id = openIssue("x");
    put(alice, [{ type: "label", labels: ["bug"] }], { object: id });
    await rows.update(repository, ISSUE, id);
    Object.assign(cache.calls, { read: 0, replace: 0 });
    await check();
    assert.deepEqual(cache.calls, { read: 1, replace: 0, findBehind: 1 });
  });

  it("leaves to others what others changed", async () => {
    const { put, cache, check } = createSetting();
    put(bob, [{ type: "comment", body: "mine" }, { type: "edit", title: "mine" }]);
    await check();
    assert.deepEqual([cache.rows.size, cache.calls.findBehind], [0, 0]);
  });

  it("checks many rows group by group", async () => {
    const { openIssue, cache, check } = createSetting();
    for (let n = 0; n < 100; n++) openIssue(`issue ${n}`);
    await check();
    const { findBehind } = cache.calls;
    assert.equal(cache.rows.size, 100);
    assert.ok(findBehind > 1 && findBehind < 20, `${findBehind} groups`);
  });

  it("ends when it is closed", async () => {
    const { openIssue, cache, check, log } = createSetting();
    openIssue("x");
    await check(AbortSignal.abort());
    assert.deepEqual([cache.calls.findBehind, cache.rows.size, log.length], [0, 0, 0]);
  });

  it("says in one line that it cannot be done, and nothing of an unknown kind of database", async () => {
    const { openIssue, cache, check, log } = createSetting();
    openIssue("x");
    cache.obstacles.push("foreign");
    await check();
    assert.deepEqual(log, []);
    cache.obstacles.push("broken");
    await check();
    assert.deepEqual(log, ["Cannot check rad's cache (cobs/cache.db): it is broken"]);
  });
});
