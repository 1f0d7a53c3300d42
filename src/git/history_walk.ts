/**
 * The order of history: a priority queue of commits sorted by committer time, newest first, equal times first
 * in, first out. The parents of a commit are queued in their order when it is taken. This is the order of the
 * real service (libgit2 without sorting) and of `git log`.
 */

/** A graph of commits as a walk needs it; commits are addressed by small numbers, their rows. */
export interface CommitGraph {
  /** Greater than every row. */
  readonly size: number;
  /** Committer time, seconds. */
  timeOf(row: number): number;
  parentCount(row: number): number;
  /** A parent by its number in the commit's order, counted from 0. */
  parentOf(row: number, number: number): number;
  /** Whether the commit is present and well-formed. */
  isReadable(row: number): boolean;
}

const FIRST_ROWS = 64;

/** A walk from one commit. It caches its result and goes on only on demand. */
export class HistoryWalk {
  readonly #graph: CommitGraph;
  #found = new Uint32Array(FIRST_ROWS);
  #foundCount = 0;
  /** One bit per row. */
  readonly #seen: Uint8Array;
  /** Binary heap of rows; `#order` breaks ties by the time of queuing. */
  readonly #heap: { row: number; order: number }[] = [];
  #queued = 0;

  constructor(graph: CommitGraph, start: number) {
    this.#graph = graph;
    this.#seen = new Uint8Array((graph.size + 7) >> 3);
    this.#queue(start);
  }

  /** The row at a position of the walk; `undefined` past its end. Unreadable commits are left out. */
  at(position: number): number | undefined {
    while (this.#foundCount <= position && this.#heap.length > 0) this.#step();
    return position < this.#foundCount ? this.#found[position] : undefined;
  }

  /**
   * All rows, newest first, as many as the caller takes. A caller that takes many has to yield in between.
   */
  *[Symbol.iterator](): Generator<number> {
    for (let position = 0;; position++) {
      const row = this.at(position);
      if (row === undefined) return;
      yield row;
    }
  }

  #step(): void {
    const row = this.#pop();
    if (this.#foundCount === this.#found.length) {
      const found = new Uint32Array(2 * this.#foundCount);
      found.set(this.#found);
      this.#found = found;
    }
    this.#found[this.#foundCount++] = row;
    const graph = this.#graph;
    for (let i = 0; i < graph.parentCount(row); i++) this.#queue(graph.parentOf(row, i));
  }

  #before(a: { row: number; order: number }, b: { row: number; order: number }): boolean {
    const difference = this.#graph.timeOf(a.row) - this.#graph.timeOf(b.row);
    return difference > 0 || difference === 0 && a.order < b.order;
  }

  #queue(row: number): void {
    const bit = 1 << (row & 7);
    if (!this.#graph.isReadable(row) || (this.#seen[row >> 3]! & bit) !== 0) return;
    this.#seen[row >> 3]! |= bit;
    const heap = this.#heap;
    const entry = { row, order: this.#queued++ };
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.#before(entry, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): number {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top.row;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && this.#before(heap[below + 1]!, heap[below]!)) below++;
      if (!this.#before(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return top.row;
  }
}
