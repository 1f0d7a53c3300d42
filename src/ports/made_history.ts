/** A history that one thread has read for another. Its content belongs to the commit graph. */

/** Object ids with the table that finds them, as they are moved. */
export interface MovedOids {
  /** 20 bytes per id, by row, and room for more. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of ids. */
  readonly size: number;
  /** The hash table in parts. */
  readonly parts: readonly Int32Array<ArrayBuffer>[];
  /** Used slots of each part. */
  readonly taken: Uint32Array;
  readonly salt: Uint32Array;
}

/** Commits in columns, as they are moved: one value per row, except for parents, and room for more. */
export interface MovedColumns {
  readonly oids: MovedOids;
  readonly times: Float64Array<ArrayBuffer>;
  /** 20 bytes per row. */
  readonly trees: Uint8Array<ArrayBuffer>;
  readonly authors: Uint32Array<ArrayBuffer>;
  /** The concatenated parents of all rows, and the end of each row's part. */
  readonly parents: Uint32Array<ArrayBuffer>;
  readonly parentEnds: Uint32Array<ArrayBuffer>;
  readonly parentsUsed: number;
}

/** A commit with all its ancestors. */
export interface MadeHistory {
  readonly commits: MovedColumns;
  /** Hashes of the authors' names and addresses, by author number. */
  readonly authors: MovedOids;
  /** Missing parents: 20 bytes each, and their places among the parents of all rows. */
  readonly missing: {
    readonly oids: Uint8Array;
    readonly places: Uint32Array;
    /** Whether there are more of them. */
    readonly isCutOff: boolean;
  };
  /** Row of the commit. */
  readonly tip: number;
  /** The rows of its history, newest first. */
  readonly order: Uint32Array<ArrayBuffer>;
}

/**
 * The outcome of reading a history elsewhere: `tooLong` when it has more commits than a graph may
 * have, `undefined` when it has not been read.
 */
export type HistoryOutcome = MadeHistory | "tooLong" | undefined;
