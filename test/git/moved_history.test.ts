/** Histories that another thread has read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { makeHistory } from "../../src/diff_service/worker/history.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import type { HistoryOutcome } from "../../src/ports/made_history.ts";
import type { Repository, Storage } from "../../src/ports/storage.ts";
import { createMemoryStorage, type MemoryRepository } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const LONG = 600;
/** Commits of a history that takes less time than the start of a worker. */
const SHORT = 10;

/** A repository with about so many objects, as it says. */
function counted(repository: MemoryRepository, objectCount = 10 ** 6): Repository {
  return { ...repository, objectCount: () => objectCount };
}

/** A long history with merges, several authors, and times that go back now and then. */
function longHistory(repository: MemoryRepository, absent: readonly Oid[] = []): Oid[] {
  const commits: Oid[] = [];
  for (let i = 0; i < LONG; i++) {
    const others = i % 7 === 3 ? [commits[i - 3]!] : [];
    const parents = i === 0 ? absent : [commits[i - 1]!, ...others];
    commits.push(
      putCommit(repository, {
        folder: {},
        parents,
        message: `${i}`,
        timeSeconds: 1000 + i - (i % 11 === 0 ? 15 : 0),
        person: `Author ${i % 5} <${i % 5}@radicle.xyz>`,
      }),
    );
  }
  return commits;
}

/** Reads a history as a worker does; the message is moved to this thread. */
async function readBeside(repository: Repository, oid: Oid): Promise<HistoryOutcome> {
  const storage: Storage = { repositoryIds: () => [], repository: () => repository };
  return structuredClone(await makeHistory(storage, { rid: RID, oid }));
}

/** All that requests ask of an index. */
async function answersOf(graph: CommitGraph, tip: number) {
  const rows = [...graph.walk(tip)];
  return {
    order: rows.map((row) => graph.commits.oidOf(row)),
    trees: rows.map((row) => graph.commits.treeOf(row)),
    parents: rows.map((row) =>
      Array.from({ length: graph.commits.parentCount(row) }, (_, i) => {
        const parent = graph.commits.parentOf(row, i);
        return graph.commits.isReadable(parent) ? graph.commits.oidOf(parent) : "absent";
      })
    ),
    times: await graph.timesAfter(tip, 0, new Task()),
    count: await graph.count(tip),
    reach: await graph.ancestors(tip),
  };
}

describe("a history that a worker has read", () => {
  it("answers as one that was read here, and grows", async () => {
    const plain = createMemoryStorage().create(RID);
    const commits = longHistory(plain);
    const repository = counted(plain);
    let asked = 0;
    const moved = new CommitGraph({
      readElsewhere(from, oid) {
        asked++;
        return readBeside(from, oid);
      },
    });
    const here = new CommitGraph();
    for (const oid of [commits.at(-1)!, commits[300]!]) {
      const [a, b] = [await moved.load(repository, oid, new Task()), await here.load(plain, oid, new Task())];
      assert.deepEqual(await answersOf(moved, a!), await answersOf(here, b!));
    }
    assert.equal(moved.commits.size, LONG);
    const next = putCommit(plain, {
      folder: { new: "" },
      parents: [commits.at(-1)!, commits[3]!],
      message: "next",
      person: "Author 3 <3@radicle.xyz>",
    });
    const [a, b] = [await moved.load(repository, next, new Task()), await here.load(plain, next, new Task())];
    assert.deepEqual(await answersOf(moved, a!), await answersOf(here, b!));
    assert.deepEqual(await moved.count(a!), { commits: LONG + 1, contributors: 5 });
    assert.ok(moved.snapshot);
    assert.equal(asked, 1);
  });

  it("is the same in whichever order the storage has commits, and whatever it leaves out", async () => {
    const plain = createMemoryStorage().create(RID);
    const commits = longHistory(plain);
    const tip = commits.at(-1)!;
    const [other, orphan, absent] = [
      putCommit(plain, { folder: {}, parents: [commits[5]!], message: "of another branch" }),
      putCommit(plain, { folder: {}, message: "of no other" }),
      putCommit(createMemoryStorage().create(RID), { folder: {}, message: "elsewhere" }),
    ];
    const shallow = putCommit(plain, { folder: {}, parents: [absent], message: "of an absent one" });
    const here = new CommitGraph();
    const wanted = await answersOf(here, (await here.load(plain, tip, new Task()))!);
    const damaged = { oid: oidToBytes(commits[300]!), start: new TextEncoder().encode("tree of no commit") };
    const orders = {
      all: commits,
      "newest first": commits.toReversed(),
      none: [],
      "some, one of them twice": commits.filter((_, i) => i % 3 > 0).concat(commits.slice(0, 9)),
      "others, too": [orphan, ...commits.toReversed(), other],
      "others, and not all": [...commits.slice(0, -1), other, orphan],
      "one without its parent": [...commits, shallow],
    };
    for (const [order, oids] of Object.entries(orders)) {
      const stored = oids.map((oid) => ({ oid: oidToBytes(oid), start: plain.object(oid)!.bytes }));
      const repository = { ...counted(plain), storedCommits: () => [damaged, ...stored] };
      const moved = new CommitGraph({ readElsewhere: readBeside });
      const row = await moved.load(repository, tip, new Task());
      assert.deepEqual(await answersOf(moved, row!), wanted, order);
      assert.equal(moved.commits.size, LONG, order);
      assert.ok(moved.snapshot, order);
    }
  });

  it("finds its missing parents when they come, also between the two threads", async () => {
    for (const comesBefore of [true, false]) {
      const [plain, elsewhere] = [createMemoryStorage().create(RID), createMemoryStorage().create(RID)];
      const put = (repository: MemoryRepository) => putCommit(repository, { folder: {}, message: "first" });
      const first = put(elsewhere);
      const tip = longHistory(plain, [first]).at(-1)!;
      let version = 1;
      const repository = { ...counted(plain), objectsVersion: () => version };
      const graph = new CommitGraph({
        async readElsewhere(from, oid) {
          const made = await readBeside(from, oid);
          if (comesBefore) put(plain);
          return made;
        },
      });
      const row = (await graph.load(repository, tip, new Task()))!;
      if (!comesBefore) {
        await assert.rejects(graph.count(row), DamagedError);
        put(plain);
        version++;
        await graph.load(repository, tip, new Task());
      }
      assert.equal((await graph.count(row)).commits, LONG + 1);
      assert.equal([...graph.walk(row)].length, LONG + 1);
    }
  });

  it("is read here when the worker has not read it", async () => {
    const plain = createMemoryStorage().create(RID);
    const tip = longHistory(plain).at(-1)!;
    const graph = new CommitGraph({ readElsewhere: () => Promise.resolve(undefined) });
    const row = await graph.load(counted(plain), tip, new Task());
    assert.equal((await graph.count(row!)).commits, LONG);
  });

  it("is refused when it has too many commits for an index", async () => {
    const plain = createMemoryStorage().create(RID);
    const tip = longHistory(plain).at(-1)!;
    const error = { name: "HistoryTooLongError" };
    let asked = 0;
    const graph = new CommitGraph({
      readElsewhere() {
        asked++;
        return Promise.resolve("tooLong");
      },
    });
    await assert.rejects(graph.load(counted(plain), tip, new Task()), error);
    await assert.rejects(graph.load(counted(plain), tip, new Task()), error);
    assert.equal(asked, 1);
    const small = new CommitGraph({ readElsewhere: readBeside, maxCommits: LONG - 1 });
    await assert.rejects(small.load(counted(plain), tip, new Task()), error);
  });

  it("is asked for only where it is long, and shows how far it is", async () => {
    const plain = createMemoryStorage().create(RID);
    const commits = longHistory(plain);
    const asked: Oid[] = [];
    const lines: (string | undefined)[] = [];
    const create = () =>
      new CommitGraphs({
        log: (...line) => assert.fail(line.join(" ")),
        progress: (line) => lines.push(line),
        async readHistory(_rid, oid, onProgress) {
          asked.push(oid);
          onProgress(5000);
          return await readBeside(counted(plain), oid);
        },
      });
    const load = async (repository: Repository, oid: Oid) => {
      const graphs = create();
      const graph = graphs.of(RID);
      const row = await graph.load(repository, oid, new Task());
      await graphs.close();
      return (await graph.count(row!)).commits;
    };
    assert.equal(await load(counted(plain, LONG), commits.at(-1)!), LONG);
    assert.equal(await load(counted(plain), commits[SHORT - 1]!), SHORT);
    assert.deepEqual([asked, lines], [[], []]);
    assert.equal(await load(counted(plain), commits.at(-1)!), LONG);
    assert.deepEqual(asked, [commits.at(-1)]);
    assert.deepEqual(lines, [`Reading the history of ${RID}: 5000 commits`, undefined]);
  });
});
