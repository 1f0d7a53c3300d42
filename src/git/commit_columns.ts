/** What is known of many commits, in columns: some 60 bytes a commit, and none of them an object that the runtime has to look after. */
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import { OidTable } from "./oid_table.ts";

/**
 * How a commit is known: by name only; read and well-formed; not there or damaged; well-formed when it was read by an earlier process.
 */
export const State = { unread: 0, read: 1, unreadable: 2, saved: 3 } as const;
export type State = typeof State[keyof typeof State];

/** A commit without its name. */
export interface CommitRow {
  readonly tree: Oid;
  /** Committer time, seconds. */
  readonly timeSeconds: number;
  /** Number of the author among all authors. */
  readonly author: number;
  /** Rows of the parents, in the commit's order. */
  readonly parents: readonly number[];
}

/** The columns as they are kept: all but the parents have one value a row. */
export interface SavedColumns {
  /** 20 bytes a row. */
  readonly oids: Uint8Array;
  readonly states: Uint8Array;
  readonly times: Float64Array;
  /** 20 bytes a row. */
  readonly trees: Uint8Array;
  readonly authors: Uint32Array;
  /** The parents of all rows, one after the other, and where those of each row end. */
  readonly parents: Uint32Array;
  readonly parentEnds: Uint32Array;
}

/** Commits that can be reached from one. */
export interface Reach {
  /** One bit for each row. */
  readonly set: Uint8Array;
  /** Each of them once. */
  readonly rows: Uint32Array;
}

const FIRST_ROWS = 1024;

/** Commits, known by their rows. */
export class CommitColumns {
  #oids = new OidTable();
  #states: Uint8Array = new Uint8Array(FIRST_ROWS);
  #times: Float64Array = new Float64Array(FIRST_ROWS);
  #trees: Uint8Array = new Uint8Array(FIRST_ROWS * OID_BYTES);
  #authors: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parentStarts: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parentEnds: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parents: Uint32Array = new Uint32Array(FIRST_ROWS);
  #parentsUsed = 0;

  /** Number of rows. */
  get size(): number {
    return this.#oids.size;
  }

  rowOf(oid: Oid): number | undefined {
    return this.#oids.rowOf(oid);
  }

  oidOf(row: number): Oid {
    return this.#oids.oidOf(row);
  }

  stateOf(row: number): State {
    return this.#states[row] as State;
  }

  timeOf(row: number): number {
    return this.#times[row]!;
  }

  treeOf(row: number): Oid {
    return oidFromBytes(this.#trees, row * OID_BYTES);
  }

  authorOf(row: number): number {
    return this.#authors[row]!;
  }

  parentCount(row: number): number {
    return this.#parentEnds[row]! - this.#parentStarts[row]!;
  }

  /** The row of a parent, the first has number 0. */
  parentOf(row: number, number: number): number {
    return this.#parents[this.#parentStarts[row]! + number]!;
  }

  /** Whether two commits have the same tree. */
  haveSameTree(row: number, other: number): boolean {
    for (let i = 0; i < OID_BYTES; i++) {
      if (this.#trees[row * OID_BYTES + i] !== this.#trees[other * OID_BYTES + i]) return false;
    }
    return true;
  }

  /** A commit and its ancestors, as far as they can be read. */
  reach(tip: number): Reach {
    const [starts, ends, parents, states] = [
      this.#parentStarts,
      this.#parentEnds,
      this.#parents,
      this.#states,
    ];
    const set = new Uint8Array((this.size + 7) >> 3);
    const rows = new Uint32Array(this.size);
    set[tip >> 3] = 1 << (tip & 7);
    rows[0] = tip;
    let found = 1;
    for (let next = 0; next < found; next++) {
      const row = rows[next]!;
      for (let at = starts[row]!, end = ends[row]!; at < end; at++) {
        const parent = parents[at]!;
        const bit = 1 << (parent & 7);
        const state = states[parent];
        if ((set[parent >> 3]! & bit) !== 0 || state !== State.read && state !== State.saved) continue;
        set[parent >> 3]! |= bit;
        rows[found++] = parent;
      }
    }
    return { set, rows: rows.subarray(0, found) };
  }

  /** The row of a commit, a new one without content when it has none yet. */
  add(oid: Oid): number {
    const row = this.#oids.add(oid);
    if (row >= this.#states.length) this.#grow();
    return row;
  }

  setState(row: number, state: State): void {
    this.#states[row] = state;
  }

  /** Fills a row that was added. */
  set(row: number, { tree, timeSeconds, author, parents }: CommitRow): void {
    writeOid(tree, this.#trees, row * OID_BYTES);
    this.#times[row] = timeSeconds;
    this.#authors[row] = author;
    const end = this.#parentsUsed + parents.length;
    if (end > this.#parents.length) this.#parents = longer(this.#parents, end * 2);
    this.#parents.set(parents, this.#parentsUsed);
    this.#parentStarts[row] = this.#parentsUsed;
    this.#parentEnds[row] = this.#parentsUsed = end;
    this.#states[row] = State.read;
  }

  /** A copy to be kept. */
  save(): SavedColumns {
    const { size } = this;
    const parents = new Uint32Array(this.#parentsUsed);
    const parentEnds = new Uint32Array(size);
    let used = 0;
    for (let row = 0; row < size; row++) {
      for (let i = this.#parentStarts[row]!; i < this.#parentEnds[row]!; i++) {
        parents[used++] = this.#parents[i]!;
      }
      parentEnds[row] = used;
    }
    return {
      oids: this.#oids.bytes.slice(),
      states: this.#states.slice(0, size),
      times: this.#times.slice(0, size),
      trees: this.#trees.slice(0, size * OID_BYTES),
      authors: this.#authors.slice(0, size),
      parents: parents.subarray(0, used),
      parentEnds,
    };
  }

  /**
   * Columns that were kept. They must fit together: as many rows in each, parents that are rows, ends in ascending order.
   *
   * @throws {DamagedError} when an id is there twice.
   */
  static from(saved: SavedColumns): CommitColumns {
    const columns = new CommitColumns();
    columns.#oids = OidTable.from(saved.oids);
    columns.#states = longer(saved.states, Math.max(columns.size, FIRST_ROWS));
    columns.#resize(columns.#states.length);
    columns.#times.set(saved.times);
    columns.#trees.set(saved.trees);
    columns.#authors.set(saved.authors);
    columns.#parentEnds.set(saved.parentEnds);
    columns.#parentStarts.set(saved.parentEnds.subarray(0, -1), 1);
    columns.#parents = saved.parents.slice();
    columns.#parentsUsed = saved.parents.length;
    return columns;
  }

  #grow(): void {
    this.#resize(this.#states.length * 2);
  }

  #resize(rows: number): void {
    this.#states = longer(this.#states, rows);
    this.#times = longer(this.#times, rows);
    this.#trees = longer(this.#trees, rows * OID_BYTES);
    this.#authors = longer(this.#authors, rows);
    this.#parentStarts = longer(this.#parentStarts, rows);
    this.#parentEnds = longer(this.#parentEnds, rows);
  }
}

/** A copy with room for more. */
function longer<T extends Uint8Array | Uint32Array | Float64Array>(column: T, length: number): T {
  const copy = new (column.constructor as new (length: number) => T)(length);
  copy.set(column);
  return copy;
}
