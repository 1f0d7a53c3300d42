import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Budget, LARGEST_DIFF, MAX_DIFF_BYTES, OverBudgetError } from "../../src/diff/budget.ts";
import { NO_CONTENT } from "../../src/diff/text/hunks.ts";
import { planDiff, planFile, toDiffFile } from "../../src/diff/plan.ts";
import { Libgit2 } from "../../src/diff/libgit2/engine.ts";
import type { Change, FileSide } from "../../src/diff/tree_comparison.ts";
import { MAX_BLOB_BYTES } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { blob, emptyRepository, type Entry, slowly, tree } from "./trees.ts";

const A: FileSide = { oid: "a".repeat(40) as Oid, mode: "blob" };
const B: FileSide = { oid: "b".repeat(40) as Oid, mode: "blob" };
const RUN: FileSide = { oid: A.oid, mode: "blobExecutable" };

const deleted = (name: string): Change => ({ path: name, old: A });

/** The kind of a file that stays where it is, and what clients see of it. */
const shown = (change: Change) => {
  const file = planFile({ from: change, to: change, isRename: false });
  return [file.kind, toDiffFile(file, NO_CONTENT)];
};

/** The same of a file that was made from another one. */
const shownPair = (from: Change, to: Change, isRename: boolean) => {
  const file = planFile({ from, to, isRename });
  return [file.kind, toDiffFile(file, NO_CONTENT)];
};

describe("a plan", () => {
  it("is refused when files have too many bytes together, counted for each file", async () => {
    const memory = emptyRepository();
    const oid = blob(memory, "1");
    const entries = Array.from({ length: MAX_DIFF_BYTES / MAX_BLOB_BYTES + 1 }, (_, i): Entry => [
      "100644",
      String.fromCharCode(0x100 + i),
      oid,
    ]);
    const [most, more] = [tree(memory, ...entries.slice(1)), tree(memory, ...entries)];
    // The one blob is as large as a blob may be.
    const repository: Repository = {
      ...slowly(memory),
      header: () => ({ kind: "blob", size: MAX_BLOB_BYTES }),
    };
    const libgit2 = new Libgit2(() => assert.fail("not needed"));
    const plan = (newTree: Oid, budget?: Budget) => planDiff(libgit2, repository, undefined, newTree, budget);
    const { files, blobs } = await plan(most);
    assert.equal(blobs.bytesOfAll(files), MAX_DIFF_BYTES);
    await assert.rejects(plan(more), OverBudgetError);
    const budget = new Budget({ ...LARGEST_DIFF, fileBytes: MAX_BLOB_BYTES });
    await assert.rejects(plan(most, budget), OverBudgetError);
  });
});

describe("a planned file", () => {
  it("is added, deleted or modified by its sides", () => {
    assert.deepEqual(shown({ path: "a", new: B }), ["added", { path: "a", diff: NO_CONTENT, new: B }]);
    assert.deepEqual(shown(deleted("d")), ["deleted", { path: "d", diff: NO_CONTENT, old: A }]);
    const [kind, modified] = shown({ path: "m", old: A, new: B });
    assert.deepEqual([kind, modified], ["modified", { path: "m", diff: NO_CONTENT, old: A, new: B }]);
    assert.deepEqual(Object.keys(modified as object), ["path", "diff", "old", "new"]);
  });

  it("that only moved is known by its present state", () => {
    assert.deepEqual(shownPair(deleted("old"), { path: "new", new: A }, true), [
      "moved",
      { oldPath: "old", newPath: "new", current: A },
    ]);
  });

  it("that changed when it moved, be it in its mode, has both sides", () => {
    for (const now of [B, RUN]) {
      const [kind, moved] = shownPair(deleted("old"), { path: "new", new: now }, true);
      assert.deepEqual([kind, moved], [
        "moved",
        { oldPath: "old", newPath: "new", old: A, new: now, diff: NO_CONTENT },
      ]);
      assert.deepEqual(Object.keys(moved as object), ["oldPath", "newPath", "old", "new", "diff"]);
    }
  });

  it("that was copied has both sides, also when they are equal", () => {
    assert.deepEqual(shownPair({ path: "from", old: A, new: B }, { path: "to", new: A }, false), [
      "copied",
      { oldPath: "from", newPath: "to", old: A, new: A, diff: NO_CONTENT },
    ]);
  });

  it("is not made of changes that are no pair", () => {
    assert.throws(
      () => planFile({ from: { path: "a", new: B }, to: deleted("d"), isRename: true }),
      TypeError,
    );
  });
});
