/**
 * Finds the head of a repository: the target of `HEAD`, or if this target does not exist, the commit on which
 * enough delegates agree (quorum).
 */
import { COMMITS_TOGETHER, TIPS_ONE_BY_ONE } from "../git/branches.ts";
import { type CommitGraph, isIn, type OpenedRepository } from "../git/commit_graph.ts";
import { followRef, resolveRef } from "../git/references.ts";
import { nidOfDid } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { type BranchRule, matchRule } from "./canonical_refs.ts";
import type { IdentityDoc } from "./doc.ts";

/**
 * Reads the head commit of a repository. Returns `undefined` when the repository has no head. As in the
 * Radicle programs, a symbolic `HEAD` whose target exists is used even if it is outdated.
 */
export async function readHead(repository: OpenedRepository, doc: IdentityDoc): Promise<Oid | undefined> {
  return await storedHead(repository.objects) ?? await agreedHead(repository, doc);
}

/**
 * Returns the commit to which `HEAD` leads, if `HEAD` is symbolic and its target exists; otherwise
 * `undefined`.
 */
export async function storedHead(repository: Repository): Promise<Oid | undefined> {
  const head = await repository.ref("HEAD");
  if (head?.target === undefined || !/^refs\/[^/]+\/./.test(head.target)) return undefined;
  return (await followRef(repository, head))?.oid;
}

async function agreedHead(
  { objects, graph, task }: OpenedRepository,
  doc: IdentityDoc,
): Promise<Oid | undefined> {
  const rule = headRule(doc);
  if (rule === undefined) return undefined;
  const tips: number[] = [];
  for (const did of rule.allowed) {
    const ref = await resolveRef(objects, `refs/namespaces/${nidOfDid(did)}/${rule.pattern}`);
    const row = ref === undefined ? undefined : await graph.load(objects, ref.oid, task);
    if (row !== undefined) tips.push(row);
  }
  const row = await findQuorum(graph, tips, rule.threshold, task);
  return row === undefined ? undefined : graph.commits.oidOf(row);
}

/**
 * Returns the rule for the default branch, in which `pattern` is the full name of the branch. Choice: If a
 * document has no valid rules, the project names the branch, as in programs without rules.
 */
function headRule({ readings, project, delegates, threshold }: IdentityDoc): BranchRule | undefined {
  const refs = readings.newest?.canonicalRefs;
  const rule = refs && matchRule(refs, refs.head);
  if (refs !== undefined && rule !== undefined) return { ...rule, pattern: refs.head };
  if (project === undefined) return undefined;
  return { pattern: `refs/heads/${project.defaultBranch}`, allowed: [...new Set(delegates)], threshold };
}

/**
 * Finds the newest commit that enough tips contain, in the same way as the Radicle programs since 1.1.
 * Returns `undefined` when no such commit exists, or when several such commits diverge.
 *
 * Each tip has one vote. For each pair of different tips of which one contains the other, the older tip gets
 * one more vote. The commits with at least `threshold` votes are visited in ascending order of their ids. A
 * descendant of the best commit so far becomes the best commit.
 */
export async function findQuorum(
  graph: CommitGraph,
  tips: readonly number[],
  threshold: number,
  task: Task,
): Promise<number | undefined> {
  const contains = await relationOf(graph, [...new Set(tips)], task);
  const votes = new Map<number, number>();
  const vote = (row: number) => votes.set(row, (votes.get(row) ?? 0) + 1);
  tips.forEach((tip, i) => {
    vote(tip);
    for (const other of tips.slice(i + 1)) {
      if (other === tip) continue;
      if (contains(tip, other)) vote(other);
      else if (contains(other, tip)) vote(tip);
    }
  });
  const candidates = [...votes].filter(([, count]) => count >= threshold).map(([row]) => row)
    .sort((a, b) => graph.commits.oidOf(a) < graph.commits.oidOf(b) ? -1 : 1);
  let best: number | undefined;
  for (const candidate of candidates) {
    if (best === undefined || contains(candidate, best)) best = candidate;
    else if (!contains(best, candidate)) return undefined;
  }
  return best;
}

/** Creates a function that checks whether `other` is `row` or its ancestor. */
async function relationOf(
  graph: CommitGraph,
  rows: readonly number[],
  task: Task,
): Promise<(row: number, other: number) => boolean> {
  if (rows.length <= TIPS_ONE_BY_ONE) {
    const sets = new Map<number, Uint8Array>();
    for (const row of rows) sets.set(row, await graph.ancestors(row));
    return (row, other) => isIn(sets.get(row)!, other);
  }
  const places = new Map(rows.map((row, i) => [row, i]));
  const parts: Uint32Array[] = [];
  for (let at = 0; at < rows.length; at += COMMITS_TOGETHER) {
    const bits = await graph.bitsOf(rows.slice(at, at + COMMITS_TOGETHER), task);
    parts.push(Uint32Array.from(rows, (row) => bits[row]!));
  }
  return (row, other) => {
    const place = places.get(other)!;
    const bits = parts[Math.floor(place / COMMITS_TOGETHER)]![places.get(row)!]!;
    return (bits >>> place % COMMITS_TOGETHER & 1) === 1;
  };
}
