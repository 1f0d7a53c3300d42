/** The order of history, what contains what, and the counts. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitIndex, MISSING_ASKED_AGAIN } from "../../src/git/commit_index.ts";
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

/** A repository that lacks some objects, and counts those that it is asked for. */
function hiding(repository: MemoryRepository) {
  const hidden = new Set<Oid>();
  let [version, asked] = [1, 0];
  const look = <T>(oid: Oid, found: T | undefined) => {
    asked++;
    return hidden.has(oid) ? undefined : found;
  };
  return {
    hide: (oid: Oid) => void hidden.add(oid),
    show(oid: Oid) {
      hidden.delete(oid);
      version++;
    },
    change: () => void version++,
    asked() {
      const before = asked;
      asked = 0;
      return before;
    },
    repository: {
      ...repository,
      header: (oid: Oid) => look(oid, repository.header(oid)),
      object: (oid: Oid) => look(oid, repository.object(oid)),
      objects: (oids: readonly Oid[]) => oids.map((oid) => look(oid, repository.object(oid))),
      ...(repository.objectsVersion !== undefined && { objectsVersion: () => version }),
    } as MemoryRepository,
  };
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
    const times = await index.timesAfter(tip, 15);
    assert.deepEqual(times, [40, 30, 20]);
    assert.equal(await index.timesAfter(tip, 19), times);
    assert.deepEqual(await index.timesAfter(tip, 20), [40, 30]);
    assert.deepEqual(await index.timesAfter(tip, 15), [40, 30, 20]);
    assert.deepEqual(await index.timesAfter(tip, 9), [40, 30, 20, 10]);
    assert.deepEqual(await index.timesAfter(tip, 40), []);
    assert.deepEqual(await index.timesAfter(tip, 39), [40]);
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
    const partial = hiding(repository);
    partial.hide(oids.b!);
    const index = new CommitIndex();
    const count = async () => (await index.count((await index.load(partial.repository, oids.c!))!)).commits;
    assert.equal(await count(), 1);
    assert.equal(await index.load(partial.repository, oids.b!), undefined);
    partial.show(oids.b!);
    assert.equal(await count(), 3);
  });

  it("finds what was missing some time, where the storage does not tell that objects have come", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const { objectsVersion: _, ...silent } = repository;
    const partial = hiding(silent as MemoryRepository);
    partial.hide(oids.b!);
    const index = new CommitIndex();
    const count = async () => (await index.count((await index.load(partial.repository, oids.c!))!)).commits;
    assert.equal(await count(), 1);
    partial.show(oids.b!);
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
    assert.equal((await index.count(rows[0]!)).commits, 20_000);
    assert.deepEqual(new Set(rows).size, 1);
  });
});

describe("what is not there", () => {
  const absent = (i: number) => (i + 1).toString(16).padStart(40, "0") as Oid;

  it("has no row, and is looked for when it is asked for", async () => {
    const { repository, oids } = draw({ a: ["", 1] });
    const counted = hiding(repository);
    const index = new CommitIndex();
    await index.load(counted.repository, oids.a!);
    counted.asked();
    for (let i = 0; i < 3000; i++) assert.equal(await index.load(counted.repository, absent(i)), undefined);
    assert.ok(counted.asked() <= 2 * 3000);
    assert.equal(index.size, 1);
    await index.load(counted.repository, oids.a!);
    assert.equal(counted.asked(), 0);
  });

  it("is asked for again when the objects have changed, not more than a bounded number at a time", async () => {
    const { repository } = draw({});
    const parents = Array.from({ length: 3 * MISSING_ASKED_AGAIN }, (_, i) => absent(i));
    const tip = putCommit(repository, { folder: {}, parents, message: "octopus" });
    const counted = hiding(repository);
    const index = new CommitIndex();
    const load = () => index.load(counted.repository, tip);
    const row = (await load())!;
    assert.equal(counted.asked(), 1 + parents.length);
    assert.deepEqual(await index.count(row), { commits: 1, contributors: 1 });
    await load();
    assert.equal(counted.asked(), 0);
    counted.change();
    await load();
    assert.equal(counted.asked(), MISSING_ASKED_AGAIN);
    await load();
    assert.equal(counted.asked(), 0);
    assert.equal(index.size, 1);
  });

  it("is found in the end, whichever of many it is", async () => {
    const { repository } = draw({});
    const late = putCommit(repository, { folder: { late: "" }, message: "late" });
    const many = Array.from({ length: 2 * MISSING_ASKED_AGAIN }, (_, i) => absent(i));
    const tip = putCommit(repository, { folder: {}, parents: [...many, late, ...many], message: "octopus" });
    const partial = hiding(repository);
    partial.hide(late);
    const index = new CommitIndex();
    const count = async () => (await index.count((await index.load(partial.repository, tip))!)).commits;
    assert.equal(await count(), 1);
    partial.show(late);
    const counts: number[] = [];
    for (let i = 0; i < 4; i++, partial.change()) counts.push(await count());
    assert.equal(counts.at(-1), 2);
  });

  it("is remembered while it cannot be read, until the objects change", async () => {
    const { repository } = draw({});
    const damaged = repository.put("commit", new TextEncoder().encode("tree of no kind\n"));
    const counted = hiding(repository);
    const index = new CommitIndex();
    for (let i = 0; i < 3; i++) assert.equal(await index.load(counted.repository, damaged), undefined);
    const first = counted.asked();
    assert.equal(await index.load(counted.repository, damaged), undefined);
    assert.equal(counted.asked(), 0);
    counted.change();
    assert.equal(await index.load(counted.repository, damaged), undefined);
    assert.equal(counted.asked(), first);
  });
});

describe("a history that is too long", () => {
  it("is refused, others of its repository are not", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3], d: ["c", 4], x: ["", 5] });
    const counted = hiding(repository);
    const index = new CommitIndex({ maxCommits: 3 });
    assert.notEqual(await index.load(counted.repository, oids.b!), undefined);
    const tooLong = { name: "ApiError", code: "payloadTooLarge" };
    await assert.rejects(index.load(counted.repository, oids.d!), tooLong);
    counted.asked();
    await assert.rejects(index.load(counted.repository, oids.d!), tooLong);
    assert.equal(counted.asked(), 0);
    const known = await index.load(counted.repository, oids.b!);
    assert.deepEqual(await index.count(known!), { commits: 2, contributors: 1 });
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
    assert.deepEqual(await index.count(rows.D), { commits: 4, contributors: 2 });
    assert.deepEqual(await index.count(rows.c), { commits: 2, contributors: 1 });
    assert.ok(await index.contains(rows.D, rows.a) && await index.contains(rows.D, rows.D));
    assert.ok(!await index.contains(rows.c, rows.B));
  });

  it("tell authors apart by what is shown of them", async () => {
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
    const index = new CommitIndex();
    const { contributors } = await index.count((await index.load(repository, tip!))!);
    assert.equal(contributors, people.length);
    assert.equal(index.snapshot!.authors.size, people.length);
  });

  it("stay right when the history grows", async () => {
    const { repository, oids } = draw({ a: ["", 1], b: ["a", 2], c: ["b", 3] });
    const index = new CommitIndex();
    const a = await index.load(repository, oids.a!);
    const b = await index.load(repository, oids.b!);
    assert.equal((await index.count(b!)).commits, 2);
    const c = await index.load(repository, oids.c!);
    assert.equal((await index.count(c!)).commits, 3);
    assert.ok(!await index.contains(b!, c!) && await index.contains(c!, a!));
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
      const found = await findQuorum(index, rows, threshold);
      assert.equal(found === undefined ? undefined : names.get(index.oidOf(found)), result);
    });
  }
});
