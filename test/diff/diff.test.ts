import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadLibgit2 } from "../../adapters/node/libgit2.ts";
import { MAX_ENGINE_BYTES, MAX_ENGINE_LINES, MAX_RENAME_BYTES } from "../../src/diff/budget.ts";
import { MAX_BLOB_LINES } from "../../src/diff/file_content.ts";
import { MAX_SHOWN_LINES } from "../../src/diff/text/hunks.ts";
import { Libgit2, Libgit2Error } from "../../src/diff/libgit2/engine.ts";
import { MAX_RENAME_SOURCES } from "../../src/diff/libgit2/scratch_repository.ts";
import { createLg2 } from "../../src/diff/libgit2/wasm_git.ts";
import { DamagedError, TooLargeError, UnsupportedError } from "../../src/errors.ts";
import { MAX_BLOB_BYTES } from "../../src/git/objects.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { Repository } from "../../src/ports/storage.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { GitRepository, makeFolder, removeFolder } from "../support/git.ts";
import { type Folder, putTree } from "../support/world.ts";
import type { Diff, Hunk } from "./diff_object.ts";
import { diffTrees, type TreeDiff } from "./diff_trees.ts";
import { blob, ELSEWHERE, emptyRepository, type Entry, slowly, tree } from "./trees.ts";

const FOREIGN_COMMIT = "abcdefabcdefabcdefabcdefabcdefabcdefabcd" as Oid;
const NO_CONTENT = {
  type: "plain",
  hunks: [],
  stats: { additions: 0, deletions: 0 },
  eof: "noneMissing",
};

const TRUNCATED = { ...NO_CONTENT, truncated: true };

const libgit2 = new Libgit2(loadLibgit2);

/** A text of common lines in an order that only this seed has: so many changes are left to libgit2. */
function unlike(seed: string): string {
  const step = seed === "old" ? 7 : 11;
  return Array.from({ length: 3000 }, (_, i) => `${i * step % 997}\n`).join("");
}

/** So many lines that only this seed has. */
function linesOf(seed: string | number, count = 12): string {
  return Array.from({ length: count }, (_, line) => `line ${line} of ${seed}, ${line * 7919}\n`).join("");
}

/** The difference between two folders. */
async function diffOf(old: Folder, now: Folder): Promise<TreeDiff> {
  const repository = emptyRepository();
  return await diffTrees(libgit2, repository, putTree(repository, old), putTree(repository, now));
}

/** The difference between two trees of single entries. */
async function diffOfEntries(
  make: (repository: MemoryRepository) => [old: Entry[], now: Entry[]],
): Promise<Diff> {
  const repository = emptyRepository();
  const [old, now] = make(repository);
  return (await diffTrees(libgit2, repository, tree(repository, ...old), tree(repository, ...now))).diff;
}

/** The names in each list, `old → new` for moved and copied files. */
function summaryOf({ added, deleted, moved, copied, modified }: Diff): Record<string, string[]> {
  const lists = {
    added: added.map(({ path }) => path),
    deleted: deleted.map(({ path }) => path),
    moved: moved.map(({ oldPath, newPath }) => `${oldPath} → ${newPath}`),
    copied: copied.map(({ oldPath, newPath }) => `${oldPath} → ${newPath}`),
    modified: modified.map(({ path }) => path),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0));
}

/** Hunks as git prints them. */
function print(hunks: readonly Hunk[]): string {
  return hunks.map(({ header, lines }) =>
    header + lines.map(({ line, type }) => {
      const sign = type === "addition" ? "+" : type === "deletion" ? "-" : " ";
      return sign + line + (line.endsWith("\n") ? "" : "\n\\ No newline at end of file\n");
    }).join("")
  ).join("");
}

describe("a diff", () => {
  it("has the hunks of the real git, over a history", async () => {
    const folder = makeFolder();
    try {
      const git = GitRepository.create(join(folder, "repository"));
      git.importHistory(60);
      const repository = emptyRepository();
      for (const { kind, bytes } of git.objects()) repository.put(kind, bytes);
      const trees = git.text(["log", "--format=%T", "main"]).split("\n") as Oid[];
      for (let i = 0; i + 1 < trees.length; i += 2) {
        const { diff } = await diffTrees(libgit2, repository, trees[i + 1], trees[i]!);
        const printed = git.text(["diff", "--no-renames", trees[i + 1]!, trees[i]!]);
        const hunks = [...diff.added, ...diff.modified].map((file) => print(file.diff.hunks)).join("");
        assert.equal(hunks.trim(), printed.replace(/^(diff|index|new file|---|\+\+\+) .*\n/gm, "").trim());
      }
    } finally {
      removeFolder(folder);
    }
  });

  it("is empty between equal trees, and needs no libgit2 for it", async () => {
    const idle = new Libgit2(() => Promise.reject(new Error("not needed")));
    assert.deepEqual(await diffTrees(idle, emptyRepository(), ELSEWHERE, ELSEWHERE), {
      diff: {
        added: [],
        deleted: [],
        moved: [],
        copied: [],
        modified: [],
        stats: { filesChanged: 0, insertions: 0, deletions: 0 },
      },
      touched: [],
    });
  });

  it("adds every file when there is no old tree", async () => {
    const repository = emptyRepository();
    const root = putTree(repository, { a: linesOf(1), b: { c: "", d: linesOf(1) } });
    const { diff } = await diffTrees(libgit2, repository, undefined, root);
    assert.deepEqual(summaryOf(diff), { added: ["a", "b/c", "b/d"] });
    assert.deepEqual(diff.stats, { filesChanged: 3, insertions: 24, deletions: 0 });
    assert.deepEqual(diff.added[1]?.diff, NO_CONTENT);
  });

  it("finds moved and copied files", async () => {
    const { diff, touched } = await diffOf(
      { "exact": linesOf(1), "edited": linesOf(2), "source": linesOf(3), "gone": linesOf(4), "empty": "" },
      {
        "to/exact": linesOf(1),
        "to/edited": linesOf(2) + "more\n",
        "source": linesOf(3) + "more\n",
        "copy": linesOf(3),
        "new": linesOf(5),
        "void": "",
      },
    );
    assert.deepEqual(summaryOf(diff), {
      added: ["new"],
      deleted: ["gone"],
      moved: ["edited → to/edited", "exact → to/exact", "empty → void"],
      copied: ["source → copy"],
      modified: ["source"],
    });
    assert.deepEqual(diff.stats, { filesChanged: 7, insertions: 13, deletions: 12 });
    assert.equal(touched.length, 8);
  });

  it("does not take an unchanged file for the source of a copy", async () => {
    const { diff } = await diffOf({ a: linesOf(1) }, { a: linesOf(1), b: linesOf(1) });
    assert.deepEqual(summaryOf(diff), { added: ["b"] });
  });

  it("moves one deleted file to each of two places", async () => {
    const { diff } = await diffOf({ a: linesOf(1) }, { b: linesOf(1), c: linesOf(1) });
    assert.deepEqual(summaryOf(diff), { moved: ["a → b", "a → c"] });
  });

  it("shows 442 moved files of one commit", async () => {
    const names = Array.from({ length: 442 }, (_, i) => String(i).padStart(3, "0"));
    const { diff } = await diffOf(
      { old: Object.fromEntries(names.map((name) => [name, linesOf(name)])) },
      {
        new: Object.fromEntries(
          names.map((name, i) => [name, linesOf(name) + (i % 2 === 0 ? "" : "edited\n")]),
        ),
      },
    );
    assert.deepEqual(summaryOf(diff), { moved: names.map((name) => `old/${name} → new/${name}`) });
    assert.equal(diff.moved.filter((file) => "current" in file).length, 221);
    assert.deepEqual(diff.stats, { filesChanged: 442, insertions: 0, deletions: 0 });
  });

  it("compares an added file with a limited number of others", async () => {
    const names = Array.from({ length: MAX_RENAME_SOURCES + 50 }, (_, i) => String(i).padStart(4, "0"));
    const { diff } = await diffOf(
      Object.fromEntries(names.map((name) => [name, linesOf(name, 2)])),
      { last: linesOf(names.at(-1)!, 2), first: linesOf(names[0]!, 2) },
    );
    assert.deepEqual(summaryOf(diff)["moved"], ["0000 → first"]);
    assert.deepEqual(summaryOf(diff)["added"], ["last"]);
  });

  it("shows all of very many files", async () => {
    const repository = emptyRepository();
    const one = blob(repository, "1\n");
    const entries = Array.from({ length: 60_000 }, (_, i): Entry => [
      "100644",
      String(i).padStart(6, "0"),
      one,
    ]);
    const { diff, touched } = await diffTrees(libgit2, repository, undefined, tree(repository, ...entries));
    assert.deepEqual(diff.stats, { filesChanged: 60_000, insertions: 60_000, deletions: 0 });
    assert.deepEqual(diff.added[7]?.diff.hunks[0]?.lines, [{ line: "1\n", lineNo: 1, type: "addition" }]);
    assert.deepEqual(touched, [one]);
  });

  it("shows all of many long texts", async () => {
    const long = (seed: string) => `${seed}\n`.repeat(2 ** 17);
    const names = Array.from({ length: 10 }, (_, i) => `${i}`);
    const { diff } = await diffOf(
      Object.fromEntries(names.map((name) => [name, long(name)])),
      Object.fromEntries(names.map((name) => [name, `first\n${long(name)}`])),
    );
    assert.deepEqual(diff.stats, { filesChanged: 10, insertions: 10, deletions: 0 });
  });

  it("shows a change of type as a deletion and an addition", async () => {
    const diff = await diffOfEntries((repository) => [
      [["100644", "x", blob(repository, "target")]],
      [["120000", "x", blob(repository, "target")]],
    ]);
    assert.deepEqual(summaryOf(diff), { added: ["x"], deleted: ["x"] });
    assert.deepEqual([diff.added[0]?.new.mode, diff.deleted[0]?.old.mode], ["link", "blob"]);
    assert.deepEqual(diff.added[0]?.diff.eof, "newMissing");
  });

  it("shows submodules as one line", async () => {
    const diff = await diffOfEntries(() => [
      [["160000", "gone", ELSEWHERE], ["160000", "updated", ELSEWHERE]],
      [["160000", "come", ELSEWHERE], ["160000", "updated", FOREIGN_COMMIT]],
    ]);
    assert.deepEqual(summaryOf(diff), { added: ["come"], deleted: ["gone"], modified: ["updated"] });
    assert.equal(
      print(diff.modified[0]!.diff.hunks),
      `@@ -1 +1 @@\n-Subproject commit ${ELSEWHERE}\n+Subproject commit ${FOREIGN_COMMIT}\n`,
    );
    assert.deepEqual(diff.modified[0]?.new, { oid: FOREIGN_COMMIT, mode: "commit" });
  });

  it("gives binary files and changes of mode no hunks", async () => {
    const diff = await diffOfEntries((repository) => [
      [["100644", "binary", blob(repository, "a\0b")], ["100644", "run", blob(repository, "x\n")]],
      [["100644", "binary", blob(repository, "a\0c")], ["100755", "run", blob(repository, "x\n")]],
    ]);
    assert.deepEqual(diff.modified.map((file) => file.diff), [NO_CONTENT, NO_CONTENT]);
    assert.deepEqual(diff.modified[1]?.new.mode, "blobExecutable");
  });

  it("names files whatever bytes their names have", async () => {
    const names = ['\u0001\t"\\\n', "a b ", "diff --git a", "é", ".gitattributes", "..", ".git"];
    const content = (name: string, text: string) => name === ".gitattributes" ? "* -diff\n" : text;
    const { diff } = await diffOf(
      { keep: "", ...Object.fromEntries(names.map((name) => [name, content(name, linesOf(name))])) },
      {
        keep: "",
        to: Object.fromEntries(names.map((name) => [name, content(name, linesOf(name) + "more\n")])),
      },
    );
    const moved = [...names].sort().map((name) => `${name} → to/${name}`);
    assert.deepEqual(summaryOf(diff), { moved });
    assert.equal(diff.moved.filter((file) => "diff" in file && file.diff.hunks.length === 1).length, 6);
  });

  it("cuts the function in a header at 80 bytes, and a character that the cut goes through", async () => {
    const body = Array.from({ length: 20 }, (_, i) => ` ${i}\n`);
    const change = (title: string) =>
      diffOf({ a: title + body.join("") }, { a: title + body.with(15, " x\n").join("") });
    const contexts = [];
    for (
      const title of [
        "fn " + "a".repeat(90) + "\n",
        "fn " + "a".repeat(76) + "é and more\n",
        "_ok\n",
        "9no\n",
      ]
    ) {
      const { diff } = await change(title);
      contexts.push(diff.modified[0]?.diff.hunks[0]?.header.replace(/^@@ \S+ \S+ @@/, ""));
    }
    assert.deepEqual(contexts, [` fn ${"a".repeat(77)}\n`, ` fn ${"a".repeat(76)}\n`, " _ok\n", "\n"]);
  });

  it("marks a file above the limits, and still sees where it went", async () => {
    const [one, two, three] = [1, 2, 3].map((n) => `${n}\n`.repeat(MAX_BLOB_LINES + 1)) as [
      string,
      string,
      string,
    ];
    const { diff } = await diffOf(
      { changed: one, from: two, gone: one + "old", small: linesOf(1) },
      { changed: one + "more", to: two, come: three, small: linesOf(2) },
    );
    assert.deepEqual(summaryOf(diff), {
      added: ["come"],
      deleted: ["gone"],
      moved: ["from → to"],
      modified: ["changed", "small"],
    });
    assert.deepEqual(diff.modified[0]?.diff, TRUNCATED);
    assert.deepEqual(diff.added[0]?.diff, TRUNCATED);
    assert.equal(diff.modified[1]?.diff.hunks.length, 1);
    assert.ok(diff.moved[0] !== undefined && "current" in diff.moved[0]);
  });

  it("marks a file that is too large to be read", async () => {
    const repository = emptyRepository();
    const [old, now] = ["old", "new"].map((name) => putTree(repository, { a: `${name}\n`, b: `${name}\n` }));
    const large = blob(repository, "new\n");
    const source: Repository = {
      ...repository,
      header: (oid) => oid === large ? { kind: "blob", size: MAX_BLOB_BYTES + 1 } : repository.header(oid),
    };
    const { diff } = await diffTrees(libgit2, source, old, now!);
    assert.deepEqual(diff.modified.map((file) => file.diff), [TRUNCATED, TRUNCATED]);
  });

  it("marks a text that differs too much, and shows one as long that differs little", async () => {
    const lines = (seed: number) =>
      Array.from({ length: MAX_ENGINE_LINES + 1 }, (_, i) => `${i * seed % 99_991}\n`).join("");
    const { diff } = await diffOf({ little: lines(7), much: lines(7) }, {
      little: `${lines(7)}more\n`,
      much: lines(11),
    });
    assert.equal(diff.modified[0]?.diff.hunks.length, 1);
    assert.deepEqual(diff.modified[1]?.diff, TRUNCATED);
  });

  it("marks a file of which too many lines would be shown, and counts them", async () => {
    const { diff } = await diffOf({}, {
      most: "\n".repeat(MAX_SHOWN_LINES),
      more: "\n".repeat(MAX_SHOWN_LINES + 1),
    });
    assert.deepEqual(diff.added[0]?.diff, {
      ...TRUNCATED,
      stats: { additions: MAX_SHOWN_LINES + 1, deletions: 0 },
    });
    assert.equal(diff.added[1]?.diff.hunks[0]?.lines.length, MAX_SHOWN_LINES);
  });

  it("is refused when the search for moved files would read too much text", async () => {
    const repository = emptyRepository();
    const old = tree(repository, ["100644", "a", blob(repository, "1\n")], [
      "100644",
      "b",
      blob(repository, "2\n"),
    ]);
    const now = tree(repository, ["100644", "c", blob(repository, "3\n")]);
    const source = (size: number): Repository => ({ ...repository, header: () => ({ kind: "blob", size }) });
    assert.ok(3 * MAX_BLOB_BYTES <= MAX_ENGINE_BYTES);
    await diffTrees(libgit2, source(MAX_BLOB_BYTES), old, now);
    const many = tree(
      repository,
      ...Array.from({ length: MAX_RENAME_BYTES / MAX_BLOB_BYTES }, (_, i): Entry => [
        "100644",
        String(i).padStart(3, "0"),
        blob(repository, `many ${i}\n`),
      ]),
    );
    await assert.rejects(diffTrees(libgit2, source(MAX_BLOB_BYTES), many, now), TooLargeError);
  });

  it("lists the blobs of all its files, each once, and no submodules", async () => {
    const repository = emptyRepository();
    const [one, two, link] = [
      blob(repository, linesOf(1)),
      blob(repository, linesOf(2)),
      blob(repository, "x"),
    ];
    const old = tree(repository, ["100644", "a", one], ["160000", "m", ELSEWHERE]);
    const now = tree(repository, ["100644", "b", one], ["120000", "l", link], ["100644", "n", two]);
    const { touched } = await diffTrees(libgit2, repository, old, now);
    assert.deepEqual([...touched].sort(), [one, two, link].sort());
  });

  it("comes from repositories that answer with promises, too", async () => {
    const repository = emptyRepository();
    const [old, now] = [putTree(repository, { a: { b: "1\n" } }), putTree(repository, { a: { b: "2\n" } })];
    assert.deepEqual(
      await diffTrees(libgit2, slowly(repository), old, now),
      await diffTrees(libgit2, repository, old, now),
    );
  });

  it("fails as damage when an object is missing, broken or unreadable", async () => {
    const repository = emptyRepository();
    const old = putTree(repository, { a: "1\n" });
    const unreadable: Repository = {
      ...repository,
      header() {
        throw new DamagedError("unreadable");
      },
    };
    const now = putTree(repository, { a: "3\n" });
    for (
      const [source, to] of [
        [repository, tree(repository, ["100644", "a", ELSEWHERE])],
        [repository, tree(repository, ["40000", "a", ELSEWHERE])],
        [repository, ELSEWHERE],
        [unreadable, now],
      ] as const
    ) {
      await assert.rejects(diffTrees(libgit2, source, old, to), DamagedError);
    }
    assert.equal((await diffTrees(libgit2, repository, old, now)).diff.stats.insertions, 1);
  });

  it("fails when libgit2 is aborted in search of moved files, and marks a file on which it is", async () => {
    const repository = emptyRepository();
    const aborting = new Libgit2(loadLibgit2, async (options) =>
      Object.assign(await createLg2(options), {
        callMain() {
          throw new WebAssembly.RuntimeError("unreachable");
        },
      }));
    const moving = [putTree(repository, { b: "3\n", d: "3\n" }), putTree(repository, { c: "3\n" })] as const;
    await assert.rejects(diffTrees(aborting, repository, ...moving), Libgit2Error);
    const changing = ["old", "new"].map((seed) => putTree(repository, { a: linesOf(1), b: unlike(seed) }));
    const { diff } = await diffTrees(aborting, repository, changing[0], changing[1]!);
    assert.deepEqual(diff.modified.map((file) => [file.path, file.diff]), [["b", TRUNCATED]]);
  });

  it("needs no libgit2 where it is plain what was moved", async () => {
    const repository = emptyRepository();
    const lacking = new Libgit2(() => Promise.reject(new Error("not needed")));
    const [none, some] = [putTree(repository, {}), putTree(repository, { a: "1\n", b: "2\n" })];
    const more = putTree(repository, { a: "2\n" });
    const moved = putTree(repository, { a: "1\n", c: "2\n", d: "3\n" });
    for (
      const [old, now] of [[undefined, some], [none, some], [some, none], [some, more], [
        some,
        moved,
      ]] as const
    ) {
      const { diff } = await diffTrees(lacking, repository, old, now);
      assert.ok(diff.stats.insertions + diff.stats.deletions > 0);
    }
  });

  it("fails when libgit2 cannot be had", async () => {
    const repository = emptyRepository();
    const lacking = new Libgit2(() => Promise.reject(new Error("no such file")));
    const [old, now] = [
      putTree(repository, { a: "1\n", b: "1\n" }),
      putTree(repository, { c: "1\n" }),
    ];
    await assert.rejects(diffTrees(lacking, repository, old, now), UnsupportedError);
  });
});
