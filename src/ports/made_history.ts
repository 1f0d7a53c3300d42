/**
 * A history as columns of numbers and bytes. A history is saved in this format, and a worker sends it in this
 * format.
 */

/**
 * The columns of commits with all their ancestors. Each commit has a row, which is its index in all columns.
 * A column has one value per row, unless its comment says something else.
 */
export interface HistoryColumns {
  /** Commit ids, 20 bytes per row. */
  readonly oids: Uint8Array;
  /** Committer times, in seconds. */
  readonly times: Float64Array;
  /** Ids of the trees, 20 bytes per row. */
  readonly trees: Uint8Array;
  /**
   * Index of the commit's author among all authors. If the author is not known, the number is larger than any
   * index.
   */
  readonly authors: Uint32Array;
  /** Hashes of the names and email addresses of the authors, 20 bytes per author. */
  readonly authorHashes: Uint8Array;
  /**
   * Row numbers of the parents of all rows, one row after the other. `parentEnds` has the index at which the
   * parents of each row end.
   */
  readonly parents: Uint32Array;
  readonly parentEnds: Uint32Array;
  /** Whether the changed paths of a commit are listed (`Listing`). */
  readonly listings: Uint8Array;
  /**
   * Hashes of the changed paths of all rows, one row after the other. `pathEnds` has the index at which the
   * hashes of each row end.
   */
  readonly hashes: Uint32Array;
  readonly pathEnds: Uint32Array;
}

/**
 * The result of reading a history in a worker: `tooLong` when the history has more commits than a graph may
 * have, `undefined` when it was not read.
 */
export type HistoryOutcome = HistoryColumns | "tooLong" | undefined;
