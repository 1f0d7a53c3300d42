/** Published histories: a commit graph with the details that git leaves out answers like the commits. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageOfHistory, rowsDownTo } from "../../src/browse/history.ts";
import { isUnreadable, UnavailableError } from "../../src/errors.ts";
import { historyStats, loadBranches } from "../../src/git/branches.ts";
import { decodeDetails, encodeDetails } from "../../src/git/commit_details.ts";
import type { CommitGraph } from "../../src/git/commit_graph.ts";
import { readCommitGraph } from "../../src/git/commit_graph_file.ts";
import { encodeCommitGraph } from "../../src/git/commit_graph_writer.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { findLastChange, findLastCommit, pathHistory } from "../../src/git/path_history.ts";
import { findMergeBase } from "../../src/git/merge_base.ts";
import { splitPath } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { HistoryColumns } from "../../src/ports/made_history.ts";
import type { Repository } from "../../src/ports/storage.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createRandom } from "../cob/random.ts";
import { withDerived } from "../support/derived.ts";
import { putCommit } from "../support/world.ts";
import { fileOf } from "./graph_file.ts";
import { numbers, randomHistory } from "./random_history.ts";
import { Task } from "../../src/scheduling/task.ts";

const COUNT = 1100;
/** Number of damaged details that are decoded. */
const MUTATIONS = 2000;

const createIndexes = () => new CommitGraphs({ log: () => {} });

/** The two files of a published history. */
interface Published {
  readonly graph: Uint8Array<ArrayBuffer>;
  readonly details: Uint8Array<ArrayBuffer>;
}

async function publish(repository: Repository, tips: readonly Oid[]): Promise<Published> {
  const columns = await createIndexes().table(repository, tips, new Task());
  assert.ok(columns !== undefined);
  const graph = await encodeCommitGraph(columns, new Task());
  const details = await encodeDetails(columns, new Task());
  assert.ok(graph !== undefined && details !== undefined);
  return { graph: graph.bytes, details };
}

async function readPublished({ graph, details }: Published): Promise<HistoryColumns> {
  const columns = await readCommitGraph([fileOf(graph)], 1_000_000, new Task());
  return { ...columns, ...await decodeDetails(details, columns.times.length, new Task()) };
}

/** A repository that offers a published history, and the ids of the objects that are read from it. */
function replicaOf(repository: MemoryRepository, published: Published) {
  const reads: string[] = [];
  const counted = withDerived(
    repository,
    { named: () => undefined, read: () => undefined },
    (oid) => reads.push(oid),
  );
  return { reads, replica: { ...counted, commitTable: () => readPublished(published) } };
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
  between(graph, _repository, tip, below) {
    const other = graph.walk(tip).at(below(50));
    return [...rowsDownTo(graph, other ?? tip, tip)].map((row) => graph.commits.oidOf(row));
  },
  async base(graph, _repository, tip, below) {
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

describe("a published history", () => {
  for (const seed of [1, 2, 3]) {
    it(`answers like the commits, whatever is asked first (${seed})`, async () => {
      const { repository, commits, paths } = randomHistory(seed, COUNT);
      const tip = await longest(repository, commits);
      repository.setRef("refs/heads/main", tip);
      repository.setSymbolicRef("HEAD", "refs/heads/main");
      const older = commits[COUNT >> 1]!;
      const { replica, reads } = replicaOf(repository, await publish(repository, [tip, older]));
      // Some branches are in the published history, and some are not.
      repository.setRef("refs/heads/older", older);
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

  it("is extended by new commits, which alone are read", async () => {
    const { repository, line, add } = createLine(1500);
    const { replica, reads } = replicaOf(repository, await publish(repository, [line.at(-1)!]));
    const graph = createIndexes().of(repository.rid);
    const row = (await graph.load(replica, add(10), new Task()))!;
    assert.deepEqual(await graph.count(row), { commits: 1510, contributors: 1 });
    assert.equal(graph.commits.oidOf(graph.walk(row).at(1509)!), line[0]);
    assert.deepEqual(new Set(reads), new Set(line.slice(1500)));
  });

  it("that cannot be read now is read later", async () => {
    const { repository, line } = createLine(50);
    const { replica, reads } = replicaOf(repository, await publish(repository, [line.at(-1)!]));
    const graph = createIndexes().of(repository.rid);
    const failing = { ...replica, commitTable: () => Promise.reject(new UnavailableError("Not now")) };
    await assert.rejects(graph.load(failing, line.at(-1)!, new Task()), UnavailableError);
    const row = (await graph.load(replica, line.at(-1)!, new Task()))!;
    assert.deepEqual(await graph.count(row), { commits: 50, contributors: 1 });
    assert.deepEqual(reads, []);
  });

  it("has the commits that its tips reach alone", async () => {
    const { repository, commits } = randomHistory(4, COUNT);
    const graphs = createIndexes();
    // Other commits are in the graph, too.
    for (const commit of commits) await graphs.of(repository.rid).load(repository, commit, new Task());
    const tips = [commits[40]!, commits[70]!, "e".repeat(40) as Oid];
    const columns = await graphs.table(repository, tips, new Task());
    const graph = graphs.of(repository.rid);
    const expected = new Set<Oid>();
    for (const tip of tips.slice(0, 2)) {
      const row = (await graph.load(repository, tip, new Task()))!;
      for (const one of graph.walk(row)) expected.add(graph.commits.oidOf(one));
    }
    assert.equal(columns?.times.length, expected.size);
  });

  it("whose details are damaged is refused, or has the same numbers of everything", async () => {
    const { repository, line } = createLine(50);
    const { details } = await publish(repository, [line.at(-1)!]);
    const random = createRandom(9);
    for (let i = 0; i < MUTATIONS; i++) {
      const bytes = details.slice(0, random.below(3) === 0 ? random.below(details.length) : undefined);
      for (let n = random.below(4); n > 0; n--) bytes[random.below(details.length)] = random.below(256);
      try {
        const { authors, listings, pathEnds } = await decodeDetails(bytes, 50, new Task());
        assert.deepEqual([authors.length, listings.length, pathEnds.length], [50, 50, 50]);
      } catch (error) {
        assert.ok(isUnreadable(error), String(error));
      }
    }
    await assert.rejects(decodeDetails(details, 49, new Task()), isUnreadable);
  });

  it("with missing commits is not published", async () => {
    const { repository, line } = createLine(20);
    const lacking: Repository = {
      ...repository,
      objects: (oids) => oids.map((oid) => oid === line[3] ? undefined : repository.object(oid)),
      object: (oid) => oid === line[3] ? undefined : repository.object(oid),
      header: (oid) => oid === line[3] ? undefined : repository.header(oid),
    };
    assert.equal(await createIndexes().table(lacking, [line.at(-1)!], new Task()), undefined);
  });
});
