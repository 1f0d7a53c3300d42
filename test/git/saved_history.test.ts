/** Saved histories: an index that reads one block by block answers like one that reads the commits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageOfHistory, rowsDownTo } from "../../src/browse/history.ts";
import { UnavailableError } from "../../src/errors.ts";
import { historyStats, loadBranches } from "../../src/git/branches.ts";
import type { CommitGraph } from "../../src/git/commit_graph.ts";
import { CommitGraphs, saveHistory } from "../../src/git/commit_graphs.ts";
import { findLastChange, findLastCommit, pathHistory } from "../../src/git/path_history.ts";
import { findMergeBase } from "../../src/git/merge_base.ts";
import { splitPath } from "../../src/git/objects.ts";
import { blockSizes, HISTORY_NAME } from "../../src/git/saved_history.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { DerivedFile } from "../../src/ports/derived_data.ts";
import type { Repository } from "../../src/ports/storage.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createMemoryDerived, withDerived } from "../support/derived.ts";
import { putCommit } from "../support/world.ts";
import { numbers, randomHistory } from "./random_history.ts";
import { Task } from "../../src/scheduling/task.ts";

const NOW_SECONDS = 1_700_010_000;
const COUNT = 1100;

const createIndexes = () => new CommitGraphs({ log: () => {} });

/** A repository with its history saved, and what another process reads of it. */
async function createSetting(repository: MemoryRepository, tip: Oid, blockRows?: readonly number[]) {
  repository.setRef("refs/heads/main", tip);
  repository.setSymbolicRef("HEAD", "refs/heads/main");
  const derived = createMemoryDerived();
  const reads: string[] = [];
  const publisher = createIndexes();
  const save = async () => {
    derived.written.length = 0;
    const write = (file: DerivedFile) => derived.write(file);
    const graph = publisher.of(repository.rid);
    const tip = (await graph.load(repository, repository.ref("refs/heads/main")!.oid!, new Task()))!;
    await publisher.settle();
    const root = blockRows === undefined
      ? await publisher.save(repository, NOW_SECONDS, derived, write, new Task())
      : await saveHistory({
        task: new Task(),
        rid: repository.rid,
        graph,
        tip,
        nowSeconds: NOW_SECONDS,
        earlier: derived,
        write,
        blockRows,
      });
    assert.equal(root?.name, HISTORY_NAME);
    derived.publish(root);
    return root;
  };
  await save();
  return { derived, reads, save, replica: withDerived(repository, derived, (oid) => reads.push(oid)) };
}

/** Questions about a history, by name. They tell commits by their ids. */
const QUESTIONS: Record<
  string,
  (
    graph: CommitGraph,
    repository: Repository,
    tip: number,
    below: (limit: number) => number,
    path: string,
  ) => unknown
> = {
  async page(graph, _repository, tip, below) {
    const range = { page: below(20), perPage: below(60), since: undefined, until: undefined };
    const page = await pageOfHistory(
      { graph, task: new Task() },
      tip,
      range,
      below(2) === 0 ? undefined : COUNT,
    );
    const commits: unknown[] = [];
    for await (const row of page.rows) {
      commits.push(graph.commits.oidOf(row), graph.commits.treeOf(row), graph.commits.timeOf(row));
      for (let i = 0; i < graph.commits.parentCount(row); i++) {
        commits.push(graph.commits.oidOf(graph.commits.parentOf(row, i)));
      }
    }
    return { ...page, rows: commits };
  },
  async times(graph, _repository, tip, below) {
    return await graph.timesAfter(tip, 1_700_000_000 + below(COUNT), new Task());
  },
  async stats(graph, repository, tip) {
    return await historyStats({ objects: repository, graph, task: new Task() }, tip);
  },
  async last(graph, repository, tip, _below, path) {
    return await findLastCommit({ objects: repository, graph, task: new Task() }, tip, splitPath(path));
  },
  async change(graph, repository, tip, _below, path) {
    return await findLastChange({ objects: repository, graph, task: new Task() }, tip, path);
  },
  async path(graph, repository, tip, _below, path) {
    const rows: Oid[] = [];
    for await (const row of pathHistory({ objects: repository, graph, task: new Task() }, tip, path, {})) {
      rows.push(graph.commits.oidOf(row));
    }
    return rows;
  },
  async branches(graph, repository, tip) {
    return await (await loadBranches({ objects: repository, graph, task: new Task() })).containing([tip]);
  },
  async between(graph, _repository, tip, below) {
    await graph.whole();
    const other = graph.walk(tip).at(below(50));
    return [...rowsDownTo(graph, other ?? tip, tip)].map((row) => graph.commits.oidOf(row));
  },
  async base(graph, _repository, tip, below) {
    await graph.prepare(tip, 40);
    const base = await findMergeBase(graph, tip, graph.walk(tip).at(below(30)) ?? tip, new Task());
    return base === undefined ? undefined : graph.commits.oidOf(base);
  },
};

/** The commit with the longest history. */
async function longest(repository: Repository, commits: readonly Oid[]): Promise<Oid> {
  const graph = createIndexes().of(repository.rid);
  let [best, most] = [commits[0]!, 0];
  for (const commit of commits) {
    const count = await graph.count((await graph.load(repository, commit, new Task()))!);
    if (count.commits > most) [best, most] = [commit, count.commits];
  }
  return best;
}

/** A line of commits. `add` puts some more on top. */
function createLine(count: number) {
  const { repository, commits } = randomHistory(1, 1);
  const line = [commits[0]!];
  const add = (more: number) => {
    for (let i = 0; i < more; i++) {
      const n = line.length;
      line.push(
        putCommit(repository, {
          folder: { [`file${n % 7}`]: String(n) },
          parents: [line[n - 1]!],
          message: `${n}`,
          timeSeconds: 1_700_000_000 + n,
        }),
      );
    }
    repository.setRef("refs/heads/main", line.at(-1)!);
    return line.at(-1)!;
  };
  add(count - 1);
  return { repository, line, add };
}

describe("a saved history", () => {
  it("is cut from the oldest commit on", () => {
    assert.deepEqual(blockSizes(5), [5]);
    assert.deepEqual(blockSizes(4096), [4096]);
    assert.deepEqual(blockSizes(2 * 131_072 + 3 * 4096 + 7), [7, 3 * 4096, 131_072, 131_072]);
    assert.deepEqual(blockSizes(131_072 + 7), [7, 131_072]);
    assert.deepEqual(blockSizes(82_000), [80, 81_920]);
  });

  for (const seed of [1, 2, 3]) {
    it(`answers like the commits, whatever is asked first (${seed})`, async () => {
      const { repository, commits, paths } = randomHistory(seed, COUNT);
      const tip = await longest(repository, commits);
      const { replica, reads, derived } = await createSetting(repository, tip, [16, 4]);
      assert.ok(derived.files.size > 8, `${derived.files.size} files`);
      // Some branches are in the history, and some are not.
      repository.setRef("refs/heads/older", commits[COUNT >> 1]!);
      repository.setRef(
        "refs/heads/other",
        putCommit(repository, {
          folder: {},
          parents: [commits[7]!],
          message: "x",
          timeSeconds: 1_700_000_100,
        }),
      );
      const fresh = createIndexes().of(repository.rid);
      const freshTip = (await fresh.load(repository, tip, new Task()))!;
      const below = numbers(seed);
      for (const [first, question] of Object.entries(QUESTIONS)) {
        const graph = createIndexes().of(repository.rid);
        const tipRow = (await graph.load(replica, tip, new Task()))!;
        for (const [name, next] of [[first, question] as const, ...Object.entries(QUESTIONS)]) {
          const [draw, path] = [below(1000), paths[below(paths.length)]!];
          const [actual, expected] = [
            await next(graph, replica, tipRow, numbers(draw), path),
            await next(fresh, repository, freshTip, numbers(draw), path),
          ];
          assert.deepEqual(actual, expected, `${name} after ${first}`);
        }
        for (const commit of [commits[3]!, commits[COUNT - 5]!]) {
          const row = await graph.load(replica, commit, new Task());
          assert.equal(row === undefined ? undefined : graph.commits.oidOf(row), commit);
        }
        assert.equal(await graph.load(replica, "f".repeat(40) as Oid, new Task()), undefined);
      }
      const isRead = new Set(reads);
      const history = [...fresh.walk(freshTip)].map((row) => fresh.commits.oidOf(row));
      assert.deepEqual(history.filter((commit) => isRead.has(commit)), []);
    });
  }

  it("of which a page and the summary are asked reads the newest blocks alone", async () => {
    const { repository, line } = createLine(2100);
    const { replica, derived, reads } = await createSetting(repository, line.at(-1)!, [1024]);
    const graph = createIndexes().of(repository.rid);
    const tip = (await graph.load(replica, line.at(-1)!, new Task()))!;
    assert.equal(derived.reads.length, 2, "the summary and a block of 52 rows");
    assert.deepEqual(await graph.count(tip), { commits: 2100, contributors: 1 });
    assert.equal((await graph.timesAfter(tip, 1_700_000_000, new Task())).length, 2099);
    const range = { page: 0, perPage: 30, since: undefined, until: undefined };
    for await (const row of (await pageOfHistory({ graph, task: new Task() }, tip, range, 2100)).rows) {
      assert.equal(graph.commits.oidOf(graph.commits.parentOf(row, 0)), line[2100 - 2 - row]);
    }
    assert.equal(derived.reads.length, 2);
    for await (
      const _ of (await pageOfHistory({ graph, task: new Task() }, tip, { ...range, page: 2 }, 2100)).rows
    ) { /* All. */ }
    assert.equal(derived.reads.length, 3);
    assert.deepEqual(reads, []);
  });

  it("is extended by new commits, of which only the newest block is written", async () => {
    const { repository, line, add } = createLine(1500);
    const { replica, derived, save } = await createSetting(repository, line.at(-1)!, [1024]);
    assert.equal(derived.written.length, 3);
    const graph = createIndexes().of(repository.rid);
    await graph.load(replica, line.at(-1)!, new Task());
    const tip = add(10);
    const row = (await graph.load(replica, tip, new Task()))!;
    assert.deepEqual(await graph.count(row), { commits: 1510, contributors: 1 });
    assert.equal(graph.commits.oidOf(graph.walk(row).at(1509)!), line[0]);
    await save();
    assert.equal(derived.written.length, 2);
    assert.equal(await createIndexes().of(repository.rid).load(replica, tip, new Task()), 0);
  });

  it("of which a part is loaded gives way to the one that was saved since", async () => {
    const { repository, line, add } = createLine(1500);
    const { replica, save, reads } = await createSetting(repository, line.at(-1)!, [1024]);
    const graphs = createIndexes();
    const graph = await graphs.current(replica);
    await graph.load(replica, line.at(-1)!, new Task());
    assert.equal(await graphs.current(replica), graph);
    const tip = add(600);
    await save();
    const next = await graphs.current(replica);
    assert.notEqual(next, graph);
    assert.equal(await next.load(replica, tip, new Task()), 0);
    assert.deepEqual(reads, []);
    await next.whole();
    // A whole index goes on.
    add(1);
    await save();
    assert.equal(await graphs.current(replica), next);
  });

  it("is not used if its summary or its newest block is absent or foreign", async () => {
    const { repository, line } = createLine(1500);
    const tip = line.at(-1)!;
    const { replica, derived } = await createSetting(repository, tip, [1024]);
    for (const [digest, bytes] of [...derived.files]) {
      for (const other of [undefined, bytes.slice(1), new Uint8Array(8)]) {
        if (other === undefined) derived.files.delete(digest);
        else derived.files.set(digest, other);
        const graphs = createIndexes();
        const graph = graphs.of(repository.rid);
        const row = (await graph.load(replica, tip, new Task()))!;
        // The oldest block is missed later, and only once.
        const count = async (graph: CommitGraph, row: number) => {
          await graph.whole();
          return await graph.count(row);
        };
        await count(graph, row).catch(async (error) => {
          assert.ok(error instanceof UnavailableError, String(error));
          const next = graphs.of(repository.rid);
          assert.notEqual(next, graph);
          return await count(next, (await next.load(replica, tip, new Task()))!);
        }).then((counts) => assert.deepEqual(counts, { commits: 1500, contributors: 1 }));
      }
      derived.files.set(digest, bytes);
    }
  });

  it("with missing commits is not saved", async () => {
    const { repository, line } = createLine(20);
    const lacking: Repository = {
      ...repository,
      objects: (oids) => oids.map((oid) => oid === line[3] ? undefined : repository.object(oid)),
      object: (oid) => oid === line[3] ? undefined : repository.object(oid),
      header: (oid) => oid === line[3] ? undefined : repository.header(oid),
    };
    repository.setSymbolicRef("HEAD", "refs/heads/main");
    assert.equal(
      await createIndexes().save(lacking, NOW_SECONDS, undefined, () => assert.fail(), new Task()),
      undefined,
    );
  });
});
