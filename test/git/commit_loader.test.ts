/** Loading of commits: deep histories, missing and unreadable commits, the limit. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";
import { draw, hiding } from "./drawn_history.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("a history", () => {
  it("loads a deep history without recursion, for many at once", async () => {
    const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    let tip = putCommit(repository, { folder: {}, message: "0" });
    for (let i = 1; i < 20_000; i++) {
      tip = putCommit(repository, { folder: {}, parents: [tip], message: String(i), timeSeconds: i });
    }
    const graph = new CommitGraph();
    const rows = await Promise.all(Array.from({ length: 5 }, () => graph.load(repository, tip, new Task())));
    assert.equal((await graph.count(rows[0]!)).commits, 20_000);
    assert.deepEqual(new Set(rows).size, 1);
  });

  it("is not known while a commit is missing, and found when it comes", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const partial = hiding(repository);
    partial.hide(oids.b!);
    const graph = new CommitGraph();
    const count = async () =>
      (await graph.count((await graph.load(partial.repository, oids.c!, new Task()))!)).commits;
    await assert.rejects(count, DamagedError);
    assert.equal(await graph.load(partial.repository, oids.b!, new Task()), undefined);
    partial.show(oids.b!);
    assert.equal(await count(), 3);
  });

  it("finds objects that were missing before, if the storage does not report new objects", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const { objectsVersion: _, ...silent } = repository;
    const partial = hiding(silent as MemoryRepository);
    partial.hide(oids.b!);
    const graph = new CommitGraph();
    const count = async () =>
      (await graph.count((await graph.load(partial.repository, oids.c!, new Task()))!)).commits;
    await assert.rejects(count, DamagedError);
    partial.show(oids.b!);
    assert.equal(await count(), 3);
  });
});

describe("a history with more missing parents than are noted", () => {
  it("is shown, and never saved", async () => {
    const { repository } = draw({ a: ["", 1] });
    const missing = "1".repeat(40) as Oid;
    const parents = Array<Oid>(100_000).fill(missing);
    const tip = putCommit(repository, { folder: {}, message: "many", parents });
    const graph = new CommitGraph();
    assert.notEqual(await graph.load(repository, tip, new Task()), undefined);
    assert.equal(graph.snapshot, undefined);
  });
});

describe("what is not there", () => {
  const absent = (i: number) => (i + 1).toString(16).padStart(40, "0") as Oid;

  it("has no row, and is searched at each request", async () => {
    const { repository, oids } = draw({ a: ["", 1] });
    const counted = hiding(repository);
    const graph = new CommitGraph();
    await graph.load(counted.repository, oids.a!, new Task());
    counted.asked();
    for (let i = 0; i < 3000; i++) {
      assert.equal(await graph.load(counted.repository, absent(i), new Task()), undefined);
    }
    assert.ok(counted.asked() <= 2 * 3000);
    assert.equal(graph.commits.size, 1);
    await graph.load(counted.repository, oids.a!, new Task());
    assert.equal(counted.asked(), 0);
  });

  it("is asked for again when the objects have changed, not more than a bounded number at a time", async () => {
    const { repository } = draw({});
    const parents = Array.from({ length: 20_000 }, (_, i) => absent(i));
    const tip = putCommit(repository, { folder: {}, parents, message: "octopus" });
    const counted = hiding(repository);
    const graph = new CommitGraph();
    const load = () => graph.load(counted.repository, tip, new Task());
    const row = (await load())!;
    assert.equal(counted.asked(), 1 + parents.length);
    await assert.rejects(graph.count(row), DamagedError);
    await load();
    assert.equal(counted.asked(), 0);
    counted.change();
    await load();
    const asked = counted.asked();
    assert.ok(asked > 0 && asked < parents.length / 2, `${asked} questions`);
    await load();
    assert.equal(counted.asked(), 0);
    assert.equal(graph.commits.size, 1);
  });

  it("is found in the end, whichever of many it is", async () => {
    const { repository } = draw({});
    const late = putCommit(repository, { folder: { late: "" }, message: "late" });
    const many = Array.from({ length: 10_000 }, (_, i) => absent(i));
    const tip = putCommit(repository, { folder: {}, parents: [...many, late, ...many], message: "octopus" });
    const partial = hiding(repository);
    partial.hide(late);
    const graph = new CommitGraph();
    const load = async () => void await graph.load(partial.repository, tip, new Task());
    await load();
    assert.equal(graph.commits.rowOf(late), undefined);
    partial.show(late);
    for (let i = 0; i < 20; i++, partial.change()) await load();
    assert.notEqual(graph.commits.rowOf(late), undefined);
  });

  it("is remembered while it cannot be read, until the objects change", async () => {
    const { repository } = draw({});
    const damaged = repository.put("commit", new TextEncoder().encode("tree of no kind\n"));
    const counted = hiding(repository);
    const graph = new CommitGraph();
    for (let i = 0; i < 3; i++) {
      assert.equal(await graph.load(counted.repository, damaged, new Task()), undefined);
    }
    const first = counted.asked();
    assert.equal(await graph.load(counted.repository, damaged, new Task()), undefined);
    assert.equal(counted.asked(), 0);
    counted.change();
    assert.equal(await graph.load(counted.repository, damaged, new Task()), undefined);
    assert.equal(counted.asked(), first);
  });
});

describe("a history that is too long", () => {
  it("is refused, others of its repository are not", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3], d: ["c", 4], x: ["", 5] });
    const counted = hiding(repository);
    const graph = new CommitGraph({ maxCommits: 3 });
    assert.notEqual(await graph.load(counted.repository, oids.b!, new Task()), undefined);
    const tooLong = { name: "HistoryTooLongError" };
    await assert.rejects(graph.load(counted.repository, oids.d!, new Task()), tooLong);
    counted.asked();
    await assert.rejects(graph.load(counted.repository, oids.d!, new Task()), tooLong);
    assert.equal(counted.asked(), 0);
    const known = await graph.load(counted.repository, oids.b!, new Task());
    assert.deepEqual(await graph.count(known!), { commits: 2, contributors: 1 });
  });
});
