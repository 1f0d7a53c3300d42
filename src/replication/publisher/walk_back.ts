/** The order in which walking back from the newest commits meets trees and blobs. */
import type { Task } from "../../scheduling/task.ts";
import type { OidTable } from "../../git/oid_table.ts";
import type { TreeCursor } from "../../git/tree.ts";
import type { Oid } from "../../ids/oid.ts";
import type { WalkedCommits } from "./commit_walk.ts";
import type { ObjectReads } from "./object_reads.ts";

/**
 * Superseded blobs that are sorted by name together: in the first stretch few, so that those of the latest
 * commits lie in one read; each further one has twice as many, up to the last number.
 */
const [FIRST_STRETCH, LAST_STRETCH] = [512, 4096];

/** The objects that were found, in any order. */
export interface FoundObjects {
  readonly reads: ObjectReads;
  readonly task: Task;
  readonly commits: WalkedCommits;
  readonly trees: OidTable;
  readonly blobs: OidTable;
}

/** Where the walk begins. */
export interface WalkStart {
  /** Rows of the commits. */
  readonly newestFirst: Uint32Array;
  readonly head: Oid | undefined;
  /** Trees and blobs to which references point. */
  readonly loose: ReadonlySet<Oid>;
}

/** Trees and blobs, by their rows, in the order in which walking back from the newest commits meets them. */
export interface MetObjects {
  /** First those of the head, the latest first. */
  readonly blobs: Uint32Array;
  /** Number of blobs of the head. */
  readonly aliveBlobs: number;
  /** 1 for each tree of the head. */
  readonly isAlive: Uint8Array;
  readonly trees: Uint32Array;
  /** For each commit, by its place in the order, where its trees begin that no newer one has. */
  readonly treeStarts: Uint32Array;
}

/** Meets trees and blobs: those of the head, then the others, walking back from the newest commits. */
export async function walkBack(
  { reads, task, commits, trees: treeTable, blobs: blobTable }: FoundObjects,
  { newestFirst, head, loose }: WalkStart,
): Promise<MetObjects> {
  const [blobs, trees] = [new Uint32Array(blobTable.size), new Uint32Array(treeTable.size)];
  const names = new Uint32Array(blobs.length);
  const [isTaken, isVisited] = [new Uint8Array(blobs.length), new Uint8Array(trees.length)];
  let [blobCount, treeCount] = [0, 0];
  const visit = async (root: Oid) => {
    await reads.visitTrees(root, (oid) => {
      const row = treeTable.rowOf(oid);
      if (row === undefined || isVisited[row] === 1) return false;
      isVisited[row] = 1;
      trees[treeCount++] = row;
      return true;
    }, (oid, cursor) => {
      const row = blobTable.rowOf(oid);
      if (row === undefined || isTaken[row] === 1) return;
      isTaken[row] = 1;
      names[row] = hashName(cursor);
      blobs[blobCount++] = row;
    });
  };
  const headRow = head === undefined ? undefined : commits.oids.rowOf(head);
  const headTree = headRow === undefined ? undefined : commits.treeOf(headRow);
  if (headTree !== undefined) await visit(headTree);
  const isAlive = isVisited.slice();
  const aliveBlobs = blobCount;
  blobs.subarray(0, aliveBlobs).sort().reverse();
  const treeStarts = new Uint32Array(newestFirst.length + 1).fill(treeCount);
  for (let i = 0; i < newestFirst.length; i++) {
    const tree = commits.treeOf(newestFirst[i]!);
    if (tree !== undefined) await visit(tree);
    treeStarts[i + 1] = treeCount;
    await task.yield();
  }
  for (const oid of loose) if (treeTable.rowOf(oid) !== undefined) await visit(oid);
  for (let row = 0; row < blobs.length; row++) if (isTaken[row] === 0) blobs[blobCount++] = row;
  for (let start = aliveBlobs, size = FIRST_STRETCH; start < blobs.length;) {
    const places = Uint32Array.from({ length: Math.min(size, blobs.length - start) }, (_, i) => start + i);
    places.sort((a, b) => names[blobs[a]!]! - names[blobs[b]!]! || a - b);
    blobs.set(places.map((place) => blobs[place]!), start);
    start += places.length;
    size = Math.min(2 * size, LAST_STRETCH);
    await task.yield();
  }
  return { blobs, aliveBlobs, isAlive, trees, treeStarts };
}

/** A number for the name of an entry, mostly another one for another name (FNV-1a). */
function hashName({ bytes, nameStart, nameEnd }: TreeCursor): number {
  let hash = 0x811c9dc5;
  for (let at = nameStart; at < nameEnd; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash >>> 0;
}
