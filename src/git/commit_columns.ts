/**
 * Stores commits in columns (typed arrays), which take some 80 bytes per commit. With one object per commit,
 * garbage collection would take long.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import type { Task } from "../scheduling/task.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Integer } from "../text/integers.ts";
import { OidTable, withRoom } from "./oid_table.ts";

/** Stored instead of the row of a parent, if the parent is missing or cannot be read. */
export const ABSENT = 0xffff_ffff;
/** Stored instead of the number of an author, if the author is not known yet. */
export const NO_AUTHOR = 0xffff_ffff;

/** A commit without its id. */
export interface CommitRow {
  /** Id of the tree, or bytes that begin with the 20 bytes of the id. */
  readonly tree: Oid | Uint8Array;
  /** Committer time, in seconds since the Unix epoch. */
  readonly timeSeconds: Integer;
  /** Number of the author in the table of authors. */
  readonly author: number;
  /** Rows of the parents in the order of the commit; {@link ABSENT} for a parent without a row. */
  readonly parents: readonly number[] | Uint32Array;
}

type SavedColumns = Pick<
  HistoryColumns,
  "oids" | "times" | "trees" | "authors" | "parents" | "parentEnds"
>;

/** A commit and all its ancestors that have rows. */
export interface Reach {
  /** The rows as a set, with one bit per row. */
  readonly set: Uint8Array;
  /** The rows as an array, in which each row occurs once. */
  readonly rows: Uint32Array;
  /** Whether every parent of these rows has a row. */
  readonly isWhole: boolean;
}

/** Initial number of rows. Most repositories have few commits, and a service has many graphs. */
const FIRST_ROWS = 32;
/** Approximate memory of a time in `#longTimes`, in bytes. */
const LONG_TIME_BYTES = 100;
/** Number of rows that are processed in one step, which takes well below a millisecond. */
const ROWS_AT_ONCE = 4096;

/** Stores commits. Each commit has a row, which is its index in all columns. */
export class CommitColumns {
  readonly #oids = new OidTable();
  #times: Float64Array = new Float64Array(FIRST_ROWS);
  /** Times that a double cannot represent exactly, by row. Nearly always empty. */
  readonly #longTimes = new Map<number, bigint>();
  #trees: Uint8Array = new Uint8Array(FIRST_ROWS * OID_BYTES);
  #authors: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parentEnds: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parents: Uint32Array = new Uint32Array(FIRST_ROWS);

  get size(): number {
    return this.#oids.size;
  }

  /** Approximate memory of the columns, in bytes. */
  get memoryBytes(): number {
    let bytes = this.#oids.memoryBytes + LONG_TIME_BYTES * this.#longTimes.size;
    const columns = [
      this.#times,
      this.#trees,
      this.#authors,
      this.#parentEnds,
      this.#parents,
    ];
    for (const { byteLength } of columns) bytes += byteLength;
    return bytes;
  }

  /** Returns the row of a commit; `undefined` when the commit has no row. */
  rowOf(oid: Oid | Uint8Array): number | undefined {
    return this.#oids.rowOf(oid);
  }

  /** Checks whether a row exists. Missing and damaged parents have no row. */
  isReadable(row: number): boolean {
    return row < this.size;
  }

  oidOf(row: number): Oid {
    return this.#oids.oidOf(row);
  }

  /** Returns the committer time in seconds, rounded if a double cannot represent it exactly. */
  timeOf(row: number): number {
    return this.#times[row]!;
  }

  /** Returns the exact committer time in seconds. */
  exactTimeOf(row: number): Integer {
    return this.#longTimes.size === 0 ? this.#times[row]! : this.#longTimes.get(row) ?? this.#times[row]!;
  }

  /** Whether doubles represent all times exactly. */
  get hasExactTimes(): boolean {
    return this.#longTimes.size === 0;
  }

  /** Returns the number of rows whose committer time is after `seconds`. */
  countAfter(seconds: number): number {
    const size = this.size;
    const times = this.#times;
    let count = 0;
    for (let row = 0; row < size; row++) if (times[row]! > seconds) count++;
    return count;
  }

  treeOf(row: number): Oid {
    return oidFromBytes(this.#trees, row * OID_BYTES);
  }

  /** Returns the number of the author; {@link NO_AUTHOR} until {@link setAuthor} was called for the row. */
  authorOf(row: number): number {
    return this.#authors[row]!;
  }

  setAuthor(row: number, author: number): void {
    this.#authors[row] = author;
  }

  /** Whether the authors of all rows are known. */
  get hasAllAuthors(): boolean {
    return !this.#authors.subarray(0, this.size).includes(NO_AUTHOR);
  }

  /**
   * Returns the total number of parents of the rows before `row`, which is the index of the first parent of
   * `row` in `#parents`.
   */
  parentsBefore(row: number): number {
    return row === 0 ? 0 : this.#parentEnds[row - 1]!;
  }

  parentCount(row: number): number {
    return this.#parentEnds[row]! - this.parentsBefore(row);
  }

  /** Returns the row of the parent with the index `number`; {@link ABSENT} for a missing parent. */
  parentOf(row: number, number: number): number {
    return this.#parents[this.parentsBefore(row) + number]!;
  }

  /** Returns the row of the first parent; `undefined` when the commit has no parents. */
  firstParentOf(row: number): number | undefined {
    return this.parentCount(row) === 0 ? undefined : this.parentOf(row, 0);
  }

  /** Returns the rows of the parents that have rows, in the order of the commit. */
  readableParentsOf(row: number): readonly number[] {
    const parents: number[] = [];
    for (let at = this.parentsBefore(row), end = this.#parentEnds[row]!; at < end; at++) {
      if (this.isReadable(this.#parents[at]!)) parents.push(this.#parents[at]!);
    }
    return parents;
  }

  /**
   * Checks that all parents of a commit have rows. Otherwise the history of the commit is unknown.
   *
   * @throws {DamagedError} when a parent is missing or damaged.
   */
  requireParents(row: number): void {
    if (this.#lacksParent(row)) {
      throw new DamagedError(`A parent of commit ${this.oidOf(row)} is missing or damaged`);
    }
  }

  /** Stores the row of a parent that was missing. `place` is the index in `#parents`. */
  setParent(place: number, row: number): void {
    this.#parents[place] = row;
  }

  haveSameTree(row: number, other: number): boolean {
    for (let i = 0; i < OID_BYTES; i++) {
      if (this.#trees[row * OID_BYTES + i] !== this.#trees[other * OID_BYTES + i]) return false;
    }
    return true;
  }

  /**
   * Finds commits and their ancestors that have rows.
   *
   * @param tips Different rows.
   */
  async reach(tips: readonly number[], task: Task): Promise<Reach> {
    const { size } = this;
    const set = new Uint8Array((size + 7) >> 3);
    const rows = new Uint32Array(size);
    for (const tip of tips) set[tip >> 3]! |= 1 << (tip & 7);
    rows.set(tips);
    let isWhole = true;
    for (let next = 0, found = tips.length; next < found;) {
      const stop = Math.min(found, next + ROWS_AT_ONCE);
      found = this.#reachFrom(rows, next, stop, found, set, size);
      for (; isWhole && next < stop; next++) isWhole = !this.#lacksParent(rows[next]!);
      next = stop;
      if (next === found) return { set, rows: rows.subarray(0, found), isWhole };
      const pause = task.yield();
      if (pause !== undefined) await pause;
    }
    return { set, rows, isWhole };
  }

  #lacksParent(row: number): boolean {
    for (let at = this.parentsBefore(row), end = this.#parentEnds[row]!; at < end; at++) {
      if (!this.isReadable(this.#parents[at]!)) return true;
    }
    return false;
  }

  /**
   * Appends to `rows` the parents of the rows with the indexes from `next` to before `stop`. Returns the new
   * number of rows. Parents from row `size` on are ignored, because they were added after the search had
   * started.
   */
  #reachFrom(
    rows: Uint32Array,
    next: number,
    stop: number,
    found: number,
    set: Uint8Array,
    size: number,
  ): number {
    const ends = this.#parentEnds;
    const parents = this.#parents;
    for (; next < stop; next++) {
      const row = rows[next]!;
      for (let at = row === 0 ? 0 : ends[row - 1]!, end = ends[row]!; at < end; at++) {
        const parent = parents[at]!;
        const bit = 1 << (parent & 7);
        if (parent >= size || (set[parent >> 3]! & bit) !== 0) continue;
        set[parent >> 3]! |= bit;
        rows[found++] = parent;
      }
    }
    return found;
  }

  /** Returns all rows in topological order, parents first. */
  async order(task: Task): Promise<Uint32Array> {
    const { size } = this;
    const children = new Uint32Array(size);
    for (let at = 0, end = this.parentsBefore(size); at < end; at++) {
      const parent = this.#parents[at]!;
      if (parent < size) children[parent]!++;
      if (at % ROWS_AT_ONCE === 0) await task.yield();
    }
    // The array is filled from its end, which gets the rows without children.
    const order = new Uint32Array(size);
    let free = size;
    for (let row = size - 1; row >= 0; row--) if (children[row] === 0) order[--free] = row;
    for (let at = size - 1; at >= free; at--) {
      const row = order[at]!;
      for (let i = this.parentsBefore(row), end = this.#parentEnds[row]!; i < end; i++) {
        const parent = this.#parents[i]!;
        if (parent < size && --children[parent]! === 0) order[--free] = parent;
      }
      if (at % ROWS_AT_ONCE === 0) await task.yield();
    }
    return order.subarray(free);
  }

  /** Adds the bits of the parents to the bits of each row. `order` is the result of {@link order}. */
  async inherit(bits: Uint32Array, order: Uint32Array, task: Task): Promise<void> {
    for (let at = 0; at < order.length; at += ROWS_AT_ONCE) {
      this.#inheritSome(bits, order.subarray(at, at + ROWS_AT_ONCE));
      await task.yield();
    }
  }

  #inheritSome(bits: Uint32Array, rows: Uint32Array): void {
    const ends = this.#parentEnds;
    const parents = this.#parents;
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!;
      let own = bits[row]!;
      for (let i = row === 0 ? 0 : ends[row - 1]!, end = ends[row]!; i < end; i++) {
        const parent = parents[i]!;
        if (parent < bits.length) own |= bits[parent]!;
      }
      bits[row] = own;
    }
  }

  /** Adds a commit unless it has a row. Returns the row of the commit. */
  add(oid: Oid | Uint8Array, { tree, timeSeconds, author, parents }: CommitRow): number {
    const { size } = this;
    const row = this.#oids.add(oid);
    if (row < size) return row;
    this.#makeRoom(row + 1);
    writeOid(tree, this.#trees, row * OID_BYTES);
    this.#times[row] = Number(timeSeconds);
    if (typeof timeSeconds === "bigint") this.#longTimes.set(row, timeSeconds);
    this.#authors[row] = author;
    this.#addParents(row, parents);
    this.#parentEnds[row] = this.parentsBefore(row) + parents.length;
    return row;
  }

  #addParents(row: number, parents: ArrayLike<number>): void {
    const before = this.parentsBefore(row);
    this.#parents = withRoom(this.#parents, before + parents.length);
    this.#parents.set(parents, before);
  }

  /**
   * Adds saved rows, which must be consistent. The rows of parents may be added in a later call. If the table
   * is empty, the arrays in `saved` are used without copying them, so the caller must not change them.
   *
   * @throws {DamagedError} when an id occurs twice.
   */
  async append(saved: SavedColumns, task: Task): Promise<void> {
    const { size: start } = this;
    const end = start + saved.times.length;
    if (start === 0) {
      this.#times = saved.times;
      this.#trees = saved.trees;
      this.#authors = saved.authors;
      this.#parentEnds = saved.parentEnds;
      this.#parents = saved.parents;
    } else {
      this.#makeRoom(end);
      this.#times.set(saved.times, start);
      this.#trees.set(saved.trees, start * OID_BYTES);
      this.#authors.set(saved.authors, start);
      this.#addParents(start, saved.parents);
      const before = this.parentsBefore(start);
      for (let row = start; row < end; row++) this.#parentEnds[row] = before + saved.parentEnds[row - start]!;
    }
    // The ids are added last, so that concurrent readers find only complete rows.
    await this.#oids.append(saved.oids, task);
  }

  /** Returns views of all columns. The caller must copy them before the table changes. */
  save(): SavedColumns {
    const { size } = this;
    return {
      oids: this.#oids.bytes,
      times: this.#times.subarray(0, size),
      trees: this.#trees.subarray(0, size * OID_BYTES),
      authors: this.#authors.subarray(0, size),
      parents: this.#parents.subarray(0, this.parentsBefore(size)),
      parentEnds: this.#parentEnds.subarray(0, size),
    };
  }

  #makeRoom(rows: number): void {
    this.#times = withRoom(this.#times, rows);
    this.#trees = withRoom(this.#trees, rows * OID_BYTES);
    this.#authors = withRoom(this.#authors, rows);
    this.#parentEnds = withRoom(this.#parentEnds, rows);
  }
}
