/** Hostile diffs: files at the limits of comparison and display, and more files than the limit. */
import type { Oid } from "../../src/ids/oid.ts";
import { oidToBytes } from "../../src/ids/oid.ts";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { commitBytes } from "./histories.ts";
import { type HostileClass, setHead, type Target } from "./target.ts";

const SECONDS = 1_780_000_000;
const MEBIBYTE = 2 ** 20;

const encoder = new TextEncoder();

/** A tree of files by their names. */
function putFiles(target: Target, files: Readonly<Record<string, Oid>>): Oid {
  const names = Object.keys(files).sort();
  return target.put(
    "tree",
    joinBytes(names.flatMap((name) => [encoder.encode(`100644 ${name}\0`), oidToBytes(files[name]!)])),
  );
}

/**
 * A text of many lines of a few words, in an order derived from `step`: texts of different steps have little
 * in common.
 */
function scattered(lines: number, step: number): Uint8Array {
  return encoder.encode(Array.from({ length: lines }, (_, i) => `${i * step % 997}\n`).join(""));
}

/** Texts that are many times as long in JSON, or slow to compare; each is a commit on top of the same one. */
export const largeFiles: HostileClass = {
  name: "large files in diffs",
  fill(target, { alice, head }) {
    const put = (bytes: Uint8Array) => target.put("blob", bytes);
    const filled = (bytes: number, byte: number) => put(new Uint8Array(bytes).fill(byte));
    const pairs: readonly (readonly [Oid, Oid])[] = [
      [filled(10, 0x0a), filled(2 * MEBIBYTE + 1, 0x0a)],
      [filled(10, 0x0a), filled(2 ** 17, 0x0a)],
      [filled(10, 0x20), filled(16 * MEBIBYTE + 1, 0x20)],
      [put(scattered(2 ** 18 + 1, 7)), put(scattered(2 ** 18 + 1, 11))],
    ];
    const commits = pairs.map(([old, now], i) => {
      const before = target.put(
        "commit",
        commitBytes(putFiles(target, { file: old }), [head], SECONDS, `old ${i}`),
      );
      return target.put(
        "commit",
        commitBytes(putFiles(target, { file: now }), [before], SECONDS, `new ${i}`),
      );
    });
    setHead(target, alice, commits[0]!);
    return [...commits.map((oid) => `/commits/${oid}`), `/commits?parent=${commits[0]}&perPage=2`];
  },
};

/** Many files that were moved, or may have been: the search for them is quadratic where it has no bounds. */
export const movedFiles: HostileClass = {
  name: "moved files",
  fill(target, { alice, head }) {
    const blob = (text: string) => target.put("blob", encoder.encode(text));
    const [one, empty] = [blob("one\n"), blob("")];
    const numbered = (count: number, prefix: string, oidOf: (i: number) => Oid) =>
      Array.from({ length: count }, (_, i) => [`${prefix}${String(i).padStart(6, "0")}`, oidOf(i)] as const);
    const tree = (...lists: readonly (readonly (readonly [string, Oid])[])[]) =>
      putFiles(target, Object.fromEntries(lists.flat()));
    const alike = (i: number, side: string) => blob(`${"same\n".repeat(8)}${side} ${i}\n`);
    const apart = (i: number, side: string) => blob(`${i} ${side}\n`.repeat(12) + `${i}\n`.repeat(12));
    const trees: readonly (readonly [Oid, Oid])[] = [
      // Files without a piece in common with any other.
      [tree(numbered(30_000, "old", () => one)), tree(numbered(1100, "new", () => empty))],
      [tree(numbered(30_000, "old", () => empty)), tree(numbered(1100, "new", () => one))],
      // One more pair than libgit2 is asked for, all of them alike, and then each with one other.
      [
        tree(numbered(1200, "old", (i) => alike(i, "old"))),
        tree(numbered(1200, "new", (i) => alike(i, "new"))),
      ],
      [
        tree(numbered(1200, "old", (i) => apart(i, "old"))),
        tree(numbered(1200, "new", (i) => apart(i, "new"))),
      ],
      // Fewer pairs than that, all of them alike.
      [
        tree(numbered(700, "old", (i) => alike(i, "old"))),
        tree(numbered(700, "new", (i) => alike(i, "new"))),
      ],
      // The same, but few contents.
      ...[1000, 1200].map((count) =>
        [
          tree(numbered(count, "old", () => alike(0, "old"))),
          tree(numbered(count, "new", () => alike(0, "new"))),
        ] as const
      ),
      // Many equal files.
      [tree(numbered(5000, "old", () => one)), tree(numbered(5000, "new", () => one))],
    ];
    const commits = trees.map(([old, now], i) => {
      const before = target.put("commit", commitBytes(old, [head], SECONDS, `old ${i}`));
      return target.put("commit", commitBytes(now, [before], SECONDS, `new ${i}`));
    });
    setHead(target, alice, commits[0]!);
    return commits.map((oid) => `/commits/${oid}`);
  },
};

/** More files than the limit, many files below it, and too much text to search for moved files. */
export const manyFiles: HostileClass = {
  name: "many files in diffs",
  fill(target, { alice, head }) {
    const numbered = (count: number, prefix: string, oidOf: (i: number) => Oid) =>
      putFiles(
        target,
        Object.fromEntries(
          Array.from(
            { length: count },
            (_, i): [string, Oid] => [`${prefix}${String(i).padStart(6, "0")}`, oidOf(i)],
          ),
        ),
      );
    const one = target.put("blob", encoder.encode("one\n"));
    const texts = Array.from({ length: 64 }, (_, i) => target.put("blob", scattered(240_000, 2 * i + 1)));
    const trees: readonly (readonly [Oid, Oid])[] = [
      [putFiles(target, {}), numbered(200_001, "a", () => one)],
      [putFiles(target, {}), numbered(20_000, "a", () => one)],
      [numbered(64, "old", (i) => texts[i]!), numbered(64, "new", (i) => texts[63 - i]!)],
    ];
    const commits = trees.map(([old, now], i) => {
      const before = target.put("commit", commitBytes(old, [head], SECONDS, `old ${i}`));
      return target.put("commit", commitBytes(now, [before], SECONDS, `new ${i}`));
    });
    setHead(target, alice, commits[0]!);
    return [...commits.map((oid) => `/commits/${oid}`), `/commits?parent=${commits[0]}&perPage=2`];
  },
};
