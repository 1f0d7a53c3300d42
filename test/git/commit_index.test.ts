/** The order of history, what contains what, and the counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitIndex } from "../../src/git/commit_index.ts";
import { findLastCommit } from "../../src/git/last_commit.ts";
import { splitPath } from "../../src/git/objects.ts";
import { findQuorum } from "../../src/identity/head.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";

/** A history drawn as name → [parents, time in seconds, content of the one file]. */
type Drawing = Record<string, [parents: string, timeSeconds: number, content?: string]>;

function draw(drawing: Drawing) {
  const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const oids: Record<string, Oid> = {};
  for (const [name, [parents, timeSeconds, content = name]] of Object.entries(drawing)) {
    oids[name] = putCommit(repository, {
      folder: { file: content },
      parents: [...parents].map((parent) => oids[parent]!),
      message: name,
      timeSeconds,
      person: name === name.toUpperCase() ? "Up <up@x>" : "Low <low@x>",
    });
  }
  const names = new Map(Object.entries(oids).map(([name, oid]) => [oid, name]));
  return { repository, oids, names };
}

async function walk(drawing: Drawing, from: string): Promise<string> {
  const { repository, oids, names } = draw(drawing);
  const index = new CommitIndex();
  const tip = await index.load(repository, oids[from]!);
  return [...index.walk(tip!)].map((row) => names.get(index.oidOf(row))).join("");
}

describe("times after a second", () => {
  it("are the same list until one of them drops out, or another one comes in", async () => {
    const { repository, oids } = draw({ a: ["", 10], b: ["a", 20], c: ["b", 30], d: ["c", 40] });
    const index = new CommitIndex();
    const tip = (await index.load(repository, oids["d"]!))!;
    const times = index.timesAfter(tip, 15);
    assert.deepEqual(times, [40, 30, 20]);
    assert.equal(index.timesAfter(tip, 19), times);
    assert.deepEqual(index.timesAfter(tip, 20), [40, 30]);
    assert.deepEqual(index.timesAfter(tip, 15), [40, 30, 20]);
    assert.deepEqual(index.timesAfter(tip, 9), [40, 30, 20, 10]);
    assert.deepEqual(index.timesAfter(tip, 40), []);
    assert.deepEqual(index.timesAfter(tip, 39), [40]);
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

  it("leaves out what is missing, and finds it when it comes", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    let isHidden = true;
    const partial: MemoryRepository = {
      ...repository,
      objects: (wanted) =>
        repository.objects(wanted).map((object, i) => isHidden && wanted[i] === oids.b ? undefined : object),
    };
    const index = new CommitIndex();
    const count = async () => index.count((await index.load(partial, oids.c!))!).commits;
    assert.equal(await count(), 1);
    assert.equal(await index.load(partial, oids.b!), undefined);
    isHidden = false;
    assert.equal(await count(), 3);
  });

  it("loads a deep history without recursion, for many at once", async () => {
    const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    let tip = putCommit(repository, { folder: {}, message: "0" });
    for (let i = 1; i < 20_000; i++) {
      tip = putCommit(repository, { folder: {}, parents: [tip], message: String(i), timeSeconds: i });
    }
    const index = new CommitIndex();
    const rows = await Promise.all(Array.from({ length: 5 }, () => index.load(repository, tip)));
    assert.equal(index.count(rows[0]!).commits, 20_000);
    assert.deepEqual(new Set(rows).size, 1);
  });
});

describe("count and contains", () => {
  it("count commits and different authors of a history (2.5)", async () => {
    const { repository, oids } = draw({ a: ["", 1], B: ["a", 2], c: ["a", 3], D: ["Bc", 4] });
    const index = new CommitIndex();
    const rows = Object.fromEntries(
      await Promise.all(
        Object.entries(oids).map(async ([name, oid]) => [name, await index.load(repository, oid)]),
      ),
    );
    assert.deepEqual(index.count(rows.D), { commits: 4, contributors: 2 });
    assert.deepEqual(index.count(rows.c), { commits: 2, contributors: 1 });
    assert.ok(
      index.contains(rows.D, rows.a) && index.contains(rows.D, rows.D) && !index.contains(rows.c, rows.B),
    );
  });

  it("stay right when the history grows", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const index = new CommitIndex();
    const a = await index.load(repository, oids.a!);
    const b = await index.load(repository, oids.b!);
    assert.equal(index.count(b!).commits, 2);
    const c = await index.load(repository, oids.c!);
    assert.equal(index.count(c!).commits, 3);
    assert.ok(!index.contains(b!, c!) && index.contains(c!, a!));
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
    const index = new CommitIndex();
    const tip = await index.load(repository, oids.n!);
    const found = await findLastCommit(repository, index, tip!, splitPath("file"));
    assert.equal(names.get(found!), "m");
    assert.equal(await findLastCommit(repository, index, tip!, splitPath("nothing")), undefined);
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
      const index = new CommitIndex();
      const rows: number[] = [];
      for (const tip of tips) rows.push((await index.load(repository, oids[tip]!))!);
      const found = findQuorum(index, rows, threshold);
      assert.equal(found === undefined ? undefined : names.get(index.oidOf(found)), result);
    });
  }
});
