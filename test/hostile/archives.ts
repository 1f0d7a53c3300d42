/** Trees that are hostile to whoever makes or unpacks an archive of them. */
import { Buffer } from "node:buffer";
import type { Oid } from "../../src/ids/oid.ts";
import { putBlob, putTree } from "../support/world.ts";
import { commitBytes } from "./histories.ts";
import { type HostileClass, setHead, type Target } from "./target.ts";

const SECONDS = 1_780_000_000;
const MIB = 2 ** 20;
const FORMS = ["tar", "tar.gz", "zip"];

/** Mode, name and object of an entry. */
type Entry = readonly [mode: string, name: string, oid: Oid];

/** Puts a tree of entries as they are given. */
function putEntries(target: Target, entries: Iterable<Entry>): Oid {
  const parts: Uint8Array[] = [];
  for (const [mode, name, oid] of entries) {
    parts.push(Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, "hex"));
  }
  return target.put("tree", Buffer.concat(parts));
}

function* numbered(count: number, mode: string, prefix: string, oid: Oid): Generator<Entry> {
  for (let i = 0; i < count; i++) yield [mode, `${prefix}${String(i).padStart(6, "0")}`, oid];
}

/** Links with long targets, and names that lead elsewhere: refused before the first byte. */
export const refusedArchives: HostileClass = {
  name: "archives that are refused",
  isMadeAnew: true,
  fill(target, { rid }) {
    const blob = putBlob(target, "/etc");
    const links = Array.from({ length: 12 }, (_, i): Entry => {
      return ["120000", `link${i}`, putBlob(target, Buffer.alloc(16 * MIB - i, "x"))];
    });
    const names = [
      "../x",
      "..\\..\\x",
      "C:x",
      "git~1",
      ".git ",
      ".g\u200cit",
      "\x1b[31m",
      "n".repeat(8 * MIB),
    ];
    const folder = putTree(target, { x: "1" });
    // Folders of one name for macOS within each other: 2 ** 16 paths to a link, among a few trees.
    let [one, two] = [putTree(target, { a: { link: "x" } }), putTree(target, { A: { x: "1" } })];
    for (let level = 0; level < 16; level++) {
      [one, two] = [putEntries(target, [["40000", "A", one], ["40000", "a", two]]), one];
    }
    const trees = [
      ...links.map((link) => putEntries(target, [link])),
      putEntries(target, links),
      ...names.map((name) => putEntries(target, [["100644", name, blob]])),
      putEntries(target, [["120000", "A", blob], ["40000", "a", folder]]),
      putEntries(target, [...numbered(30_000, "120000", "L", blob), ["40000", "l029999", folder]]),
      one,
    ];
    return trees.flatMap((tree) => FORMS.map((form) => `//raw/${rid}/${tree}.${form}`));
  },
};

/** Archives of very many entries. */
export const largeArchives: HostileClass = {
  name: "archives of 200,000 entries",
  isMadeAnew: true,
  fill(target, { alice, head, rid }) {
    const empty = putBlob(target, "");
    const emptyFolder = putTree(target, {});
    const file = putBlob(target, "x");
    let deep = putEntries(target, numbered(100, "100644", "f", file));
    for (let level = 0; level < 1000; level++) deep = putEntries(target, [["40000", "d", deep]]);
    const many = putEntries(target, numbered(200_000, "100644", "m", empty));
    const tip = target.put("commit", commitBytes(many, [head], SECONDS, "Archives\n"));
    setHead(target, alice, tip);
    const hundred = putEntries(target, numbered(100, "100644", "f", file));
    return [
      `//raw/${rid}/${many}.tar`,
      `//raw/${rid}/${putEntries(target, numbered(10_000, "40000", "e", emptyFolder))}.tar.gz`,
      `//raw/${rid}/${putEntries(target, numbered(10_000, "120000", "l", file))}.tar.gz`,
      `//raw/${rid}/${putEntries(target, numbered(500, "40000", "s", hundred))}.tar`,
      `//raw/${rid}/${putEntries(target, numbered(20, "40000", "d", deep))}.tar.gz`,
      `//raw/${rid}/${putEntries(target, numbered(60_000, "100644", "z", file))}.zip`,
      `//raw/${rid}/${putEntries(target, numbered(20_000, "100644", "n".repeat(200), empty))}.zip`,
    ];
  },
};
