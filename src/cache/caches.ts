/**
 * All caches of a process and their sizes. A cached value can be made again, so a smaller cache costs time
 * and never changes an answer. `node build/carry_caches.ts` writes the comments and sizes into
 * `docs/caches.md`.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Storages of a home in a process: one in the main thread and one in each of three workers. */
const STORAGES = 4;

/** A cache with a share of the memory. */
export interface SharedCache {
  /** Caches of this name in a process; 1 by default. */
  readonly count?: number;
  /** Default size of one such cache in bytes. Weights of values are estimates. */
  readonly bytes: number;
  /** Smallest useful size in bytes. */
  readonly leastBytes: number;
  /** The kind of storage that has the cache; every process has it by default. */
  readonly storage?: "home" | "bucket";
  /** The cache whose values each contain one such cache and count its bytes. */
  readonly within?: string;
}

/** The caches that divide the memory among them. */
export const SHARED_CACHES = {
  /**
   * Complete answers about commits, diffs, folders and files, by request with full object ids; diffs, by
   * trees. Nothing is outdated: objects do not change.
   */
  answers: { bytes: 64 * MIB, leastBytes: 0 },
  /** Answers that are being sent in pieces, until they are complete and move to `answers`. */
  streamCopies: { bytes: 32 * MIB, leastBytes: 0 },
  /**
   * Commit graphs by repository: the commits in columns, the paths that they change, and `histories`. Graphs
   * only grow; one is replaced when the repository becomes shallow or another history was saved.
   */
  commitGraphs: { bytes: 320 * MIB, leastBytes: 4 * MIB },
  /**
   * Walks, sets of ancestors, times and counts of commits, by commit. Outdated when a missing parent is
   * found.
   */
  histories: { within: "commitGraphs", bytes: 14 * MIB, leastBytes: 640 * KIB },
  /** Open repositories with the indexes of their packs. Outdated when the folder or a pack is replaced. */
  packIndexes: { storage: "home", count: STORAGES, bytes: 128 * MIB, leastBytes: MIB },
  /**
   * Contents of packs: windows of 64 KiB, objects that others are deltas of, kinds of objects, and why
   * objects cannot be read. Nothing is outdated: packs do not change.
   */
  packContents: { storage: "home", count: STORAGES, bytes: 40 * MIB, leastBytes: 1664 * KIB },
  /**
   * References: files, folders, `packed-refs`, and lists made of them. Outdated when the metadata of a file
   * or folder has changed; files are trusted for a second.
   */
  references: { storage: "home", bytes: 235 * MIB, leastBytes: 1792 * KIB },
  /** Manifests and references of published repositories. Outdated when the manifest has changed. */
  bucketRepositories: { storage: "bucket", bytes: 64 * MIB, leastBytes: MIB },
  /**
   * Blocks and index pages of published packs, pages of the catalogue and of facts about the node. Nothing is
   * outdated: they do not change.
   */
  bucketPages: { storage: "bucket", bytes: 312 * MIB, leastBytes: 4 * MIB },
  /**
   * Identity documents by commit; for repositories without `refs/rad/id`, the commit of their document,
   * outdated when references or objects have changed.
   */
  identities: { bytes: 32 * MIB, leastBytes: 768 * KIB },
  /**
   * Signed references by commit, which commit of a history counts, and published verdicts about them.
   * Outdated only where missing objects may have come.
   */
  signedRefs: { bytes: 50 * MIB, leastBytes: 384 * KIB },
  /**
   * Issues and patches as JSON. Outdated when a node in one has another alias or a branch that it shows has
   * moved.
   */
  views: { bytes: 25 * MIB, leastBytes: MIB / 2 },
  /**
   * Issues and patches as they were evaluated, lists of them, and evaluations saved by another
   * process. Outdated when a reference has changed or missing objects may have come.
   */
  objects: { bytes: 320 * MIB, leastBytes: 6 * MIB },
  /**
   * Entries of issues, patches and identities, and which commits are none. Nothing is outdated: commits do
   * not change.
   */
  entries: { bytes: 100 * MIB, leastBytes: 5440 * KIB },
  /** Rows of `node.db` and `policies.db`, by query. Outdated when a database or its log has changed. */
  databaseRows: { bytes: 25 * MIB, leastBytes: MIB / 2 },
} as const satisfies Record<string, SharedCache>;

/** Name of a cache with a share of the memory. */
export type CacheName = keyof typeof SHARED_CACHES;

/** A cache of a fixed size, in bytes. */
export interface FixedCache {
  readonly bytes: number;
}

/** Caches of a fixed size: small ones, and those of a publisher, which is a process of its own. */
export const FIXED_CACHES = {
  /** Public keys as WebCrypto has them. */
  publicKeys: { bytes: 128 * KIB },
  /** Kinds of lines in the history of a node's signed references, by commit, for writing. */
  sigrefsTraits: { bytes: 200 * KIB },
  /**
   * Messages for refused work. One cache for diffs, one for the commits of a path, one for jobs of workers.
   */
  refusals: { bytes: 512 * KIB },
  /** Publisher: ids of the objects in each pack of the bucket, for two million objects. */
  publishedIds: { bytes: 64 * MIB },
  /** Publisher: objects of the bucket that it has put or read. Outdated when one is put or removed. */
  knownObjects: { bytes: 64 * MIB },
} as const satisfies Record<string, FixedCache>;

/** Name of a cache of a fixed size. */
export type FixedCacheName = keyof typeof FIXED_CACHES;
