/** Commit objects, also odd ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import {
  descriptionOf,
  parseCommit,
  parseCommitHeader,
  readPerson,
  summaryOf,
} from "../../src/git/commit.ts";
import { entryKind, findEntry, parseTree } from "../../src/git/tree.ts";

const TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const encode = (text: string) => new TextEncoder().encode(text);
const commit = (...lines: string[]) => encode([`tree ${TREE}`, ...lines].join("\n"));
const PEOPLE = ["author A <a@x> 1 +0000", "committer C <c@x> -5 +0130"];

describe("parseCommit", () => {
  it("reads people, parents, time and message", () => {
    const parsed = parseCommit(
      commit(
        `parent ${TREE}`,
        `parent ${"1".repeat(40)}`,
        ...PEOPLE,
        "gpgsig -----BEGIN",
        " author X <x> 9 +0000",
        "",
        "Hi\n",
      ),
    );
    assert.deepEqual(parsed, {
      tree: TREE,
      parents: [TREE, "1".repeat(40)],
      author: { name: "A", email: "a@x" },
      committer: { name: "C", email: "c@x" },
      timeSeconds: -5,
      message: "Hi\n",
    });
  });

  it("reads a commit without message", () => {
    assert.equal(parseCommit(commit(...PEOPLE)).message, "");
    assert.equal(parseCommit(commit(...PEOPLE, "")).message, "");
  });

  it("decodes what is not UTF-8 by the declared encoding, else with replacement characters", () => {
    const bytes = (...extra: string[]) => {
      const text = commit("author Ren# <r@x> 1 +0000", "committer C <c@x> 1 +0000", ...extra, "", "Caf#\n");
      return text.map((byte) => byte === 0x23 ? 0xe9 : byte);
    };
    assert.equal(parseCommit(bytes("encoding ISO-8859-1")).message, "Café\n");
    assert.equal(parseCommit(bytes("encoding ISO-8859-1")).author.name, "René");
    assert.equal(parseCommit(bytes()).message, "Caf\uFFFD\n");
    assert.equal(parseCommit(bytes("encoding nonsense")).author.name, "Ren\uFFFD");
  });

  for (
    const bytes of [
      encode(""),
      encode("tree x\n"),
      encode(`tree ${TREE}`),
      commit(),
      commit("author A <a> 1 +0000"),
      commit("parent x", ...PEOPLE),
    ]
  ) {
    it(`refuses ${JSON.stringify(new TextDecoder().decode(bytes).slice(0, 60))}`, () => {
      assert.throws(() => parseCommitHeader(bytes), DamagedError);
    });
  }
});

describe("readPerson", () => {
  it("trims, and takes the last brackets", () => {
    assert.deepEqual(readPerson(" A  B < a@x > 1 +0000"), { name: "A  B", email: "a@x" });
    assert.deepEqual(readPerson("<a@x> 1 +0000"), { name: "", email: "a@x" });
    assert.deepEqual(readPerson("A <b> <c@x> 1"), { name: "A <b>", email: "c@x" });
    assert.deepEqual(readPerson("nobody"), { name: "nobody", email: "" });
  });
});

describe("summaryOf and descriptionOf", () => {
  const cases: [message: string, summary: string, description: string][] = [
    ["", "", ""],
    ["One\n", "One", ""],
    ["\n\nOne\n\nTwo\nthree\n\nfour\n", "One", "Two\nthree\n\nfour"],
    ["One  \n\nTwo", "One", "Two"],
    ["One\n \t\nTwo", "One", "Two"],
    // The first paragraph has several lines: the description is the whole message, as in the real service.
    ["One\n  two\n\nThree\n", "One two", "One\n  two\n\nThree"],
  ];
  for (const [message, summary, description] of cases) {
    it(`cut ${JSON.stringify(message)}`, () => {
      assert.deepEqual([summaryOf(message), descriptionOf(message)], [summary, description]);
    });
  }
});

describe("parseTree", () => {
  const oid = Uint8Array.from({ length: 20 }, (_, i) => i);
  const entry = (mode: string, name: string) => [...encode(`${mode} ${name}\0`), ...oid];
  const bytes = Uint8Array.from([
    ...entry("40000", "dir"),
    ...entry("100755", "run it"),
    ...entry("160000", "sub"),
  ]);

  it("reads modes, names and ids", () => {
    assert.deepEqual(
      parseTree(bytes).map(({ mode, name }) => [entryKind(mode), new TextDecoder().decode(name)]),
      [
        ["tree", "dir"],
        ["blobExecutable", "run it"],
        ["commit", "sub"],
      ],
    );
  });

  it("finds a name without mistaking parts of ids or other names for it", () => {
    assert.equal(findEntry(bytes, encode("run it"))?.mode, 0o100755);
    for (const name of ["run", "it", "di", "", "sub\0", "dirx"]) {
      assert.equal(findEntry(bytes, encode(name)), undefined);
    }
  });

  it("refuses bytes that end early, wherever they end", () => {
    for (let length = 1; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      const isWhole = [
        entry("40000", "dir").length,
        entry("40000", "dir").length + entry("100755", "run it").length,
      ].includes(length);
      if (isWhole) assert.ok(parseTree(cut).length > 0);
      else assert.throws(() => parseTree(cut), DamagedError, String(length));
    }
    assert.throws(() => parseTree(encode("99 x\0aaaaaaaaaaaaaaaaaaaa")), DamagedError);
    assert.throws(() => parseTree(encode("1000000000000000 x\0aaaaaaaaaaaaaaaaaaaa")), DamagedError);
  });
});
