/**
 * Finds the branches that contain a commit, and computes the statistics of a history (specification, 2.5,
 * 4.2).
 */
import type { Task } from "../scheduling/task.ts";
import { type CommitGraph, isIn, type OpenedRepository } from "./commit_graph.ts";
import { ifReadable } from "../errors.ts";
import type { Ref, Repository } from "../ports/storage.ts";
import { followRef, resolveRefs } from "./references.ts";

/**
 * Maximum number of different tips for which the history of each tip is cached. If there are more tips, all
 * histories are searched together.
 */
export const TIPS_ONE_BY_ONE = 64;

/** Maximum number of commits for which all histories are searched together: the number of bits in a word. */
export const COMMITS_TOGETHER = 32;

/** Number of heads whose objects are looked up concurrently. */
const HEADS_AT_ONCE = 64;

/** Number of names or tips that are processed in one step, which takes less than a millisecond. */
const NAMES_AT_ONCE = 2048;

/** The branches of a repository, with their tips loaded into the commit graph. */
export interface Branches {
  /**
   * Returns for each of the commits, at most {@link COMMITS_TOGETHER}, the full names of the branches that
   * contain the commit: local heads, then remote branches, each group in bytewise order.
   */
  containing(rows: readonly number[]): Promise<string[][]>;
}

/** Statistics of a history (specification, 2.5). */
export interface HistoryStats {
  readonly commits: number;
  readonly branches: number;
  readonly contributors: number;
}

interface Tip {
  readonly name: string;
  readonly row: number;
}

/** Loads the branches of a repository. Branches whose tip is not a readable commit are left out. */
export async function loadBranches({ objects, graph, task }: OpenedRepository): Promise<Branches> {
  const tips: Tip[] = [];
  const rows = new Set<number>();
  for (const prefix of ["refs/heads/", "refs/remotes/"]) {
    for (const { name, oid } of await resolveRefs(objects, prefix, task)) {
      const row = await graph.load(objects, oid, task);
      if (row !== undefined) {
        tips.push({ name, row });
        rows.add(row);
      }
      await task.yield();
    }
  }
  const areFew = rows.size <= TIPS_ONE_BY_ONE;
  return {
    containing: (wanted) =>
      areFew ? lookOneByOne(graph, tips, wanted) : lookTogether(graph, tips, wanted, task),
  };
}

/** Returns the statistics of the history of a commit. `branches` is the result of {@link countBranches}. */
export async function historyStats(
  { objects, graph, task }: OpenedRepository,
  tip: number,
): Promise<HistoryStats> {
  const { commits, contributors } = await graph.count(tip, objects);
  return { commits, branches: await countBranches({ objects, task }), contributors };
}

/** Results of {@link countBranches}, by the array of heads that the storage returned. */
const counts = new WeakMap<readonly Ref[], Promise<number>>();

/** Counts the local heads whose object exists, as git does. */
export async function countBranches(
  { objects, task }: Pick<OpenedRepository, "objects" | "task">,
): Promise<number> {
  const heads = await objects.refs("refs/heads/");
  let count = counts.get(heads);
  if (count === undefined) {
    counts.set(heads, count = countLeading(heads, objects, task));
    count.catch(() => counts.delete(heads));
  }
  return await count;
}

async function countLeading(heads: readonly Ref[], objects: Repository, task: Task): Promise<number> {
  let count = 0;
  for (let at = 0; at < heads.length; at += HEADS_AT_ONCE) {
    const some = heads.slice(at, at + HEADS_AT_ONCE);
    const areLeading = await Promise.all(some.map((ref) => leadsToObject(objects, ref)));
    count += areLeading.filter(Boolean).length;
    await task.yield();
  }
  return count;
}

async function leadsToObject(objects: Repository, ref: Ref): Promise<boolean> {
  const oid = (await followRef(objects, ref))?.oid;
  return oid !== undefined && await ifReadable(() => objects.header(oid)) !== undefined;
}

async function lookOneByOne(
  graph: CommitGraph,
  tips: readonly Tip[],
  wanted: readonly number[],
): Promise<string[][]> {
  const found: string[][] = wanted.map(() => []);
  for (const { name, row } of tips) {
    const ancestors = await graph.ancestors(row);
    for (const [i, commit] of wanted.entries()) if (isIn(ancestors, commit)) found[i]!.push(name);
  }
  return found;
}

async function lookTogether(
  graph: CommitGraph,
  tips: readonly Tip[],
  wanted: readonly number[],
  task: Task,
): Promise<string[][]> {
  const bits = await graph.bitsOf(wanted, task);
  const found: string[][] = [];
  for (let i = 0; i < wanted.length; i++) {
    const bit = 1 << i;
    const names: string[] = [];
    for (let at = 0; at < tips.length; at++) {
      const { name, row } = tips[at]!;
      if ((bits[row]! & bit) !== 0) names.push(name);
      if (at % NAMES_AT_ONCE === 0) await task.yield();
    }
    found.push(names);
  }
  return found;
}
