/** Histories from git's commit-graph files, compared with what git says without them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { encodeCommitGraph } from "../../src/git/commit_graph_writer.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import { findMergeBase } from "../../src/git/merge_base.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { Task } from "../../src/scheduling/task.ts";
import { makeFolder, removeFolder } from "../support/git.ts";
import { DrawnRepository, graphWithTable } from "./drawn_graph.ts";

const COMMITS = 10_000;
const TIPS = 20;
const PAIRS = 40;
/** Git reads the objects themselves. */
const WITHOUT_GRAPH = ["-c", "core.commitGraph=false"];

describe("the history of 10,000 commits from git's commit graph", () => {
  let folder: string;
  before(() => {
    folder = makeFolder();
  });
  after(() => removeFolder(folder));

  const drawn = (name: string) => new DrawnRepository(join(folder, name), 7);

  it("is git's, from one file, and no commit is read", async () => {
    const repository = drawn("single");
    repository.add(COMMITS);
    repository.writeGraph();
    await compare(repository, 0);
  });

  it("is git's, from a chain of files", async () => {
    const repository = drawn("chain");
    for (const commits of [COMMITS / 2, COMMITS / 4, COMMITS / 4]) {
      repository.add(commits);
      repository.writeGraph("--split=no-merge");
    }
    const names = readFileSync(join(repository.git.path, "objects/info/commit-graphs/commit-graph-chain"));
    assert.equal(names.toString().trim().split("\n").length, 3);
    await compare(repository, 0);
  });

  it("is git's, from the file that this project writes, which git accepts", async () => {
    const repository = drawn("written");
    repository.add(COMMITS);
    const { repository: opened } = repository.open();
    const columns = await new CommitGraphs({ log: () => {} }).table(opened, repository.oids, new Task());
    const written = columns && await encodeCommitGraph(columns, new Task());
    assert.equal(columns?.times.length, COMMITS);
    const path = join(repository.git.path, "objects/info/commit-graphs");
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, `graph-${written!.name}.graph`), written!.bytes);
    writeFileSync(join(path, "commit-graph-chain"), `${written!.name}\n`);
    repository.git.run(["commit-graph", "verify"]);
    await compare(repository, 0);
  });

  it("is git's, with filters of changed paths", async () => {
    const repository = drawn("filters");
    repository.add(COMMITS / 10);
    repository.writeGraph("--changed-paths");
    await compare(repository, 0);
  });

  it("is git's, when newer commits are in no file", async () => {
    const repository = drawn("stale");
    repository.add(COMMITS - 500);
    repository.writeGraph();
    repository.add(500);
    await compare(repository, 500);
  });
});

/** Compares counts, rows, walks and merge bases. At most `unknown` commits may be read. */
async function compare(drawn: DrawnRepository, unknown: number): Promise<void> {
  const { git, random, oids } = drawn;
  const { repository, objectsRead } = drawn.open();
  const graph = graphWithTable();
  const load = async (oid: Oid) => (await graph.load(repository, oid, new Task()))!;

  const format = ["log", "--stdin", "--no-walk=unsorted", "--format=%H %T %ct %P"];
  const lines = git.text([...WITHOUT_GRAPH, ...format], oids.join("\n")).split("\n");
  assert.equal(lines.length, oids.length);
  for (const oid of oids) await load(oid);
  assert.equal(graph.commits.size, oids.length);
  for (const line of lines) {
    const [oid, tree, time, ...parents] = line.trim().split(" ");
    const row = await load(oid as Oid);
    assert.equal(graph.commits.treeOf(row), tree);
    assert.equal(graph.commits.timeOf(row), Number(time));
    const found = Array.from(
      { length: graph.commits.parentCount(row) },
      (_, i) => graph.commits.parentOf(row, i),
    );
    assert.deepEqual(found.map((parent) => graph.commits.oidOf(parent)), parents);
  }
  for (let i = 0; i < TIPS; i++) {
    const tip = random.pick(oids);
    const count = Number(git.text([...WITHOUT_GRAPH, "rev-list", "--count", tip]));
    assert.equal(await graph.countCommits(await load(tip)), count);
  }
  for (let i = 0; i < PAIRS; i++) {
    const [one, two] = [random.pick(oids), random.pick(oids)];
    const base = await findMergeBase(graph, await load(one), await load(two), new Task());
    const all = bases([...WITHOUT_GRAPH, "merge-base", "--all", one, two]);
    assert.ok(base === undefined ? all.length === 0 : all.includes(graph.commits.oidOf(base)));
  }
  assert.ok(objectsRead() <= unknown, `${objectsRead()} objects were read`);
  assert.deepEqual(drawn.log, []);

  // The order of history and the authors are those of commits that are read.
  const read = new CommitGraph();
  const tip = oids.at(-1)!;
  const other = (await read.load(repository, tip, new Task()))!;
  const orderOf = (graph: CommitGraph, row: number) =>
    [...graph.walk(row)].map((row) => graph.commits.oidOf(row));
  assert.deepEqual(orderOf(graph, await load(tip)), orderOf(read, other));
  assert.deepEqual(await graph.count(await load(tip), repository), await read.count(other));
  drawn.close();

  function bases(args: string[]): string[] {
    try {
      return git.text(args).split("\n");
    } catch {
      return [];
    }
  }
}
