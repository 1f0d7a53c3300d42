import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findRelations } from "../../../src/diff/renames/relations.ts";
import type { Change, FileSide } from "../../../src/diff/tree_comparison.ts";
import { hashObject } from "../../../src/git/encode.ts";
import type { EntryKind } from "../../../src/git/tree.ts";
import type { Oid } from "../../../src/ids/oid.ts";

const encoder = new TextEncoder();

/**
 * Deleted and added files given as text, and what is found to be related: numbers of both, with a question
 * mark unless that is sure.
 */
async function relationsOf(
  deleted: readonly (string | undefined)[],
  added: readonly (string | undefined)[],
  mode: EntryKind = "blob",
): Promise<string[] | undefined> {
  const texts = new Map<Oid, Uint8Array>();
  const put = (text: string | undefined): FileSide => {
    const bytes = encoder.encode(text ?? "not looked into");
    const oid = hashObject("blob", bytes);
    if (text !== undefined) texts.set(oid, bytes);
    return { oid, mode };
  };
  const path = "";
  const sources = deleted.map((text): Change => ({ path, old: put(text) }));
  const targets = added.map((text): Change => ({ path, new: put(text) }));
  const candidates = {
    sources: Map.groupBy(sources, ({ old }) => old!.oid),
    targets: Map.groupBy(targets, (change) => change.new!.oid),
    compared: new Set(texts.keys()),
  };
  const relations: string[] = [];
  const blobs = {
    bytesIn: (oids: Iterable<Oid>) => [...oids].reduce((sum, oid) => sum + texts.get(oid)!.length, 0),
    async *read(oids: Iterable<Oid>) {
      yield [...oids].map((oid) => [oid, texts.get(oid)!] as const);
    },
  };
  const areFound = await findRelations(candidates, blobs, (relation) => {
    const { from, to, areSurelyAlike } = relation;
    relations.push(`${sources.indexOf(from)} → ${targets.indexOf(to)}${areSurelyAlike ? "" : "?"}`);
    return true;
  });
  return areFound ? relations.sort() : undefined;
}

/** A text of lines that no other text has. */
const linesOf = (word: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${word} ${i}\n`).join("");

describe("relations", () => {
  it("are between files that are alike, or may be", async () => {
    const [one, two, long] = [linesOf("one", 10), linesOf("two", 10), linesOf("long", 500)];
    assert.deepEqual(
      await relationsOf([one, two, long], [`${two}more\n`, `${long}more\n`, linesOf("new", 10)]),
      [
        "1 → 0",
        "2 → 1?",
      ],
    );
  });

  it("exist between equal files, even unread ones, and may exist between files with zero bytes", async () => {
    assert.deepEqual(await relationsOf(["\0", undefined, "a\n"], [undefined, "\0"]), [
      "0 → 1",
      "1 → 0",
      "2 → 1?",
    ]);
  });

  it("are not sure between links, and between files of quite another size", async () => {
    const lines = linesOf("a", 10);
    assert.deepEqual(await relationsOf([lines], [`${lines}b\n`], "link"), ["0 → 0?"]);
    assert.deepEqual(await relationsOf([lines], [lines.replaceAll("a", " ".repeat(40) + "a")]), ["0 → 0?"]);
  });

  it("are not searched where it takes too long", async () => {
    const lines = 2 ** 11;
    const shared = linesOf("shared", lines);
    const texts = (word: string, count: number) =>
      Array.from({ length: count }, (_, i) => linesOf(`${word}${i}`, 2 * lines) + shared);
    let files = 64;
    while (await relationsOf(texts("a", files), texts("b", files)) !== undefined) {
      files += 32;
      assert.ok(files < 256, "found, however long it takes");
    }
    const others = Array.from({ length: files }, (_, i) => linesOf(`c${i}`, lines));
    assert.deepEqual(await relationsOf(texts("a", files), others), []);
  });
});
