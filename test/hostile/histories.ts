/** Hostile commits and histories. */
import { Buffer } from "node:buffer";
import { numbers } from "../git/random_history.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { putBlob, putCommit, putTree } from "../support/world.ts";
import { type HostileClass, setHead, type Target } from "./target.ts";

const encoder = new TextEncoder();
const SECONDS = 1_780_000_000;
const PERSON = "Mallory <mallory@example.org>";

/** An id without an object. */
export function absentOid(i: number): Oid {
  return (i + 1).toString(16).padStart(40, "b") as Oid;
}

/** A commit object made from its parts, without a new tree for each. */
export function commitBytes(
  tree: Oid,
  parents: readonly Oid[],
  timeSeconds: number,
  message: string,
): Uint8Array {
  const lines = parents.map((parent) => `parent ${parent}\n`).join("");
  const time = `${PERSON} ${timeSeconds} +0000`;
  return encoder.encode(`tree ${tree}\n${lines}author ${time}\ncommitter ${time}\n\n${message}`);
}

/** Puts a line of commits with the same tree; returns the last one. */
export function putLine(
  target: Target,
  count: number,
  first: Oid,
  each: (oid: Oid, i: number) => void = () => {},
): Oid {
  const tree = putTree(target, { README: "Line\n" });
  let tip = first;
  for (let i = 0; i < count; i++) {
    tip = target.put("commit", commitBytes(tree, [tip], SECONDS + i, `${i}`));
    each(tip, i);
  }
  return tip;
}

const views = (oid: Oid) => [`/commits/${oid}`, `/tree/${oid}/`, `/commits?parent=${oid}`, `/readme/${oid}`];

/** Messages of white space, huge messages, and headers without an end. */
export const messages: HostileClass = {
  name: "commit messages",
  fill(target, { alice, head }) {
    const texts = [
      `a${" ".repeat(100_000)}b`,
      `${"\n \t".repeat(60_000)}x`,
      `a\n${"\n".repeat(1_000_000)}b`,
      `a\n${" \n".repeat(400_000)}`,
      `${"word ".repeat(200_000)}\n\n${"x\r\n".repeat(200_000)}`,
    ];
    const tree = putTree(target, { README: "Message\n" });
    let tip = head;
    const all: Oid[] = [];
    for (const text of texts) all.push(tip = target.put("commit", commitBytes(tree, [tip], SECONDS, text)));
    setHead(target, alice, tip);
    return ["/commits", ...all.flatMap(views)];
  },
};

/** Commits of many megabytes, or with such sizes in their headers: messages, headers, encodings. */
export const hugeCommits: HostileClass = {
  name: "huge commits",
  fill(target, { alice, head }) {
    const tree = putTree(target, { README: "Huge\n" });
    const message = target.put("commit", commitBytes(tree, [head], SECONDS, "m".repeat(60 * 2 ** 20)));
    const endless = target.put("commit", encoder.encode(`tree ${tree}\n${"x".repeat(100 * 2 ** 20)}`));
    const nearly = target.put("commit", commitBytes(tree, [head], SECONDS, "n\n".repeat(2.2 * 2 ** 20)));
    const parents: Oid[] = [];
    for (let i = 0; i < 128; i++) {
      parents.push(
        target.put("commit", commitBytes(tree, [], SECONDS - i, `${i}${"p".repeat(4.5 * 2 ** 20)}`)),
      );
    }
    const octopus = target.put("commit", commitBytes(tree, [head, ...parents], SECONDS, "Octopus"));
    setHead(target, alice, octopus);
    // Whole pages would be answers of a hundred megabytes.
    const pages = [`/commits?parent=${octopus}&perPage=2`, "/commits?perPage=2", "/activity"];
    return [...views(message), ...views(endless), ...views(nearly), `/commits/${octopus}`, ...pages];
  },
};

/** Ids without objects, and commits with missing parents. */
export const missingParents: HostileClass = {
  name: "what is missing",
  fill(target, { alice, head }) {
    const tree = putTree(target, { README: "Missing\n" });
    const many = Array.from({ length: 100_000 }, (_, i) => absentOid(i));
    const octopus = target.put("commit", commitBytes(tree, [head, ...many], SECONDS, "Octopus"));
    let tip = octopus;
    for (let i = 0; i < 3000; i++) {
      tip = target.put("commit", commitBytes(tree, [tip, absentOid(200_000 + i)], SECONDS + i, `${i}`));
    }
    setHead(target, alice, tip);
    return [
      ...views(tip),
      ...Array.from({ length: 100 }, (_, i) => `/commits/${absentOid(500_000 + i)}`),
      ...Array.from({ length: 100 }, (_, i) => `/tree/${absentOid(600_000 + i)}/`),
      `/commits/${octopus}`,
    ];
  },
};

/** Twenty thousand branches on as many commits, and pages of this history. */
export const manyBranches: HostileClass = {
  name: "20,000 branches",
  fill(target, { alice, head }) {
    const tip = putLine(target, 20_000, head, (oid, i) => target.setRef(`refs/heads/branch-${i}`, oid));
    setHead(target, alice, tip);
    return [...views(tip), "/commits", "/commits?page=300&perPage=30", "/activity", "/remotes"];
  },
};

/** A long history: the whole history, far pages of it, and the times of all its commits. */
export const longHistory: HostileClass = {
  name: "a long history",
  fill(target, { alice, head }) {
    let middle = head;
    const tip = putLine(target, 60_000, head, (oid, i) => middle = i === 59_000 ? oid : middle);
    setHead(target, alice, tip);
    return [
      ...views(tip),
      `/commits?parent=${tip}&page=50000&perPage=1`,
      "/commits?path=absent&diff=none",
      `/diff/${middle}/${tip}`,
      "/activity",
    ];
  },
};

/** Criss-cross merges, repeated, and merges with very many parents. */
export const merges: HostileClass = {
  name: "merges",
  fill(target, { alice, head }) {
    const tree = putTree(target, { README: "Merges\n" });
    let [a, b] = [head, target.put("commit", commitBytes(tree, [], SECONDS, "other"))];
    for (let i = 0; i < 10_000; i++) {
      [a, b] = [
        target.put("commit", commitBytes(tree, [a, b], SECONDS + i, `a${i}`)),
        target.put("commit", commitBytes(tree, [b, a], SECONDS + i, `b${i}`)),
      ];
    }
    const roots = Array.from(
      { length: 20_000 },
      (_, i) => target.put("commit", commitBytes(tree, [], SECONDS + i, `root ${i}`)),
    );
    const octopus = target.put("commit", commitBytes(tree, [a, ...roots], SECONDS + 20_000, "Octopus"));
    setHead(target, alice, octopus);
    return [
      ...views(a),
      ...views(octopus),
      `/diff/${b}/${a}`,
      "/commits?path=absent",
      "/commits?path=README",
    ];
  },
};

/** A path of four thousand levels; every commit changes its last one. */
export const deepPaths: HostileClass = {
  name: "deep paths",
  fill(target, { alice, head }) {
    const levels = 4000;
    const path = Array(levels).fill("d").join("/");
    let tip = head;
    for (let i = 0; i < 10; i++) {
      let oid = putTree(target, { file: `${i}` });
      for (let level = 0; level < levels; level++) {
        oid = target.put("tree", treeBytes([["40000", "d", oid]]));
      }
      tip = target.put("commit", commitBytes(oid, [tip], SECONDS + i, `${i}`));
    }
    setHead(target, alice, tip);
    return [
      `/tree/${tip}/`,
      `/tree/${tip}/${path}`,
      `/blob/${tip}/${path}/file`,
      `/blob/${tip}/${path}/absent`,
      `/tree/${tip}/${"d/".repeat(3000)}`,
      `/commits?path=${"d/".repeat(2000)}&follow=true&diff=none`,
      `/commits/${tip}`,
    ];
  },
};

/** The bytes of a tree with sorted entries. */
export function treeBytes(entries: readonly (readonly [mode: string, name: string, oid: Oid])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const [mode, name, oid] of entries) {
    parts.push(encoder.encode(`${mode} ${name}\0`), Buffer.from(oid, "hex"));
  }
  return Buffer.concat(parts);
}

/** Trees of many megabytes and of a million entries. */
export const hugeTrees: HostileClass = {
  name: "huge trees",
  fill(target, { alice, head }) {
    const blob = putBlob(target, "x");
    const treeOf = (count: number, prefix: string, width: number) => {
      const bytes = Buffer.alloc(count * (8 + width + 20));
      const id = Buffer.from(blob, "hex");
      for (let i = 0, at = 0; i < count; i++) {
        at += bytes.write(
          `100644 ${prefix}${String(i).padStart(width - prefix.length, "0")}\0`,
          at,
          "latin1",
        );
        at += id.copy(bytes, at);
      }
      return target.put("tree", bytes);
    };
    const large = treeOf(1_000_000, "n", 200);
    const many = treeOf(400_000, "m", 8);
    const other = treeOf(400_001, "m", 8);
    const commits: Oid[] = [];
    let tip = head;
    for (const tree of [large, many, other, many]) {
      commits.push(tip = target.put("commit", commitBytes(tree, [tip], SECONDS + commits.length, "Tree")));
    }
    setHead(target, alice, tip);
    const pages = ["/commits", "/commits?path=m0399999&follow=true&diff=stats"];
    return [...commits.flatMap(views), `/diff/${head}/${tip}`, `/blob/${tip}/m0399999`, ...pages];
  },
};

/** Very slow diffs: many files with many differing lines, and similar files. */
export const slowDiffs: HostileClass = {
  name: "slow diffs",
  fill(target, { alice, head }) {
    const random = numbers(5);
    const folder = (files: number, lines: number) =>
      Object.fromEntries(
        Array.from({ length: files }, (_, i) => [
          `f${random(1e9)}_${i}`,
          Array.from({ length: lines }, () => `${random(40)}`).join("\n"),
        ]),
      );
    const commits: Oid[] = [];
    let tip = head;
    for (let i = 0; i < 4; i++) {
      commits.push(
        tip = putCommit(target, {
          folder: folder(60, 4000),
          parents: [tip],
          message: `${i}`,
          timeSeconds: SECONDS + i,
        }),
      );
    }
    setHead(target, alice, tip);
    // Each answer has 20 MB.
    return [...commits.slice(0, 2).map((oid) => `/commits/${oid}`), "/commits?perPage=1"];
  },
};
