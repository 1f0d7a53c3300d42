/** Where histories went apart, in drawings. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { findMergeBase } from "../../src/git/merge_base.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { putCommit } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

/** A history drawn as name → [parents, time in seconds]. */
type Drawing = Record<string, [parents: string, timeSeconds: number]>;

/** The name of the merge base of two commits of a drawing. */
async function baseOf(drawing: Drawing, one: string, two: string): Promise<string | undefined> {
  const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
  const oids: Record<string, Oid> = {};
  for (const [name, [parents, timeSeconds]] of Object.entries(drawing)) {
    oids[name] = putCommit(repository, {
      folder: {},
      parents: [...parents].map((parent) => oids[parent]!),
      message: name,
      timeSeconds,
    });
  }
  const graph = new CommitGraph();
  const rows = [
    await graph.load(repository, oids[one]!, new Task()),
    await graph.load(repository, oids[two]!, new Task()),
  ];
  const base = await findMergeBase(graph, rows[0]!, rows[1]!, new Task());
  return Object.keys(oids).find((name) => base !== undefined && oids[name] === graph.commits.oidOf(base));
}

describe("the merge base", () => {
  const FORK: Drawing = { a: ["", 1], b: ["a", 2], c: ["b", 3], d: ["b", 4], x: ["", 5] };
  /** Two branches merged into each other: `b` and `c` are both best. */
  const CRISS_CROSS: Drawing = { a: ["", 1], b: ["a", 2], c: ["a", 3], d: ["bc", 4], e: ["cb", 5] };

  it("is the last commit that two branches share", async () => {
    assert.equal(await baseOf(FORK, "c", "d"), "b");
    assert.equal(await baseOf(FORK, "d", "c"), "b");
  });

  it("of a commit and its ancestor is the ancestor, of a commit and itself the commit", async () => {
    assert.equal(await baseOf(FORK, "c", "a"), "a");
    assert.equal(await baseOf(FORK, "a", "c"), "a");
    assert.equal(await baseOf(FORK, "c", "c"), "c");
  });

  it("is missing where histories share nothing", async () => {
    assert.equal(await baseOf(FORK, "c", "x"), undefined);
  });

  it("is the newest of several after merges crosswise", async () => {
    assert.equal(await baseOf(CRISS_CROSS, "d", "e"), "c");
    assert.equal(await baseOf({ ...CRISS_CROSS, b: ["a", 3], c: ["a", 2] }, "d", "e"), "b");
  });

  it("is the first of the first history among several of one second", async () => {
    const tied: Drawing = { ...CRISS_CROSS, b: ["a", 2], c: ["a", 2] };
    assert.equal(await baseOf(tied, "d", "e"), "b");
    assert.equal(await baseOf(tied, "e", "d"), "c");
  });

  it("is never an ancestor of another common commit, whatever clocks say", async () => {
    assert.equal(await baseOf({ ...FORK, a: ["", 100] }, "c", "d"), "b");
  });
});
