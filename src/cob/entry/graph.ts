/** The entries of one object as a graph: which there are, in which order they count, and what falls with an entry that is refused. */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Turns } from "../../time/turns.ts";
import type { Entry } from "./entry.ts";
import type { EntryFound } from "./entry_reader.ts";
import { Refusal } from "../refusal.ts";
import type { Rules } from "../rules.ts";

/** Entries of an object beyond which it is not evaluated. */
export const MAX_ENTRIES = 32_768;
/** Entries that are asked of the reader at once. */
const BATCH = 64;
/** Actions of a graph, in bytes, beyond which it is large. */
export const LARGE_GRAPH_BYTES = 2 ** 20;
/** Actions of a graph, in bytes, beyond which it has its entries without them. */
export const GRAPH_ACTION_BYTES = 16 * 2 ** 20;

/** How much of its entries a graph holds. */
export interface GraphLimits {
  /** Actions that are held, in bytes; entries beyond that are bare. */
  readonly actionBytes: number;
  /** Called once when the graph turns out to be large; the graph waits for it. */
  readonly enter?: (() => Promise<void>) | undefined;
}

/** The entries that could be read. */
export interface Graph<A> {
  readonly entries: ReadonlyMap<Oid, Entry<A>>;
  /** The entries directly on top of each. */
  readonly dependents: ReadonlyMap<Oid, readonly Entry<A>[]>;
  /** Whether no commit was missing; one that was may be there later. */
  readonly isComplete: boolean;
  /** A commit where the walk began that git cannot read, if there is one: the real programs follow no reference to it. */
  readonly malformed: Oid | undefined;
}

/** An object after all its entries had their turn. */
export interface Outcome {
  /** Entries that were refused, and those that fell with them. */
  readonly dropped: ReadonlySet<Oid>;
  /** What a new entry is to be written on top of, ascending: remaining entries, reachable from the root or not, with none on top of them. */
  readonly tips: readonly Oid[];
}

/**
 * Loads the entries that references lead to. A commit that cannot be read is left out with what is only reachable through it.
 *
 * @throws {DamagedError} when a reference leads to no commit, or there are too many entries.
 */
export async function loadGraph<A>(
  read: (oids: readonly Oid[], turns: Turns) => Promise<readonly EntryFound<A>[]>,
  targets: readonly Oid[],
  turns: Turns,
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
  let heldBytes = 0;
  let malformed: Oid | undefined;
  while (waiting.length > 0) {
    const oids = waiting.splice(-BATCH);
    for (const [i, entry] of (await read(oids, turns)).entries()) {
      const isStart = starts.has(oids[i]!);
      if (typeof entry === "string") {
        if (entry === "missing" && isStart) throw new DamagedError(`Entry ${oids[i]} is missing`);
        if (entry === "damaged" && isStart) malformed ??= oids[i];
        if (entry === "missing") isComplete = false;
        continue;
      }
      if (entry.isMalformed && isStart) malformed ??= entry.id;
      const isHeld = !entry.isBare && heldBytes + entry.bytes <= actionBytes;
      if (isHeld) heldBytes += entry.bytes;
      allBytes += entry.bytes;
      const held: Entry<A> = isHeld ? entry : { ...entry, actions: undefined, isBare: true };
      entries.set(entry.id, held);
      for (const parent of new Set(entry.parents)) {
        const others = dependents.get(parent);
        if (others === undefined) dependents.set(parent, [held]);
        else others.push(held);
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
    await turns.next();
  }
  return { entries, dependents, isComplete, malformed };
}

/**
 * Checks that every reference was followed.
 *
 * @throws {DamagedError} when one leads to a commit that git cannot read, as the real programs do.
 */
export function requireFollowed({ malformed }: Graph<unknown>): void {
  if (malformed !== undefined) throw new DamagedError(`Entry ${malformed} is no commit that git can read`);
}

/**
 * The entry that an object begins with: that of its id.
 *
 * @throws {DamagedError} when it cannot be read, or the rules ask for an entry on top of no other and there is none.
 */
export function rootOf<A>({ entries }: Graph<A>, id: Oid, { needsBeginning }: Rules): Entry<A> {
  const root = entries.get(id);
  if (root === undefined) throw new DamagedError("The first entry cannot be read");
  const hasBeginning = root.parents.length === 0 ||
    [...entries.values()].some(({ parents }) => parents.length === 0);
  if (needsBeginning && !hasBeginning) throw new DamagedError("The object has no beginning");
  return root;
}

/**
 * The entries that can be reached from the root, in the order in which they count, without the root itself. Concurrent branches follow each other, each
 * as a whole, in order of their first entries; those directly on top of the root in descending order of their ids, whatever the rules (as the real programs).
 */
export function orderEntries<A>(graph: Graph<A>, root: Oid, rules: Rules): Entry<A>[] {
  const compare = rules.siblings === "time"
    ? (a: Entry<A>, b: Entry<A>) => compareTimes(a, b) || compareIds(a, b)
    : compareIds;
  const above = (id: Oid) => graph.dependents.get(id) ?? [];
  const order: Entry<A>[] = [];
  const seen = new Set<Oid>();
  // Entries are taken from the end of each list; an entry is done when those on top of it are.
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
 * Gives each entry its turn, those in `order` after each other. One that `visit` throws a {@link Refusal} for is dropped with everything on top of it;
 * what it did until then is not undone (as the real programs).
 */
export async function visitEntries<A>(
  graph: Graph<A>,
  order: readonly Entry<A>[],
  turns: Turns,
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
    await turns.next();
  }
  const tips = [...graph.entries.keys()].filter((id) => !dropped.has(id) && !isCovered(graph, id, dropped))
    .sort();
  return { dropped, tips };
}

/** Whether an entry, read or not, can be reached from the tips: it remains, or one that remains stands on it. */
export function isReachable<A>(graph: Graph<A>, id: Oid, dropped: ReadonlySet<Oid>): boolean {
  return graph.entries.has(id) && !dropped.has(id) || isCovered(graph, id, dropped);
}

/**
 * The entries that several graphs hold in common and that no other such entry stands on in all of them, ascending.
 */
export function findSharedTips<A>(graphs: readonly Graph<A>[]): Oid[] {
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
