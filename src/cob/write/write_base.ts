/**
 * Finds the entries that become the parents of a new entry of an issue or a patch. Radicle programs of
 * several generations may use the same home, each with other rules. The new entry must be valid by each of
 * these rules. No entry may become unreachable from the node's own reference to the object.
 */
import { ConflictError, ifReadable, NotFoundError } from "../../errors.ts";
import type { OpenedRepository } from "../../git/commit_graph.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Environment } from "../../ports/environment.ts";
import { findSharedTips, type Graph, loadGraph, MAX_ENTRIES } from "../entry/graph.ts";
import type { Evaluation } from "../evaluation/evaluation.ts";
import type { ObjectState } from "../evaluation/object_types.ts";
import type { ObjectStore } from "../evaluation/store.ts";
import { isSameList } from "../entry/fields.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import {
  MAX_ENTRY_COMMIT_BYTES,
  MAX_ENTRY_TREE_BYTES,
  parseEntryCommit,
  parseEntryTree,
} from "../entry/entry_commit.ts";
import type { EntryReader } from "../entry/entry_reader.ts";
import type { Rules } from "../rules.ts";

/** An object as evaluated by the rules of one generation. */
export interface View<S extends ObjectState> {
  readonly store: ObjectStore<S>;
  readonly evaluation: Evaluation<S>;
}

export interface WriteBase<S extends ObjectState> {
  /** The object as evaluated by each of the rules, in the order of the stores. */
  readonly views: readonly [View<S>, ...View<S>[]];
  /**
   * Parents of the new entry, in ascending order. Every entry that all rules accept is a parent or an
   * ancestor of a parent.
   */
  readonly tips: readonly Oid[];
}

export interface ChangedObject extends OpenedRepository {
  readonly object: Oid;
  /** Target of the node's own reference to the object. */
  readonly own: Oid | undefined;
  readonly log: Environment["log"];
}

/**
 * Finds the parents of a new entry. If all rules agree about the newest entries of the object, these entries
 * become the parents. Otherwise, another node has written an entry that only some of the rules accept. The
 * newest entries that all rules accept then become the parents.
 *
 * @param stores A store for each of the rules in force. The rules by which clients see the object come first.
 * @throws {NotFoundError} when the object does not exist.
 * @throws {ConflictError} when the object does not exist by some of the rules, when it has too many entries,
 *   or when an entry would become unreachable from the node's own reference.
 */
export async function findWriteBase<S extends ObjectState>(
  stores: readonly [ObjectStore<S>, ...ObjectStore<S>[]],
  changed: ChangedObject,
): Promise<WriteBase<S>> {
  const { objects, task, object, own } = changed;
  const [store, ...others] = stores;
  const evaluation = await store.get(changed, object, own);
  if (evaluation === undefined) throw new NotFoundError("Not Found");
  const views: [View<S>, ...View<S>[]] = [{ store, evaluation }];
  for (const other of others) {
    const evaluation = await other.get(changed, object, own);
    if (evaluation === undefined) {
      throw new ConflictError(`This object does not exist under ${rulesOf(other)}`);
    }
    views.push({ store: other, evaluation });
  }
  if (views.some(({ evaluation }) => evaluation.size >= MAX_ENTRIES)) {
    throw new ConflictError("The object has too many entries");
  }
  const isAgreed = views.every((view) => isSameList(view.evaluation.tips, evaluation.tips));
  const tips = isAgreed ? evaluation.tips : findSharedTips(
    await Promise.all(
      views.map(({ store, evaluation }) => loadEntries(store.reader, objects, evaluation.tips, task)),
    ),
  );
  if (own === undefined) return { views, tips };
  const doubtful = views.filter(({ evaluation }) => !evaluation.reachable.includes(own));
  // If the parents are not the newest entries by some rules, an entry that these rules accept may become
  // unreachable.
  for (const { store } of isAgreed ? doubtful : new Set([...doubtful, ...views])) {
    await checkLoss(store, changed, own, tips);
  }
  return { views, tips };
}

/**
 * Throws a {@link ConflictError} if an entry is reachable from `own` but not from `tips`. Even an entry that
 * this service refuses counts, because other programs may accept it.
 */
async function checkLoss<S extends ObjectState>(
  store: ObjectStore<S>,
  { objects, task, object, log }: ChangedObject,
  own: Oid,
  tips: readonly Oid[],
): Promise<void> {
  const lost = await findLostEntry(store.reader, objects, own, tips, task);
  if (lost === undefined) return;
  const { rid } = objects;
  log("warn", `Refused a change of ${store.type.name} ${object} of ${rid}: it would lose entry ${lost}`);
  throw new ConflictError(
    `The change would lose entry ${lost}: the node's own reference holds it, but it does not count under ` +
      `${rulesOf(store)}; change the object once with rad, so that the reference holds what rad accepts`,
  );
}

function rulesOf({ rules }: { readonly rules: Rules }): string {
  return `the rules of ${rules.generation}`;
}

type Reader = Pick<EntryReader<unknown>, "read" | "rules">;

/**
 * Finds an entry that is reachable from `own` but not from `tips`, and that would be lost if a reference
 * moved from `own` to an entry with the parents `tips`. Returns `undefined` when no entry would be lost.
 *
 * An entry whose objects are missing cannot be lost, but its ancestors can. An entry that is unreadable for
 * another reason counts as lost. At most {@link MAX_ENTRIES} entries are read from `own`. Further entries
 * count as lost.
 */
export async function findLostEntry(
  reader: Reader,
  repository: Repository,
  own: Oid,
  tips: readonly Oid[],
  task: Task,
): Promise<Oid | undefined> {
  const reachable = await loadEntries(reader, repository, tips, task);
  /** Lost entries in the order of discovery, each with its parents. */
  const lost = new Map<Oid, readonly Oid[]>();
  const seen = new Set<Oid>([own]);
  for (const oid of seen) {
    if (isReached(reachable, oid)) continue;
    const isTooMany = seen.size > MAX_ENTRIES;
    const { isGone, parents } = isTooMany ? UNKNOWN : await findEntry(reader, repository, oid, task);
    if (!isGone) lost.set(oid, parents);
    if (isTooMany) break;
    for (const parent of parents) seen.add(parent);
    await task.yield();
  }
  for (const [oid, parents] of lost) if (!parents.some((parent) => lost.has(parent))) return oid;
  return undefined;
}

/** Loads the readable entries that are reachable from `tips`, without their actions. */
async function loadEntries<A>(
  reader: Pick<EntryReader<A>, "read">,
  repository: Repository,
  tips: readonly Oid[],
  task: Task,
): Promise<Graph<A>> {
  return await loadGraph((oids) => reader.read(repository, oids, task, true), tips, task, { actionBytes: 0 });
}

function isReached({ entries, dependents }: Graph<unknown>, oid: Oid): boolean {
  return entries.has(oid) || dependents.has(oid);
}

interface Found {
  readonly isGone: boolean;
  readonly parents: readonly Oid[];
}

/** An entry that exists but cannot be read. */
const UNKNOWN: Found = { isGone: false, parents: [] };

async function findEntry(reader: Reader, repository: Repository, oid: Oid, task: Task): Promise<Found> {
  const [entry] = await reader.read(repository, [oid], task, true);
  if (entry === undefined || entry === "missing") return { isGone: true, parents: [] };
  if (typeof entry === "object") return { isGone: false, parents: entry.parents };
  return await ifReadable(() => findObjects(reader, repository, oid)) ?? UNKNOWN;
}

/** Checks whether the tree, the manifest or an action of an unreadable entry is missing. */
async function findObjects({ rules }: Reader, repository: Repository, oid: Oid): Promise<Found> {
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
