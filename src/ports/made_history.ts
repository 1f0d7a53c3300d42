/** A history in columns: as it is saved, and as one thread reads it for another. */

/** Commits with all their ancestors, none of which is missing: one value per row, unless said otherwise. */
export interface HistoryColumns {
  /** 20 bytes per row. */
  readonly oids: Uint8Array;
  /** Committer times, in seconds. */
  readonly times: Float64Array;
  /** 20 bytes per row. */
  readonly trees: Uint8Array;
  /** Numbers of the authors. */
  readonly authors: Uint32Array;
  /** Hashes of the authors' names and addresses, 20 bytes per author. */
  readonly authorHashes: Uint8Array;
  /** The concatenated parents of all rows, which are rows, and the end of each row's part. */
  readonly parents: Uint32Array;
  readonly parentEnds: Uint32Array;
  /** Knowledge of the paths that a commit changes (`Listing`). */
  readonly listings: Uint8Array;
  /** The concatenated hashes of the changed paths of all rows, and the end of each row's part. */
  readonly hashes: Uint32Array;
  readonly pathEnds: Uint32Array;
}

/**
 * The outcome of reading a history elsewhere: `tooLong` when it has more commits than a graph may
 * have, `undefined` when it has not been read.
 */
export type HistoryOutcome = HistoryColumns | "tooLong" | undefined;
