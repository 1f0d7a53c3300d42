/** Hostile commit graphs: a large one, and one whose last check fails. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Oid } from "../../src/ids/oid.ts";
import { GitRepository } from "../support/git.ts";
import { putTree } from "../support/world.ts";
import { commitBytes, putLine } from "./histories.ts";
import { type HostileClass, setHead, type Target } from "./target.ts";

const SECONDS = 1_780_000_000;
const COMMITS = 60_000;
const PARENTS = 20_000;
const GRAPH = "objects/info/commit-graph";
const COMMIT_BYTES = 36;
const CHECKSUM_BYTES = 20;

function writeGraph(path: string): void {
  new GitRepository(path).run(["commit-graph", "write", "--reachable", "--no-progress"]);
}

/** A long line of commits, and a merge with very many parents. */
function putHistory(target: Target, head: Oid): Oid {
  const tree = putTree(target, { README: "Graph\n" });
  const parents = Array.from(
    { length: PARENTS },
    (_, i) => target.put("commit", commitBytes(tree, [], SECONDS - i, `root ${i}`)),
  );
  const octopus = target.put("commit", commitBytes(tree, [head, ...parents], SECONDS, "Octopus"));
  return putLine(target, COMMITS, octopus);
}

const pathsOf = (tip: Oid) => [
  "/commits",
  `/commits?parent=${tip}&page=70000&perPage=1`,
  "/activity",
  `/tree/${tip}/`,
  "/commits?path=absent&diff=none",
];

/** A long history whose graph is right. */
export const largeGraph: HostileClass = {
  name: "a large commit graph",
  fill(target, { alice, head }) {
    const tip = putHistory(target, head);
    setHead(target, alice, tip);
    return pathsOf(tip);
  },
  finish: writeGraph,
};

/** The same history with a graph in which the last commit is its own parent, which only the last check finds. */
export const wrongGraph: HostileClass = {
  name: "a wrong commit graph",
  fill(target, { alice, head }) {
    const tip = putHistory(target, head);
    setHead(target, alice, tip);
    return pathsOf(tip);
  },
  finish(path) {
    writeGraph(path);
    const file = join(path, GRAPH);
    const bytes = readFileSync(file);
    const [at, end] = chunkOf(bytes, "CDAT");
    const last = end - COMMIT_BYTES;
    bytes.writeUInt32BE((end - at) / COMMIT_BYTES - 1, last + 20);
    createHash("sha1").update(bytes.subarray(0, -CHECKSUM_BYTES)).digest().copy(
      bytes,
      bytes.length - CHECKSUM_BYTES,
    );
    chmodSync(file, 0o644);
    writeFileSync(file, bytes);
  },
};

/** Start and end of a chunk. */
function chunkOf(bytes: Buffer, id: string): readonly [number, number] {
  let entry = 8;
  while (bytes.toString("latin1", entry, entry + 4) !== id) entry += 12;
  return [Number(bytes.readBigUInt64BE(entry + 4)), Number(bytes.readBigUInt64BE(entry + 16))];
}
