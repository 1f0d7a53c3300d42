/**
 * Finds the entries (signed changes) of a collaborative object that are concurrent with other entries.
 * Checking all entries takes as many steps as there are links between entries.
 */
import type { Oid } from "../../ids/oid.ts";
import type { Entry } from "./entry.ts";
import type { Graph } from "./graph.ts";

/**
 * Checks whether entries have concurrent entries. Call `has` for the entries in the order in which they are
 * applied.
 */
export class Concurrency<A> {
  readonly #graph: Graph<A>;
  readonly #entries: readonly Entry<A>[];
  readonly #places = new Map<Oid, number>();
  /** For each entry: the index of its last parent in `#entries`, or -1 if the entry has no parent. */
  readonly #lastParents: Int32Array;
  readonly #followers: number[][] = [];
  readonly #dropped: ReadonlySet<Oid>;
  /** Iterator over `#dropped`. Entries that are dropped later are returned later. */
  readonly #drops: Iterator<Oid>;
  #dropsSeen = 0;
  #at = 0;
  /** Number of visited entries without a visited child. */
  #tips = 0;
  readonly #above: Uint32Array;
  /**
   * Number of entries after index `#at` that are concurrent with the entry at `#at`, because their last
   * parent comes before `#at`.
   */
  #concurrentCount = 0;
  readonly #isConcurrent: Uint8Array;

  /**
   * @param order Entries in the order in which they are applied, each after its parents, without the root.
   *   All entries must be reachable from the root.
   * @param dropped Entries dropped so far. The set grows while the object is evaluated.
   */
  constructor(graph: Graph<A>, root: Oid, order: readonly Entry<A>[], dropped: ReadonlySet<Oid>) {
    this.#graph = graph;
    this.#dropped = dropped;
    this.#drops = dropped.values();
    this.#entries = [...unreached(graph, new Set([root, ...order.map(({ id }) => id)]))]
      .concat(graph.entries.get(root) ?? [], order);
    const count = this.#entries.length;
    this.#entries.forEach(({ id }, place) => this.#places.set(id, place));
    this.#lastParents = Int32Array.from(
      this.#entries,
      ({ parents }) => parents.reduce((last, id) => Math.max(last, this.#places.get(id) ?? -1), -1),
    );
    this.#above = new Uint32Array(count);
    this.#isConcurrent = new Uint8Array(count);
    for (let place = 0; place < count; place++) {
      const last = this.#lastParents[place]!;
      if (last >= 0) (this.#followers[last] ??= []).push(place);
      else if (place > 0) this.#add(place);
    }
  }

  /**
   * Checks whether any other entry is neither an ancestor nor a descendant of the entry. Dropped entries are
   * ignored.
   */
  has(id: Oid): boolean {
    const place = this.#places.get(id)!;
    this.#forgetDropped();
    while (this.#at < place) this.#pass();
    if (this.#concurrentCount > 0) return true;
    const parents = new Set(this.#entries[place]!.parents);
    let tips = 0;
    for (const parent of parents) {
      const at = this.#places.get(parent);
      if (at !== undefined && this.#above[at] === 0) tips++;
    }
    return tips < this.#tips;
  }

  #pass(): void {
    const at = this.#at++;
    const { id, parents } = this.#entries[at]!;
    if (!this.#dropped.has(id)) {
      this.#tips++;
      for (const parent of new Set(parents)) {
        const place = this.#places.get(parent);
        if (place !== undefined && this.#above[place]!++ === 0) this.#tips--;
      }
    }
    this.#remove(this.#at);
    // An entry whose last parent is at `at` is concurrent with the entry at `#at`, unless the two entries are
    // the same.
    for (const place of this.#followers[at] ?? []) if (place > this.#at) this.#add(place);
  }

  #add(place: number): void {
    if (this.#dropped.has(this.#entries[place]!.id)) return;
    this.#isConcurrent[place] = 1;
    this.#concurrentCount++;
  }

  #remove(place: number): void {
    this.#concurrentCount -= this.#isConcurrent[place] ?? 0;
    if (place < this.#isConcurrent.length) this.#isConcurrent[place] = 0;
  }

  #forgetDropped(): void {
    for (; this.#dropsSeen < this.#dropped.size; this.#dropsSeen++) {
      const place = this.#places.get(this.#drops.next().value as Oid);
      if (place !== undefined && place > this.#at) this.#remove(place);
    }
  }
}

/** Yields the entries that are not in `reached`, each after its parents. */
function* unreached<A>(graph: Graph<A>, reached: ReadonlySet<Oid>): Generator<Entry<A>> {
  const seen = new Set<Oid>(reached);
  for (const start of graph.entries.values()) {
    const path = [{ entry: start, next: 0 }];
    if (seen.has(start.id)) continue;
    seen.add(start.id);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const parent = step.entry.parents[step.next++];
      if (parent === undefined) {
        yield step.entry;
        path.pop();
        continue;
      }
      const entry = graph.entries.get(parent);
      if (entry === undefined || seen.has(parent)) continue;
      seen.add(parent);
      path.push({ entry, next: 0 });
    }
  }
}
