/**
 * Loads the graph of the entries (signed changes) of one collaborative object, orders the entries, and drops
 * each refused entry together with all of its descendants.
 */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Task } from "../../scheduling/task.ts";
import type { Entry } from "./entry.ts";
import type { EntryFound } from "./entry_reader.ts";
import { Refusal } from "../op.ts";
import type { Rules } from "../rules.ts";

/** Maximum number of entries of an object. An object with more entries is not evaluated. */
export const MAX_ENTRIES = 32_768;
/** Number of entries in one call of `read`. */
const BATCH = 64;
/** Total size of the actions of a graph, in bytes, beyond which `GraphLimits.enter` is called. */
export const LARGE_GRAPH_BYTES = 2 ** 20;
/**
 * Maximum total size of a graph's actions in memory, in bytes. Beyond this size, entries are loaded without
 * their actions.
 */
export const GRAPH_ACTION_BYTES = 16 * 2 ** 20;

export interface GraphLimits {
  /**
   * Maximum total size of actions in memory, in bytes. Beyond this size, entries are loaded without their
   * actions.
   */
  readonly actionBytes: number;
  /**
   * Waits for a slot for large objects. Called once, when the total size of the actions exceeds
   * {@link LARGE_GRAPH_BYTES}. Loading continues when the returned promise resolves.
   */
  readonly enter?: (() => Promise<void>) | undefined;
}

/** The readable entries of an object. */
export interface Graph<A> {
  readonly entries: ReadonlyMap<Oid, Entry<A>>;
  /** Direct children of each entry. */
  readonly dependents: ReadonlyMap<Oid, readonly Entry<A>[]>;
  /** Whether all commits were found. A missing commit may be fetched later. */
  readonly isComplete: boolean;
  /**
   * Target of a reference that git cannot read as a commit; `undefined` if there is none. The Radicle
   * programs do not follow such a reference.
   */
  readonly malformed: Oid | undefined;
}

export interface Outcome {
  /** Refused entries and their descendants. */
  readonly dropped: ReadonlySet<Oid>;
  /**
   * Parents for a new entry, in ascending order: entries that are not dropped, and have no child that is not
   * dropped. Even an entry that is unreachable from the root can be a parent.
   */
  readonly tips: readonly Oid[];
}

/**
 * Loads the entries that are reachable from the targets of the references. An unreadable commit is left out,
 * and the commits that are reachable only through an unreadable commit are left out with it.
 *
 * @throws {DamagedError} when the target of a reference is missing, or there are too many entries.
 */
export async function loadGraph<A>(
  read: (oids: readonly Oid[], task: Task) => Promise<readonly EntryFound<A>[]>,
  targets: readonly Oid[],
  task: Task,
  { actionBytes, enter }: GraphLimits = { actionBytes: Infinity },
): Promise<Graph<A>> {
  const entries = new Map<Oid, Entry<A>>();
  const dependents = new Map<Oid, Entry<A>[]>();
  const seen = new Set<Oid>(targets);
  const starts = new Set<Oid>(targets);
  const waiting = [...seen];
  let isComplete = true;
  let allBytes = 0;
  let hasEntered = enter === undefined;
  let memoryBytes = 0;
  let malformed: Oid | undefined;
  while (waiting.length > 0) {
    const oids = waiting.splice(-BATCH);
    for (const [i, entry] of (await read(oids, task)).entries()) {
      const isStart = starts.has(oids[i]!);
      if (typeof entry === "string") {
        if (entry === "missing" && isStart) throw new DamagedError(`Entry ${oids[i]} is missing`);
        if (entry === "damaged" && isStart) malformed ??= oids[i];
        if (entry === "missing") isComplete = false;
        continue;
      }
      if (entry.isMalformed && isStart) malformed ??= entry.id;
      const isInMemory = !entry.isBare && memoryBytes + entry.bytes <= actionBytes;
      if (isInMemory) memoryBytes += entry.bytes;
      allBytes += entry.bytes;
      const loaded: Entry<A> = isInMemory ? entry : { ...entry, actions: undefined, isBare: true };
      entries.set(entry.id, loaded);
      for (const parent of new Set(entry.parents)) {
        const others = dependents.get(parent);
        if (others === undefined) dependents.set(parent, [loaded]);
        else others.push(loaded);
        if (seen.has(parent)) continue;
        seen.add(parent);
        waiting.push(parent);
      }
    }
    if (!hasEntered && allBytes > LARGE_GRAPH_BYTES) {
      hasEntered = true;
      await enter?.();
    }
    if (seen.size > MAX_ENTRIES) throw new DamagedError(`An object has more than ${MAX_ENTRIES} entries`);
    await task.yield();
  }
  return { entries, dependents, isComplete, malformed };
}

/**
 * Checks that git can read the target of each reference as a commit.
 *
 * @throws {DamagedError} when git cannot read a target. The Radicle programs also fail in this case.
 */
export function requireFollowed({ malformed }: Graph<unknown>): void {
  if (malformed !== undefined) throw new DamagedError(`Entry ${malformed} is not a commit that git can read`);
}

/**
 * Returns the first entry of an object, whose id is the id of the object.
 *
 * @throws {DamagedError} when the first entry cannot be read, or when the rules require an entry without
 *   parents and the object has no such entry.
 */
export function rootOf<A>({ entries }: Graph<A>, id: Oid, { needsBeginning }: Rules): Entry<A> {
  const root = entries.get(id);
  if (root === undefined) throw new DamagedError("The first entry cannot be read");
  const hasBeginning = root.parents.length === 0 ||
    [...entries.values()].some(({ parents }) => parents.length === 0);
  if (needsBeginning && !hasBeginning) throw new DamagedError("The object has no first entry");
  return root;
}

/**
 * Returns the entries that are reachable from the root, without the root, in the order in which they are
 * applied. Concurrent branches are applied one after the other, each as a whole, in the order of their first
 * entries. Children of the root are applied in descending order of their ids, as in the Radicle programs.
 */
export function orderEntries<A>(graph: Graph<A>, root: Oid, rules: Rules): readonly Entry<A>[] {
  const compare = rules.siblings === "time"
    ? (a: Entry<A>, b: Entry<A>) => compareTimes(a, b) || compareIds(a, b)
    : compareIds;
  const above = (id: Oid) => graph.dependents.get(id) ?? [];
  const order: Entry<A>[] = [];
  const seen = new Set<Oid>();
  // The last entry of `next` is taken first. An entry is added to `order` after all of its children.
  const path: { entry?: Entry<A>; next: Entry<A>[] }[] = [{
    next: above(root).toSorted((a, b) => compareIds(b, a)),
  }];
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const entry = step.next.pop();
    if (entry === undefined) {
      if (step.entry !== undefined) order.push(step.entry);
      path.pop();
    } else if (!seen.has(entry.id)) {
      seen.add(entry.id);
      path.push({ entry, next: above(entry.id).toSorted(compare) });
    }
  }
  return order.reverse();
}

/**
 * Calls `visit` for each entry in `order`. When `visit` throws a {@link Refusal}, the entry and all of its
 * descendants are dropped. As in the Radicle programs, changes that `visit` made before the refusal are not
 * undone.
 */
export async function visitEntries<A>(
  graph: Graph<A>,
  order: readonly Entry<A>[],
  task: Task,
  visit: (entry: Entry<A>, dropped: ReadonlySet<Oid>) => void | Promise<void>,
): Promise<Outcome> {
  const dropped = new Set<Oid>();
  for (const entry of order) {
    if (dropped.has(entry.id)) continue;
    try {
      await visit(entry, dropped);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      drop(graph, entry.id, dropped);
    }
    await task.yield();
  }
  const tips = [...graph.entries.keys()].filter((id) => !dropped.has(id) && !isCovered(graph, id, dropped))
    .sort();
  return { dropped, tips };
}

/** Checks whether a commit is an entry that was not dropped, or the parent of such an entry. */
export function isReachable<A>(graph: Graph<A>, id: Oid, dropped: ReadonlySet<Oid>): boolean {
  return graph.entries.has(id) && !dropped.has(id) || isCovered(graph, id, dropped);
}

/**
 * Returns the newest of the entries that all graphs contain, in ascending order. An entry counts as newest
 * if, in at least one graph, none of its children is an entry that all graphs contain.
 */
export function findSharedTips<A>(graphs: readonly Graph<A>[]): readonly Oid[] {
  const [first, ...others] = graphs;
  const shared = new Set(
    [...first?.entries.keys() ?? []].filter((id) => others.every((graph) => graph.entries.has(id))),
  );
  const isCoveredIn = ({ dependents }: Graph<A>, id: Oid) =>
    (dependents.get(id) ?? []).some((entry) => shared.has(entry.id));
  return [...shared].filter((id) => !graphs.every((graph) => isCoveredIn(graph, id))).sort();
}

function drop<A>(graph: Graph<A>, id: Oid, dropped: Set<Oid>): void {
  const waiting = [id];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (dropped.has(at)) continue;
    dropped.add(at);
    for (const entry of graph.dependents.get(at) ?? []) waiting.push(entry.id);
  }
}

function isCovered<A>(graph: Graph<A>, id: Oid, dropped: ReadonlySet<Oid>): boolean {
  return (graph.dependents.get(id) ?? []).some((entry) => !dropped.has(entry.id));
}

function compareTimes(a: Entry<unknown>, b: Entry<unknown>): number {
  const difference = a.timeSeconds - b.timeSeconds;
  if (difference !== 0 || a.exactSeconds === b.exactSeconds) return difference;
  return (a.exactSeconds ?? BigInt(a.timeSeconds)) < (b.exactSeconds ?? BigInt(b.timeSeconds)) ? -1 : 1;
}

function compareIds(a: { id: Oid }, b: { id: Oid }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
