/** A history in columns: the form in which it is saved, and in which a worker sends it. */

/**
 * Commits with all their ancestors. No ancestor is missing. Columns have one value per row, unless described
 * otherwise.
 */
export interface HistoryColumns {
  /** 20 bytes per row. */
  readonly oids: Uint8Array;
  /** Committer times, in seconds. */
  readonly times: Float64Array;
  /** 20 bytes per row. */
  readonly trees: Uint8Array;
  /** Number of the author; another number than any author has where the author is not known. */
  readonly authors: Uint32Array;
  /** Hashes of the authors' names and addresses, 20 bytes per author. */
  readonly authorHashes: Uint8Array;
  /** The concatenated parents of all rows, as row numbers, and the end of each row's part. */
  readonly parents: Uint32Array;
  readonly parentEnds: Uint32Array;
  /** State of the list of paths that a commit changes (`Listing`). */
  readonly listings: Uint8Array;
  /** The concatenated hashes of the changed paths of all rows, and the end of each row's part. */
  readonly hashes: Uint32Array;
  readonly pathEnds: Uint32Array;
}

/**
 * The result of reading a history in a worker: `tooLong` when it has more commits than a graph may have,
 * `undefined` when it was not read.
 */
export type HistoryOutcome = HistoryColumns | "tooLong" | undefined;
