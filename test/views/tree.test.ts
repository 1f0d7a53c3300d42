/** Folders as JSON in pieces. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { treePieces } from "../../src/views/tree.ts";
import type { Commit as CommitView } from "../../src/contract/commits.ts";
import { Task } from "../../src/scheduling/task.ts";

const LAST = { id: "0".repeat(40), summary: "One" } as unknown as CommitView;
const STATS = { commits: 1, branches: 2, contributors: 3 };
const ID = new Uint8Array(20).fill(7);

function tree(entries: readonly (readonly [mode: string, name: string])[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts = entries.flatMap(([mode, name]) => [encoder.encode(`${mode} ${name}\0`), ID]);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

async function show(bytes: Uint8Array, path: string) {
  const pieces: string[] = [];
  for await (const piece of treePieces(bytes, path, LAST, { stats: STATS, withOids: false }, new Task())) {
    pieces.push(piece);
  }
  return { view: JSON.parse(pieces.join("")), pieces };
}

describe("treePieces", () => {
  it("lists folders and submodules first, then files, each in the order of their names' bytes", async () => {
    const bytes = tree([
      ["40000", "a-b"],
      ["40000", "a"],
      ["100644", "😀"],
      ["120000", "ｚ"],
      ["160000", "a.c"],
      ["100755", "A"],
      ["100644", "b"],
    ]);
    const { view } = await show(bytes, "x/y");
    assert.deepEqual(Object.keys(view), ["entries", "lastCommit", "name", "path", "stats"]);
    assert.deepEqual(
      view.entries.map(({ path, name, kind }: Record<string, string>) => `${kind} ${path} ${name}`),
      [
        "tree x/y/a a",
        "tree x/y/a-b a-b",
        "submodule x/y/a.c a.c",
        "blob x/y/A A",
        "blob x/y/b b",
        "blob x/y/ｚ ｚ",
        "blob x/y/😀 😀",
      ],
    );
    assert.deepEqual([view.lastCommit, view.name, view.path, view.stats], [LAST, "y", "x/y", STATS]);
  });

  it("writes paths as the client asked for them", async () => {
    const bytes = tree([["100644", 'q"\\\u0001']]);
    for (
      const [path, expected] of [["", 'q"\\\u0001'], ["é/", 'é/q"\\\u0001'], ['"', '"/q"\\\u0001']] as const
    ) {
      const { view } = await show(bytes, path);
      assert.deepEqual([view.entries[0].path, view.entries[0].name], [expected, 'q"\\\u0001']);
    }
  });

  it("shows an empty folder", async () => {
    assert.deepEqual((await show(new Uint8Array(), "")).view.entries, []);
  });

  it("shows hundreds of thousands of names in no order, in small pieces", async () => {
    const names = Array.from({ length: 200_000 }, (_, i) => (Math.imul(i, 7919) >>> 0).toString(36));
    const { view, pieces } = await show(tree(names.map((name) => ["100644", name])), "folder");
    assert.deepEqual(view.entries.map(({ name }: { name: string }) => name), [...names].sort());
    assert.ok(pieces.every((piece) => piece.length < 2 ** 16));
  });

  it("refuses what is no tree", async () => {
    const bytes = tree([["100644", "a"], ["100644", "b"]]);
    await assert.rejects(() => show(bytes.subarray(0, bytes.length - 1), ""), DamagedError);
  });
});
