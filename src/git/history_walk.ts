/**
 * The order of history: a commit is taken from the queue, and its parents are queued in their order.
 */
import { type CommitParents, CommitQueue } from "./commit_queue.ts";

const FIRST_ROWS = 64;

/** A walk from one commit. It caches its result and goes on only on demand. */
export class HistoryWalk {
  readonly #graph: CommitParents;
  #found = new Uint32Array(FIRST_ROWS);
  #foundCount = 0;
  readonly #queue: CommitQueue;

  /** @param found All rows of the walk, where it has been made before. */
  constructor(graph: CommitParents, start: number, found?: Uint32Array<ArrayBuffer>) {
    this.#graph = graph;
    this.#queue = new CommitQueue(graph);
    if (found === undefined) {
      this.#queue.push(start);
      return;
    }
    this.#found = found;
    this.#foundCount = found.length;
  }

  /** All rows, newest first: finishes the walk without yielding. */
  get rows(): Uint32Array<ArrayBuffer> {
    while (this.#queue.length > 0) this.#step();
    return this.#found.slice(0, this.#foundCount);
  }

  /** The row at a position of the walk; `undefined` past its end. Unreadable commits are left out. */
  at(position: number): number | undefined {
    while (this.#foundCount <= position && this.#queue.length > 0) this.#step();
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
    const row = this.#queue.pop();
    if (this.#foundCount === this.#found.length) {
      const found = new Uint32Array(2 * this.#foundCount);
      found.set(this.#found);
      this.#found = found;
    }
    this.#found[this.#foundCount++] = row;
    const graph = this.#graph;
    for (let i = 0; i < graph.parentCount(row); i++) this.#queue.push(graph.parentOf(row, i));
  }
}
