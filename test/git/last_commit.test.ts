/** Last commits of paths, found through lists of changed paths, are those that the plain walk finds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { findLastCommit } from "../../src/git/path_history.ts";
import { findPath, splitPath } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { randomHistory } from "./random_history.ts";
import { Task } from "../../src/scheduling/task.ts";

const COMMITS = 60;

/** The rule, word by word. */
async function plainLastCommit(
  repository: Repository,
  graph: CommitGraph,
  tip: number,
  path: string,
): Promise<Oid | undefined> {
  const at = async (row: number) => {
    const entry = await findPath(repository, graph.commits.treeOf(row), splitPath(path), new Task());
    return entry && `${entry.mode} ${entry.oid}`;
  };
  for (const row of graph.walk(tip)) {
    const parent = graph.commits.firstParentOf(row);
    if (await at(row) !== (parent === undefined ? undefined : await at(parent))) {
      return graph.commits.oidOf(row);
    }
  }
  return undefined;
}

const DAMAGED = "damaged";

/** All answers on a history from some tips, by a function. */
async function answers(
  find: (tip: Oid, path: string) => Promise<Oid | undefined>,
  tips: readonly Oid[],
  paths: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const tip of tips) {
    for (const path of paths) {
      const answer = await find(tip, path).catch((error) => {
        assert.ok(error instanceof DamagedError, error);
        return DAMAGED;
      });
      found.push(answer === DAMAGED ? DAMAGED : `${path} ${answer}`);
    }
  }
  return found;
}

/** A repository in which some objects cannot be found. */
function without(repository: Repository, hidden: (oid: Oid) => boolean): Repository {
  return {
    rid: repository.rid,
    ref: (name) => repository.ref(name),
    refs: (prefix) => repository.refs(prefix),
    header: (oid) => hidden(oid) ? undefined : repository.header(oid),
    object: (oid) => hidden(oid) ? undefined : repository.object(oid),
    objects: async (oids) =>
      (await repository.objects(oids)).map((object, i) => hidden(oids[i]!) ? undefined : object),
  };
}

function plainOf(repository: Repository) {
  const graph = new CommitGraph();
  return async (tip: Oid, path: string) => {
    const row = await graph.load(repository, tip, new Task());
    return row === undefined ? undefined : await plainLastCommit(repository, graph, row, path);
  };
}

function listedOf(repository: Repository, graphs: CommitGraphs, isSettled: boolean) {
  return async (tip: Oid, path: string) => {
    const graph = graphs.of(repository.rid);
    const row = await graph.load(repository, tip, new Task());
    if (isSettled) await graphs.settle();
    return row === undefined
      ? undefined
      : await findLastCommit({ objects: repository, graph, task: new Task() }, row, splitPath(path));
  };
}

const newIndexes = () => new CommitGraphs({ log: (...line) => assert.fail(line.join(" ")) });

describe("findLastCommit", () => {
  let damaged = 0;
  for (let seed = 1; seed <= 12; seed++) {
    const { repository, commits, paths } = randomHistory(seed, COMMITS);
    const tips = [commits.at(-1)!, commits.at(-2)!, commits[COMMITS >> 1]!];

    it(`agrees with the plain walk when all commits are listed (${seed})`, async () => {
      const expected = await answers(plainOf(repository), tips, paths);
      assert.deepEqual(await answers(listedOf(repository, newIndexes(), true), tips, paths), expected);
    });

    it(`agrees with it when only older commits are listed, and after the history grew (${seed})`, async () => {
      const graphs = newIndexes();
      await graphs.of(repository.rid).load(repository, tips[2]!, new Task());
      await graphs.settle();
      const expected = await answers(plainOf(repository), tips, paths);
      assert.deepEqual(await answers(listedOf(repository, graphs, false), tips, paths), expected);
      assert.deepEqual(await answers(listedOf(repository, graphs, true), tips, paths), expected);
    });

    it(`agrees with it, or is damaged, while commits or folders are missing (${seed})`, async () => {
      const lost = new Set([commits[COMMITS - 7]!, commits[COMMITS - 20]!]);
      const tree = await findPath(
        repository,
        await treeOf(repository, commits[COMMITS - 4]!),
        splitPath("a"),
        new Task(),
      );
      if (tree?.mode === 0o040000) lost.add(tree.oid);
      const partial = without(repository, (oid) => lost.has(oid));
      const graphs = newIndexes();
      const complete = await answers(plainOf(repository), tips, paths);
      const found = await answers(listedOf(partial, graphs, true), tips, paths);
      assert.deepEqual(found.filter((answer, i) => answer !== DAMAGED && answer !== complete[i]), []);
      damaged += found.filter((answer) => answer === DAMAGED).length;
      lost.clear();
      assert.deepEqual(await answers(listedOf(partial, graphs, true), tips, paths), complete);
    });
  }

  it("is damaged in some of these histories", () => assert.ok(damaged > 0));

  it("takes a name with any byte literally", async () => {
    const { repository, commits } = randomHistory(1, 5);
    const find = listedOf(repository, newIndexes(), true);
    for (const path of ["*", "[a]", "a\0", "ä", " "]) assert.equal(await find(commits[4]!, path), undefined);
  });
});

async function treeOf(repository: Repository, commit: Oid): Promise<Oid> {
  const graph = new CommitGraph();
  const row = await graph.load(repository, commit, new Task());
  return graph.commits.treeOf(row!);
}
