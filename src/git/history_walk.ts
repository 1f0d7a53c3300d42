/**
 * Walks the history of a commit, newest commit first. Each step takes a commit from a priority queue, and
 * then adds the parents of the commit to the queue.
 */

import type { CommitColumns } from "./commit_columns.ts";
import { withRoom } from "./oid_table.ts";

/**
 * A priority queue of commits, newest commit first. Each commit is added only once. Commits that cannot be
 * read are left out.
 */
export class CommitQueue {
  readonly #commits: CommitColumns;
  /** One bit per row: whether the row has been added to the queue. */
  #seen: Uint8Array;
  /** Binary heap of rows. Of two rows with equal times, the row that was added first comes first. */
  readonly #heap: { row: number; order: number }[] = [];
  #queued = 0;

  constructor(commits: CommitColumns) {
    this.#commits = commits;
    this.#seen = new Uint8Array((commits.size + 7) >> 3);
  }

  get length(): number {
    return this.#heap.length;
  }

  /** Adds a commit to the queue, unless it was added before. */
  push(row: number): void {
    const bit = 1 << (row & 7);
    if (!this.#commits.isReadable(row)) return;
    // Further rows may have been loaded since the queue was created.
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

  /** Removes the newest commit and returns its row. The queue must not be empty. */
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

/**
 * A walk that starts at one commit. The rows found so far are stored, and the walk continues only on demand.
 */
export class HistoryWalk {
  readonly #commits: CommitColumns;
  #found = new Uint32Array(FIRST_ROWS);
  #foundCount = 0;
  readonly #queue: CommitQueue;
  /** The commit at which the walk has ended, because one of its parents is missing. */
  #ended: number | undefined;

  constructor(commits: CommitColumns, start: number) {
    this.#commits = commits;
    this.#queue = new CommitQueue(commits);
    this.#queue.push(start);
  }

  /**
   * Returns the row at a position of the walk; `undefined` beyond its end.
   *
   * @throws {DamagedError} when the walk reaches a commit with a missing or damaged parent. Like git, the
   *   walk then yields no further commits, because the parent could be the next commit.
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
   * Yields all rows, newest first. Each row is found only when the caller asks for it. A caller that takes
   * many rows must yield to the scheduler in between.
   */
  *[Symbol.iterator](): Generator<number> {
    for (let position = 0, row = this.at(0); row !== undefined; row = this.at(++position)) yield row;
  }
}
