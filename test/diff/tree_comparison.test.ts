import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Budget, LARGEST_DIFF, OverBudgetError } from "../../src/diff/budget.ts";
import { compareTrees, MAX_CHANGES } from "../../src/diff/tree_comparison.ts";
import { DamagedError, TooLargeError } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import { putTree } from "../support/world.ts";
import { blob, ELSEWHERE, emptyRepository, type Entry, slowly, tree, treeOf } from "./trees.ts";

/** Bytes of the longest path on Linux. */
const MAX_PATH_BYTES = 4096;

/** The changes as lines: what happened, the path, and the modes. */
async function changesOf(
  repository: Repository,
  old: Oid | undefined,
  now: Oid | undefined,
): Promise<string[]> {
  const changes = await compareTrees(repository, old, now);
  return changes.map((change) => {
    const sign = change.old === undefined ? "+" : change.new === undefined ? "-" : "~";
    const modes = [change.old?.mode, change.new?.mode].filter((mode) => mode !== undefined);
    return [sign, change.path, ...modes].join(" ");
  });
}

describe("compareTrees", () => {
  it("finds nothing between equal trees, and does not read them", async () => {
    const repository = emptyRepository();
    assert.deepEqual(await changesOf(repository, ELSEWHERE, ELSEWHERE), []);
    assert.deepEqual(await changesOf(repository, undefined, undefined), []);
  });

  it("takes an absent tree for an empty one", async () => {
    const repository = emptyRepository();
    const root = putTree(repository, { a: "1", b: { c: "2" } });
    assert.deepEqual(await changesOf(repository, undefined, root), ["+ a blob", "+ b/c blob"]);
    assert.deepEqual(await changesOf(repository, root, undefined), ["- a blob", "- b/c blob"]);
  });

  it("finds changed, added and deleted files in folders", async () => {
    const repository = emptyRepository();
    const old = putTree(repository, { a: "1", b: { c: "2", d: "3", same: { x: "y" } }, gone: { x: "1" } });
    const now = putTree(repository, { a: "1", b: { c: "2!", e: "4", same: { x: "y" } }, come: { x: "1" } });
    assert.deepEqual(await changesOf(repository, old, now), [
      "~ b/c blob blob",
      "- b/d blob",
      "+ b/e blob",
      "+ come/x blob",
      "- gone/x blob",
    ]);
  });

  it("gives both sides with ids and modes", async () => {
    const repository = emptyRepository();
    const [one, two] = [blob(repository, "1"), blob(repository, "2")];
    const old = tree(repository, ["100644", "a", one]);
    const now = tree(repository, ["100755", "a", two]);
    assert.deepEqual(await compareTrees(repository, old, now), [{
      path: "a",
      old: { oid: one, mode: "blob" },
      new: { oid: two, mode: "blobExecutable" },
    }]);
  });

  it("asks a repository that answers with promises", async () => {
    const repository = emptyRepository();
    const old = putTree(repository, { a: { b: { c: "1" } } });
    const now = putTree(repository, { a: { b: { c: "2" } } });
    assert.deepEqual(await changesOf(slowly(repository), old, now), ["~ a/b/c blob blob"]);
  });

  it("orders by the bytes of the whole paths", async () => {
    const repository = emptyRepository();
    const root = putTree(repository, { a: { b: "1" }, "a-b": "2", "a.b": "3", "a0": "4", "ä": "5", z: "6" });
    assert.deepEqual(await changesOf(repository, undefined, root), [
      "+ a-b blob",
      "+ a.b blob",
      "+ a/b blob",
      "+ a0 blob",
      "+ z blob",
      "+ ä blob",
    ]);
  });

  it("reads no folder that is equal on both sides", async () => {
    const repository = emptyRepository();
    const old = putTree(repository, { big: { deep: { x: "1" } }, small: { y: "1" } });
    const now = putTree(repository, { big: { deep: { x: "1" } }, small: { y: "2" } });
    const read: Oid[] = [];
    const watched: Repository = {
      ...repository,
      objects(oids) {
        read.push(...oids);
        return repository.objects(oids);
      },
    };
    await compareTrees(watched, old, now);
    assert.deepEqual(read.length, 4);
  });

  it("splits a change of type into a deletion and an addition", async () => {
    const repository = emptyRepository();
    const [one, two] = [blob(repository, "1"), blob(repository, "2")];
    const folder = tree(repository, ["100644", "x", one]);
    const old = tree(
      repository,
      ["100644", "file-to-folder", one],
      ["100644", "file-to-link", one],
      ["160000", "module-to-file", ELSEWHERE],
      ["160000", "module-to-folder", ELSEWHERE],
    );
    const now = tree(
      repository,
      ["40000", "file-to-folder", folder],
      ["120000", "file-to-link", two],
      ["100644", "module-to-file", one],
      ["40000", "module-to-folder", folder],
    );
    assert.deepEqual(await changesOf(repository, old, now), [
      "- file-to-folder blob",
      "+ file-to-folder/x blob",
      "- file-to-link blob",
      "+ file-to-link link",
      "- module-to-file commit",
      "+ module-to-file blob",
      "- module-to-folder commit",
      "+ module-to-folder/x blob",
    ]);
    assert.deepEqual(await changesOf(repository, now, old), [
      "+ file-to-folder blob",
      "- file-to-folder/x blob",
      "- file-to-link link",
      "+ file-to-link blob",
      "- module-to-file blob",
      "+ module-to-file commit",
      "+ module-to-folder commit",
      "- module-to-folder/x blob",
    ]);
  });

  it("takes modes of old programs for those that git writes now", async () => {
    const repository = emptyRepository();
    const [one, folder] = [blob(repository, "1"), tree(repository)];
    const old = tree(repository, ["100664", "a", one], ["040000", "b", folder], ["100775", "c", one]);
    const now = tree(repository, ["100644", "a", one], ["40000", "b", folder], ["100755", "c", one]);
    assert.deepEqual(await changesOf(repository, old, now), []);
  });

  it("has U+FFFD where a path is not UTF-8, and orders by bytes", async () => {
    const repository = emptyRepository();
    const one = blob(repository, "1");
    const root = tree(
      repository,
      ["100644", "\uff5e", one],
      ["100644", "\u{1f333}", one],
      ["100644", Uint8Array.of(0xff, 0x0a, 0x22), one],
    );
    assert.deepEqual(await changesOf(repository, undefined, root), [
      "+ \uff5e blob",
      "+ \u{1f333} blob",
      '+ \ufffd\n" blob',
    ]);
  });

  it("reaches the bottom of deep folders", async () => {
    const repository = emptyRepository();
    assert.deepEqual(
      await changesOf(repository, undefined, nest(repository, MAX_PATH_BYTES / 2 - 1)),
      [`+ ${"d/".repeat(MAX_PATH_BYTES / 2 - 1)}f blob`],
    );
  });

  it("rejects paths above the limit", async () => {
    const repository = emptyRepository();
    await assert.rejects(
      compareTrees(repository, undefined, nest(repository, MAX_PATH_BYTES)),
      TooLargeError,
    );
  });

  it("rejects trees that stand for more files than the limit", async () => {
    const repository = emptyRepository();
    const file = blob(repository, "1");
    const files = Array.from({ length: 1000 }, (_, i): Entry => ["100644", `${i}`.padStart(4, "0"), file]);
    const root = multiply(repository, tree(repository, ...files), 3);
    await assert.rejects(compareTrees(repository, undefined, root), new RegExp(`${MAX_CHANGES} files`));
  });

  it("rejects one tree of more files than the limit, and allows as many", async () => {
    const repository = emptyRepository();
    const id = blob(repository, "1");
    const files = (count: number) =>
      treeOf(repository, Array.from({ length: count }, (_, i): Entry => ["100644", `f${i + 1e6}`, id]));
    const most = files(MAX_CHANGES);
    assert.equal((await compareTrees(repository, undefined, most)).length, MAX_CHANGES);
    assert.equal((await compareTrees(repository, most, files(MAX_CHANGES + 1))).length, 1);
    await assert.rejects(
      compareTrees(repository, files(MAX_CHANGES + 1), undefined),
      new RegExp(`${MAX_CHANGES} files`),
    );
  });

  it("rejects trees of countless empty folders", async () => {
    const repository = emptyRepository();
    const root = multiply(repository, tree(repository), 9);
    await assert.rejects(compareTrees(repository, undefined, root), /too large to be compared/);
  });

  it("reads no tree that is larger than the budget", async () => {
    const repository = emptyRepository();
    const large = tree(repository, ["100644", "x".repeat(200_000), blob(repository, "")]);
    const limits: unknown[] = [];
    const watched: Repository = {
      ...repository,
      object: () => assert.fail("read"),
      objects(oids, { limitBytes } = {}) {
        limits.push(limitBytes);
        return oids.map((oid) =>
          repository.header(oid)!.size > limitBytes! ? undefined : repository.object(oid)
        );
      },
    };
    const budget = new Budget({ ...LARGEST_DIFF, treeBytes: 100_000 });
    await assert.rejects(compareTrees(watched, undefined, large, budget), OverBudgetError);
    assert.deepEqual(limits, [100_000]);
  });

  it("spends from the budget for every folder, even an empty one", async () => {
    const repository = emptyRepository();
    const empty = tree(repository);
    const folders = (count: number) =>
      tree(repository, ...Array.from({ length: count }, (_, i): Entry => ["40000", `${i}`, empty]));
    const compare = (count: number) => {
      const budget = new Budget({ ...LARGEST_DIFF, treeBytes: 100_000 });
      return compareTrees(repository, undefined, folders(count), budget);
    };
    assert.deepEqual(await compare(2), []);
    // The folder of all these has 30 bytes for each.
    await assert.rejects(compare(1000), OverBudgetError);
  });

  it("lets other work go on before it reads", async () => {
    const repository = emptyRepository();
    const root = putTree(repository, { a: "1\n" });
    const slice = Promise.withResolvers<void>();
    const order: string[] = [];
    const comparing = compareTrees(
      repository,
      undefined,
      root,
      new Budget(LARGEST_DIFF, { yield: () => slice.promise }),
    )
      .then(() => order.push("compared"));
    await new Promise((resume) => setTimeout(resume, 0));
    order.push("others");
    slice.resolve();
    await comparing;
    assert.deepEqual(order, ["others", "compared"]);
  });

  it("rejects a missing tree and what is no tree", async () => {
    const repository = emptyRepository();
    const missing = tree(repository, ["40000", "a", ELSEWHERE]);
    const wrong = tree(repository, ["40000", "a", blob(repository, "no tree")]);
    for (const root of [ELSEWHERE, missing, wrong, blob(repository, "x")]) {
      await assert.rejects(compareTrees(repository, undefined, root), DamagedError);
    }
  });

  it("rejects broken trees", async () => {
    const repository = emptyRepository();
    for (
      const text of [
        "100644 a\0short",
        "100644 a",
        "100644",
        "x a\0",
        "77777777777 a\0",
        "100644 \0" + "i".repeat(20),
      ]
    ) {
      const root = repository.put("tree", new TextEncoder().encode(text));
      await assert.rejects(compareTrees(repository, undefined, root), DamagedError, text);
    }
  });

  it("comes to an end with entries out of order or twice", async () => {
    const repository = emptyRepository();
    const entries = ["b", "a", "a", "c"].map((name): Entry => ["100644", name, blob(repository, "1")]);
    const changes = await compareTrees(repository, tree(repository), tree(repository, ...entries));
    assert.equal(changes.length, 4);
  });
});

/** A file below so many folders. */
function nest(repository: ReturnType<typeof emptyRepository>, depth: number): Oid {
  let root = tree(repository, ["100644", "f", blob(repository, "1")]);
  for (let i = 0; i < depth; i++) root = tree(repository, ["40000", "d", root]);
  return root;
}

/** Folders of ten folders of ten folders …, all of them the same. */
function multiply(repository: ReturnType<typeof emptyRepository>, leaf: Oid, levels: number): Oid {
  let root = leaf;
  for (let i = 0; i < levels; i++) {
    root = tree(repository, ...[..."0123456789"].map((name): Entry => ["40000", name, root]));
  }
  return root;
}
