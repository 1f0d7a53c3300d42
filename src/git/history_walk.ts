/**
 * Walks history, newest commit first: a commit is taken from a priority queue, then its parents are queued in
 * their order.
 */

import type { CommitColumns } from "./commit_columns.ts";
import { withRoom } from "./oid_table.ts";

/** A priority queue of commits. Each commit is queued once. Unreadable commits are left out. */
export class CommitQueue {
  readonly #commits: CommitColumns;
  /** One bit per row. */
  #seen: Uint8Array;
  /** Binary heap of rows. If times are equal, `order` decides: the row that was queued first comes first. */
  readonly #heap: { row: number; order: number }[] = [];
  #queued = 0;

  constructor(commits: CommitColumns) {
    this.#commits = commits;
    this.#seen = new Uint8Array((commits.size + 7) >> 3);
  }

  /** Number of queued commits. */
  get length(): number {
    return this.#heap.length;
  }

  /** Queues a commit, unless it was queued before. */
  push(row: number): void {
    const bit = 1 << (row & 7);
    if (!this.#commits.isReadable(row)) return;
    // Further rows may have been loaded meanwhile.
    this.#seen = withRoom(this.#seen, (row >> 3) + 1);
    if ((this.#seen[row >> 3]! & bit) !== 0) return;
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

  /** Takes the newest commit. The queue must not be empty. */
  pop(): number {
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

  #before(a: { row: number; order: number }, b: { row: number; order: number }): boolean {
    const difference = this.#commits.timeOf(a.row) - this.#commits.timeOf(b.row);
    if (difference !== 0) return difference > 0;
    const first = this.#commits.exactTimeOf(a.row);
    const second = this.#commits.exactTimeOf(b.row);
    return first > second || first === second && a.order < b.order;
  }
}

const FIRST_ROWS = 64;

/** A walk from one commit. It stores its result and continues only on demand. */
export class HistoryWalk {
  readonly #commits: CommitColumns;
  #found = new Uint32Array(FIRST_ROWS);
  #foundCount = 0;
  readonly #queue: CommitQueue;
  /** A commit that was taken from the queue, but lacks a parent: the walk ends there. */
  #ended: number | undefined;

  constructor(commits: CommitColumns, start: number) {
    this.#commits = commits;
    this.#queue = new CommitQueue(commits);
    this.#queue.push(start);
  }

  /**
   * The row at a position of the walk; `undefined` past its end.
   *
   * @throws {DamagedError} when the walk reaches a commit with a missing or damaged parent. Git shows no
   *   further commits, either: the parent could come next.
   */
  at(position: number): number | undefined {
    const commits = this.#commits;
    const queue = this.#queue;
    while (this.#foundCount <= position && (queue.length > 0 || this.#ended !== undefined)) {
      const row = this.#ended ??= queue.pop();
      commits.requireParents(row);
      this.#ended = undefined;
      this.#found = withRoom(this.#found, this.#foundCount + 1);
      this.#found[this.#foundCount++] = row;
      for (let i = 0; i < commits.parentCount(row); i++) queue.push(commits.parentOf(row, i));
    }
    return position < this.#foundCount ? this.#found[position] : undefined;
  }

  /**
   * All rows, newest first, computed as the caller takes them. A caller that takes many must yield in
   * between.
   */
  [Symbol.iterator](): Generator<number> {
    return eachRow((position) => this.at(position));
  }
}

/** The rows at all positions. */
export function* eachRow(at: (position: number) => number | undefined): Generator<number> {
  for (let position = 0, row = at(0); row !== undefined; row = at(++position)) yield row;
}
