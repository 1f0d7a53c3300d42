import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { hashObject } from "../../src/git/encode.ts";
import { differingEntries, findEntry, parseTree } from "../../src/git/tree.ts";
import { oidToBytes } from "../../src/ids/oid.ts";
import { Task } from "../../src/scheduling/task.ts";

const encoder = new TextEncoder();

/** The bytes of a tree: each entry is its mode and name, and a content that its id follows from. */
function treeBytes(...entries: readonly (readonly [entry: string, content?: string])[]): Uint8Array {
  return Uint8Array.from(entries.flatMap(([entry, content = ""]) => [
    ...encoder.encode(`${entry}\0`),
    ...oidToBytes(hashObject("blob", encoder.encode(content))),
  ]));
}

/** The pairs that differ: the entry of the old tree, an arrow, that of the new one. */
function differences(old: Uint8Array, now: Uint8Array): string[] {
  const found: string[] = [];
  for (const pair of differingEntries(old, now)) {
    if (pair === undefined) continue;
    const [before, after] = [pair.old, pair.new].map((entry) =>
      entry ? new TextDecoder().decode(entry.bytes.subarray(entry.start, entry.nameEnd)) : ""
    );
    found.push(`${before} → ${after}`);
  }
  return found;
}

describe("differingEntries", () => {
  const tree = treeBytes(["100644 a"], ["40000 b"], ["100644 c"]);

  it("do not exist between equal trees", () => {
    assert.deepEqual(differences(tree, tree), []);
    assert.deepEqual(differences(new Uint8Array(), new Uint8Array()), []);
  });

  it("are changed, added and deleted entries, by name", () => {
    const changed = treeBytes(["100644 a", "new"], ["40000 b"], ["100644 bb"]);
    assert.deepEqual(differences(tree, changed), ["100644 a → 100644 a", " → 100644 bb", "100644 c → "]);
    assert.deepEqual(differences(tree, new Uint8Array()), ["100644 a → ", "40000 b → ", "100644 c → "]);
  });

  it("are those whose mode differs, in whatever way it is written", () => {
    const written = treeBytes(["100755 a"], ["040000 b"], ["100644 c"]);
    assert.deepEqual(differences(tree, written), ["100644 a → 100755 a", "40000 b → 040000 b"]);
  });

  it("are two where a file became a folder, in the order of paths", () => {
    const [file, folder] = [treeBytes(["100644 a"], ["100644 a.b"]), treeBytes(["100644 a.b"], ["40000 a"])];
    assert.deepEqual(differences(file, folder), ["100644 a → ", " → 40000 a"]);
  });

  it("are complete where entries are out of order, or there twice", () => {
    const odd = treeBytes(["100644 c"], ["100644 a", "1"], ["100644 a", "2"]);
    const found = differences(tree, odd).join("\n");
    for (const name of ["40000 b → ", " → 100644 a"]) assert.ok(found.includes(name), found);
    assert.deepEqual(differences(odd, odd), []);
  });

  it("pause now and then, however many entries are equal", () => {
    const many = (count: number, content: string) =>
      treeBytes(...Array.from({ length: count }, (_, i) => [`100644 ${i}`, content] as const));
    const pauses = (old: Uint8Array, now: Uint8Array) =>
      [...differingEntries(old, now)].filter((pair) => pair === undefined).length;
    const [some, others] = [many(50_000, "1"), many(50_000, "2")];
    for (const count of [pauses(some, some), pauses(some, others)]) assert.ok(count >= 10, `${count}`);
  });

  it("fail as damage where the bytes are no tree", () => {
    for (const odd of [tree.subarray(0, -1), encoder.encode("x a\0"), encoder.encode("100644 \0")]) {
      assert.throws(() => differences(tree, odd), DamagedError);
      assert.throws(() => differences(odd, tree), DamagedError);
    }
  });
});

describe("findEntry", () => {
  it("finds entries by their whole names, at once or in a large tree", async () => {
    const count = 10_000;
    const bytes = treeBytes(...Array.from({ length: count }, (_, i) => [`100644 ${i}`, `${i}`] as const));
    for (const i of [0, count - 1]) {
      assert.deepEqual(await findEntry(bytes, encoder.encode(`${i}`), new Task()), parseTree(bytes)[i]);
    }
    assert.ok(findEntry(bytes, encoder.encode("0"), new Task()) instanceof Promise === false);
    assert.equal(await findEntry(bytes, encoder.encode(`${count}`), new Task()), undefined);
    assert.equal(findEntry(new Uint8Array(), encoder.encode("0"), new Task()), undefined);
  });
});
