/** The order of history, what contains what, and the counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { findLastCommit } from "../../src/git/path_history.ts";
import { splitPath } from "../../src/git/objects.ts";
import { findQuorum } from "../../src/identity/head.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";
import { draw, type Drawing } from "./drawn_history.ts";
import { Task } from "../../src/scheduling/task.ts";

async function walk(drawing: Drawing, from: string): Promise<string> {
  const { repository, oids, names } = draw(drawing);
  const graph = new CommitGraph();
  const tip = await graph.load(repository, oids[from]!, new Task());
  return [...graph.walk(tip!)].map((row) => names.get(graph.commits.oidOf(row))).join("");
}

describe("times after a second", () => {
  it("are the same list until one of them drops out, or another one comes in", async () => {
    const { repository, oids } = draw({ a: ["", 10], b: ["a", 20], c: ["b", 30], d: ["c", 40] });
    const graph = new CommitGraph();
    const tip = (await graph.load(repository, oids["d"]!, new Task()))!;
    const times = await graph.timesAfter(tip, 15, new Task());
    assert.deepEqual(times, [40, 30, 20]);
    assert.equal(await graph.timesAfter(tip, 19, new Task()), times);
    assert.deepEqual(await graph.timesAfter(tip, 20, new Task()), [40, 30]);
    assert.deepEqual(await graph.timesAfter(tip, 15, new Task()), [40, 30, 20]);
    assert.deepEqual(await graph.timesAfter(tip, 9, new Task()), [40, 30, 20, 10]);
    assert.deepEqual(await graph.timesAfter(tip, 40, new Task()), []);
    assert.deepEqual(await graph.timesAfter(tip, 39, new Task()), [40]);
  });

  it("finds commits newer than their children, also next to other histories", async () => {
    const { repository, oids } = draw({ a: ["", 100], b: ["a", 5], c: ["b", 50], d: ["", 70], e: ["d", 9] });
    const graph = new CommitGraph();
    const tip = (await graph.load(repository, oids["c"]!, new Task()))!;
    assert.deepEqual(await graph.timesAfter(tip, 20, new Task()), [50, 100]);
    const other = (await graph.load(repository, oids["e"]!, new Task()))!;
    assert.deepEqual(await graph.timesAfter(other, 20, new Task()), [70]);
    assert.deepEqual(await graph.timesAfter(tip, 49, new Task()), [50, 100]);
    assert.deepEqual(await graph.timesAfter(tip, 4, new Task()), [50, 5, 100]);
  });
});

describe("walk", () => {
  it("goes by committer time, newest first", async () => {
    assert.equal(await walk({ a: ["", 1], b: ["a", 2], c: ["a", 3], d: ["bc", 4] }, "d"), "dcba");
  });

  it("takes equal times first in, first out, parents in their order", async () => {
    assert.equal(
      await walk({ a: ["", 1], b: ["a", 1], c: ["a", 1], d: ["a", 1], m: ["cbd", 1] }, "m"),
      "mcbda",
    );
  });

  it("lets a child follow an older-dated sibling's ancestors when clocks were wrong", async () => {
    assert.equal(await walk({ a: ["", 5], b: ["a", 1], c: ["", 3], m: ["bc", 9] }, "m"), "mcba");
  });

  it("finds criss-cross merges once each", async () => {
    assert.equal(
      await walk({ a: ["", 1], b: ["a", 2], c: ["a", 3], d: ["bc", 4], e: ["cb", 5], f: ["de", 6] }, "f"),
      "fedcba",
    );
  });
});

describe("count and contains", () => {
  it("count commits and different authors of a history (2.5)", async () => {
    const { repository, oids } = draw({ a: ["", 1], B: ["a", 2], c: ["a", 3], D: ["Bc", 4] });
    const graph = new CommitGraph();
    const rows = Object.fromEntries(
      await Promise.all(
        Object.entries(oids).map(async (
          [name, oid],
        ) => [name, await graph.load(repository, oid, new Task())]),
      ),
    );
    assert.deepEqual(await graph.count(rows.D), { commits: 4, contributors: 2 });
    assert.deepEqual(await graph.count(rows.c), { commits: 2, contributors: 1 });
    assert.ok(await graph.contains(rows.D, rows.a) && await graph.contains(rows.D, rows.D));
    assert.ok(!await graph.contains(rows.c, rows.B));
  });

  it("distinguish authors by what is shown of them", async () => {
    const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    const long = "long ".repeat(100_000);
    const people = [
      ["Acme Inc. <a@x>", "Acme Inc <a@x>", "'Acme Inc' < a@x.>"],
      ["Acme Inc <b@x>"],
      [`${long}1 <a@x>`, `.${long}1. <a@x>`],
      [`${long}2 <a@x>`],
    ];
    let tip: Oid | undefined;
    for (const person of people.flat()) {
      tip = putCommit(repository, { folder: {}, parents: tip ? [tip] : [], message: person, person });
    }
    const graph = new CommitGraph();
    const { contributors } = await graph.count((await graph.load(repository, tip!, new Task()))!);
    assert.equal(contributors, people.length);
    assert.equal(graph.snapshot!.authors.hashes.size, people.length);
  });

  it("stay right when the history grows", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const graph = new CommitGraph();
    const a = await graph.load(repository, oids.a!, new Task());
    const b = await graph.load(repository, oids.b!, new Task());
    assert.equal((await graph.count(b!)).commits, 2);
    const c = await graph.load(repository, oids.c!, new Task());
    assert.equal((await graph.count(c!)).commits, 3);
    assert.ok(!await graph.contains(b!, c!) && await graph.contains(c!, a!));
  });
});

describe("findLastCommit", () => {
  it("prefers the merge that brought a change in over the commit that made it", async () => {
    const { repository, oids, names } = draw({
      a: ["", 1, "old"],
      b: ["a", 2, "new"],
      c: ["a", 3, "old"],
      m: ["cb", 4, "new"],
      n: ["m", 5, "new"],
    });
    const graph = new CommitGraph();
    const tip = await graph.load(repository, oids.n!, new Task());
    const opened = { objects: repository, graph, task: new Task() };
    const found = await findLastCommit(opened, tip!, splitPath("file"));
    assert.equal(names.get(found!), "m");
    assert.equal(await findLastCommit(opened, tip!, splitPath("nothing")), undefined);
  });
});

describe("findQuorum", () => {
  // c0 ← c1 ← c2, c1 ← b2, c0 ← a1, m1 = merge of c2 and b2, m2 = merge of a1 and b2
  const { repository, oids, names } = draw({
    c: ["", 1],
    C: ["c", 2],
    d: ["C", 3],
    b: ["C", 4],
    a: ["c", 5],
    m: ["db", 6],
    M: ["ab", 7],
  });
  const cases: [tips: string, threshold: number, result: string | undefined][] = [
    ["c", 1, "c"],
    ["", 1, undefined],
    ["c", 2, undefined],
    ["Cd", 1, "d"],
    ["Cd", 2, "C"],
    ["cCd", 3, "c"],
    ["CCd", 2, "C"],
    ["CCd", 1, "d"],
    ["db", 1, undefined],
    ["db", 2, undefined],
    ["Cdb", 1, undefined],
    ["Cdb", 2, "C"],
    ["Cdb", 3, "C"],
    ["bbd", 2, "b"],
    ["bbdd", 2, undefined],
    ["mmb", 2, "m"],
    ["mmbb", 2, "m"],
    ["mM", 1, undefined],
    ["bdd", 3, undefined],
  ];
  for (const [tips, threshold, result] of cases) {
    it(`of [${[...tips]}] with threshold ${threshold} is ${result}`, async () => {
      const graph = new CommitGraph();
      const rows: number[] = [];
      for (const tip of tips) rows.push((await graph.load(repository, oids[tip]!, new Task()))!);
      const found = await findQuorum(graph, rows, threshold, new Task());
      assert.equal(found === undefined ? undefined : names.get(graph.commits.oidOf(found)), result);
    });
  }
});
