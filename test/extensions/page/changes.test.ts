/** Changes of files as rows, and comments in threads. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Comment, Diff, DiffLine, FileDiff } from "../../../src/client/mod.ts";
import {
  fileChanges,
  numberOf,
  placesOf,
  splitRows,
  unifiedRows,
} from "../../../extensions/page/browser/change_rows.ts";
import { groupReactions, noteOf, reviewNotes, threadsOf } from "../../../extensions/page/browser/notes.ts";

const OID = "0".repeat(40), OTHER = "1".repeat(40);
const deletion = (lineNo: number): DiffLine => ({ type: "deletion", line: `old ${lineNo}\n`, lineNo });
const addition = (lineNo: number): DiffLine => ({ type: "addition", line: `new ${lineNo}\n`, lineNo });
const context = (lineNoOld: number, lineNoNew: number): DiffLine => ({
  type: "context",
  line: "same\n",
  lineNoOld,
  lineNoNew,
});

function diffOf(lines: readonly DiffLine[]): FileDiff {
  const range = { start: 1, end: 9 };
  return {
    type: "plain",
    hunks: [{ header: "@@ -1,9 +1,9 @@", lines, old: range, new: range }],
    stats: { additions: 1, deletions: 1 },
    eof: "noneMissing",
  };
}

describe("rows of a diff", () => {
  const lines = [
    context(1, 1),
    deletion(2),
    deletion(3),
    addition(2),
    context(4, 3),
    addition(4),
    deletion(5),
  ];

  const HEADER = "@@ -1,9 +1,9 @@";
  const numbers = (rows: ReturnType<typeof splitRows>) =>
    rows.map((row) => "header" in row ? row.header : [numberOf(row.old, "old"), numberOf(row.new, "new")]);

  it("stand in one column as they are", () => {
    assert.deepEqual(numbers(unifiedRows(diffOf(lines))), [
      HEADER,
      [1, 1],
      [2, undefined],
      [3, undefined],
      [undefined, 2],
      [4, 3],
      [undefined, 4],
      [5, undefined],
    ]);
  });

  it("stand side by side where lines were replaced", () => {
    assert.deepEqual(numbers(splitRows(diffOf(lines))), [
      HEADER,
      [1, 1],
      [2, 2],
      [3, undefined],
      [4, 3],
      [undefined, 4],
      [5, undefined],
    ]);
  });

  it("have the same places for notes in both", () => {
    const places = (rows: ReturnType<typeof splitRows>) => rows.flatMap(placesOf).toSorted();
    const expected = ["new 1", "new 2", "new 3", "new 4", "old 2", "old 3", "old 5"];
    assert.deepEqual(places(unifiedRows(diffOf(lines))), expected);
    assert.deepEqual(places(splitRows(diffOf(lines))), expected);
  });
});

describe("fileChanges", () => {
  it("sorts files by path, and shows renames, binary files and changed modes", () => {
    const diff = diffOf([]);
    const blob = { oid: OID, mode: "blob" } as const,
      program = { oid: OTHER, mode: "blobExecutable" } as const;
    const changes: Diff = {
      added: [{ path: "z", diff, new: blob }],
      deleted: [{ path: "b", diff, old: blob }],
      modified: [{ path: "a", diff, old: blob, new: program }],
      moved: [{ oldPath: "x", newPath: "c", current: blob }],
      copied: [{ oldPath: "y", newPath: "d", old: blob, new: blob, diff }],
      stats: { filesChanged: 5, insertions: 0, deletions: 0 },
    };
    const files = fileChanges(changes, { [OTHER]: { id: OTHER, binary: true, content: "" } });
    assert.deepEqual(
      files.map(({ kind, path, oldPath, isBinary, modes }) => [kind, path, oldPath, isBinary, modes]),
      [
        ["modified", "a", undefined, true, ["blob", "blobExecutable"]],
        ["deleted", "b", undefined, false, undefined],
        ["renamed", "c", "x", false, undefined],
        ["copied", "d", "y", false, undefined],
        ["added", "z", undefined, false, undefined],
      ],
    );
  });
});

const comment = (id: string, replyTo: string | null): Comment => ({
  id,
  author: { id: "did:key:z6Mk" },
  body: id,
  edits: [],
  embeds: [],
  reactions: [],
  timestamp: 1,
  replyTo,
  resolved: false,
});

describe("threadsOf", () => {
  const shape = (comments: readonly Comment[], root?: string) =>
    threadsOf(comments.map(noteOf), root).map(({ first, replies }) =>
      [first.id, ...replies.map(({ id }) => id)].join(" ")
    );

  it("puts answers below what they answer, all in one row", () => {
    assert.deepEqual(
      shape([comment("a", null), comment("b", "a"), comment("c", null), comment("d", "b")]),
      ["a b d", "c"],
    );
  });

  it("leaves out the description, whose answers begin threads", () => {
    assert.deepEqual(shape([comment("a", null), comment("b", "a"), comment("c", "b")], "a"), ["b c"]);
  });

  it("shows answers to what is not there, and rings, and very long chains", () => {
    assert.deepEqual(shape([comment("b", "gone")]), ["b"]);
    assert.equal(shape([comment("a", "b"), comment("b", "a")]).join(" ").length, 3);
    const chain = Array.from({ length: 20_000 }, (_, i) => comment(`${i}`, i === 0 ? null : `${i - 1}`));
    assert.equal(threadsOf(chain.toReversed().map(noteOf))[0]!.replies.length, chain.length - 1);
  });
});

describe("answers of both forms", () => {
  it("have the same reactions and review comments", () => {
    const groups = [{ emoji: "👍", authors: ["z1", "z2"] }];
    assert.deepEqual(groupReactions([["z1", "👍"], ["z2", "👍"]]), groups);
    assert.deepEqual(groupReactions(groups), groups);
    const { id, author: _, ...rest } = comment("a", null);
    const review = {
      id: OID,
      author: { id: "did:key:z1" },
      verdict: null,
      summary: "",
      timestamp: 1,
    } as const;
    const [note] = reviewNotes(
      { ...review, comments: [[id, { ...rest, author: "z1" }]] },
      new Map([["did:key:z1", "eve"]]),
    );
    assert.deepEqual([note?.id, note?.author], ["a", { id: "did:key:z1", alias: "eve" }]);
    assert.deepEqual(
      reviewNotes({ ...review, comments: [comment("b", null)] }, new Map()).map(({ id }) => id),
      ["b"],
    );
  });
});
