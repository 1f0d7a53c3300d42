/**
 * Brake: stops a change that would lose an entry. A change moves the node's own reference to a new entry on
 * top of all entries that count. An entry that does not count, or cannot be read, is not below the new entry.
 * The reference would no longer reach it, but other programs may count it.
 */
import { unlessDamaged } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import { MAX_ENTRY_TREE_BYTES, parseEntryTree } from "../entry/entry_tree.ts";
import { MAX_ENTRY_COMMIT_BYTES, parseEntryCommit } from "../entry/entry_commit.ts";
import type { EntryReader } from "../entry/entry_reader.ts";
import { type Graph, loadGraph, MAX_ENTRIES } from "../entry/graph.ts";

/** Limits of a graph without actions. */
const NO_ACTIONS = { actionBytes: 0 };

/** The parts of a reader that this module uses. */
type Reader = Pick<EntryReader<unknown>, "read" | "rules">;

/**
 * Finds an existing entry that is reachable from `own` but not from `tips`, and that stands on no other lost
 * entry; `undefined` when there is none.
 *
 * An unreadable entry counts as lost, unless its objects are certainly missing; the entries below an
 * unreadable one are not searched. An entry with missing objects does not count, but the entries below it do.
 * Reads at most {@link MAX_ENTRIES} entries on either side, each once. Beyond that, the rest counts as lost.
 */
export async function findLostEntry(
  reader: Reader,
  repository: Repository,
  own: Oid,
  tips: readonly Oid[],
  task: Task,
): Promise<Oid | undefined> {
  const read = (oids: readonly Oid[]) => reader.read(repository, oids, task, true);
  const reachable = await loadGraph(read, tips, task, NO_ACTIONS);
  /** Lost entries in the order of discovery, each with its parents. */
  const lost = new Map<Oid, readonly Oid[]>();
  const seen = new Set<Oid>([own]);
  for (const oid of seen) {
    if (isReached(reachable, oid)) continue;
    const isTooMany = seen.size > MAX_ENTRIES;
    const { isGone, parents } = isTooMany ? UNKNOWN : await look(reader, repository, oid, task);
    if (!isGone) lost.set(oid, parents);
    if (isTooMany) break;
    for (const parent of parents) seen.add(parent);
    await task.yield();
  }
  for (const [oid, parents] of lost) if (!parents.some((parent) => lost.has(parent))) return oid;
  return undefined;
}

function isReached({ entries, dependents }: Graph<unknown>, oid: Oid): boolean {
  return entries.has(oid) || dependents.has(oid);
}

/** An entry that is not reachable from the tips. */
interface Found {
  readonly isGone: boolean;
  /** Parents of the entry, if it is readable. */
  readonly parents: readonly Oid[];
}

/** An existing entry that cannot be read. */
const UNKNOWN: Found = { isGone: false, parents: [] };

async function look(reader: Reader, repository: Repository, oid: Oid, task: Task): Promise<Found> {
  const [entry] = await reader.read(repository, [oid], task, true);
  if (entry === undefined || entry === "missing") return { isGone: true, parents: [] };
  if (typeof entry === "object") return { isGone: false, parents: entry.parents };
  return await unlessDamaged(() => lookAtObjects(reader, repository, oid)) ?? UNKNOWN;
}

/**
 * Checks whether the tree of an unreadable entry, its manifest or an action is missing.
 */
async function lookAtObjects({ rules }: Reader, repository: Repository, oid: Oid): Promise<Found> {
  const commit = await repository.object(oid, { limitBytes: MAX_ENTRY_COMMIT_BYTES });
  if (commit === undefined) return UNKNOWN;
  const { parents, tree } = parseEntryCommit(commit.bytes, rules);
  if (await repository.header(tree) === undefined) return { isGone: true, parents };
  const entries = await repository.object(tree, { limitBytes: MAX_ENTRY_TREE_BYTES });
  if (entries === undefined) return UNKNOWN;
  const { manifest, actions, hidden } = parseEntryTree(entries.bytes);
  for (const blob of [manifest, ...actions, ...hidden]) {
    if (await repository.header(blob) === undefined) return { isGone: true, parents };
  }
  return UNKNOWN;
}
