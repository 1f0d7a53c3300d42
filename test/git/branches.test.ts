/** Which branches contain a commit, whether there are few of them or very many. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UnavailableError } from "../../src/errors.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { countBranches, loadBranches } from "../../src/git/branches.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { randomHistory } from "./random_history.ts";
import { Task } from "../../src/scheduling/task.ts";

/** Commits of one question, fewer than are asked for together at most. */
const AT_ONCE = 20;

/** A history by chance with a branch on each of so many of its last commits, and what is asked of it. */
async function worldOf(commitCount: number, branchCount: number) {
  const { repository, commits } = randomHistory(11, commitCount);
  commits.slice(-branchCount).forEach((oid, i) =>
    repository.setRef(`refs/${i % 3 === 0 ? "remotes/x" : "heads"}/${i}`, oid)
  );
  const graph = new CommitGraph();
  const rows: number[] = [];
  for (const oid of commits) rows.push((await graph.load(repository, oid, new Task()))!);
  return {
    repository,
    graph,
    rows,
    branches: await loadBranches({ objects: repository, graph, task: new Task() }),
  };
}

describe("branches", () => {
  for (const count of [3, 60, 70, 150]) {
    it(`that contain a commit are found among ${count}`, async () => {
      const { repository, graph, rows, branches } = await worldOf(200, count);
      for (let at = 0; at < rows.length; at += AT_ONCE) {
        const wanted = rows.slice(at, at + AT_ONCE);
        const found = await branches.containing(wanted);
        for (const [i, row] of wanted.entries()) {
          const expected: string[] = [];
          for (
            const { name, oid } of [...repository.refs("refs/heads/"), ...repository.refs("refs/remotes/")]
          ) {
            if (await graph.contains(graph.commits.rowOf(oid!)!, row)) expected.push(name);
          }
          assert.deepEqual(found[i], expected);
        }
      }
    });
  }

  it("are searched together when there are many, without a history of each", async () => {
    const { graph, rows, branches } = await worldOf(300, 300);
    let histories = 0;
    const ancestors = graph.ancestors.bind(graph);
    graph.ancestors = (tip) => {
      histories++;
      return ancestors(tip);
    };
    const found = await branches.containing(rows.slice(0, AT_ONCE));
    assert.equal(histories, 0);
    assert.equal(found.length, AT_ONCE);
  });

  it("are counted once for a list of references, and again after a failure", async () => {
    const { repository } = randomHistory(11, 5);
    repository.setRef("refs/heads/one", repository.put("blob", new Uint8Array(1)));
    let [lookups, isAway] = [0, true];
    const objects: Repository = {
      ...repository,
      header(oid) {
        lookups++;
        if (isAway) throw new UnavailableError("away");
        return repository.header(oid);
      },
    };
    const count = () => countBranches({ objects, task: new Task() });
    await assert.rejects(count(), UnavailableError);
    isAway = false;
    lookups = 0;
    assert.equal(await count(), repository.refs("refs/heads/").length);
    const first = lookups;
    await count();
    assert.ok(first > 0 && lookups === first);
  });
});
