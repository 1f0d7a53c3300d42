/**
 * Lists all caches of a process and their sizes. A cached value can be created again, so a smaller cache
 * costs time and never changes a response. `node build/carry_caches.ts` writes the comments and sizes into
 * `docs/caches.md`.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Number of storages of a home in a process: one in the main thread and one in each of three workers. */
const STORAGES = 4;

/** A cache with a share of the memory. */
export interface SharedCache {
  /** Number of caches with this name in a process; 1 by default. */
  readonly count?: number;
  /** Default size of each cache with this name, in bytes. Weights of values are estimates. */
  readonly bytes: number;
  /** Smallest useful size, in bytes. */
  readonly leastBytes: number;
  /** The kind of storage that has the cache. By default, every process has the cache. */
  readonly storage?: "home" | "bucket";
  /**
   * Name of another cache. Each value of that cache contains a cache with this name, and includes its size.
   */
  readonly within?: string;
}

/** The caches among which the memory is divided. */
export const SHARED_CACHES = {
  /**
   * Complete responses about commits, diffs, folders and files, by request with full object ids; diffs, by
   * the ids of the trees. Values never become outdated, because git objects do not change.
   */
  answers: { bytes: 64 * MIB, leastBytes: 0 },
  /** Copies of responses that are being sent in pieces. A complete copy moves to `answers`. */
  streamCopies: { bytes: 32 * MIB, leastBytes: 0 },
  /**
   * Commit graphs by repository: the commits in columns, the paths that they change, and `histories`. A graph
   * only grows. It is replaced when the repository becomes shallow, or when another history was saved.
   */
  commitGraphs: { bytes: 320 * MIB, leastBytes: 4 * MIB },
  /**
   * Walks, sets of ancestors, times and counts of commits, by commit. Values become outdated when a missing
   * parent is found.
   */
  histories: { within: "commitGraphs", bytes: 14 * MIB, leastBytes: 640 * KIB },
  /**
   * Open repositories with the indexes of their packs. Values become outdated when the folder or a pack is
   * replaced.
   */
  packIndexes: { storage: "home", count: STORAGES, bytes: 128 * MIB, leastBytes: MIB },
  /**
   * Contents of packs: windows of 64 KiB, objects that are bases of deltas, kinds of objects, and reasons why
   * objects cannot be read. Values never become outdated, because packs do not change.
   */
  packContents: { storage: "home", count: STORAGES, bytes: 40 * MIB, leastBytes: 1664 * KIB },
  /**
   * References: files, folders, `packed-refs`, and lists made of them. Values become outdated when the
   * metadata of a file or folder has changed. A change of a file may be noticed up to a second later.
   */
  references: { storage: "home", bytes: 235 * MIB, leastBytes: 1792 * KIB },
  /**
   * Manifests, references and offset tables of published repositories. Values become outdated when the
   * manifest has changed.
   */
  bucketRepositories: { storage: "bucket", bytes: 64 * MIB, leastBytes: MIB },
  /**
   * Blocks of published packs, objects that are bases of deltas, ids of objects that were checked, pages of
   * the catalogue, and pages of facts about the node. Values never become outdated, because packs and pages
   * do not change.
   */
  bucketContents: { storage: "bucket", bytes: 312 * MIB, leastBytes: 4 * MIB },
  /**
   * Identity documents by commit. For repositories without `refs/rad/id`, also the commit of the document in
   * force, which becomes outdated when references or objects have changed.
   */
  identities: { bytes: 32 * MIB, leastBytes: 768 * KIB },
  /**
   * Signed references by commit, the commit of each history whose references are used, and published verdicts
   * about signed references. Values become outdated only when missing objects may have arrived.
   */
  signedRefs: { bytes: 50 * MIB, leastBytes: 384 * KIB },
  /**
   * Issues and patches as JSON. A value becomes outdated when a node in it has another alias, or when a
   * branch that it shows has moved.
   */
  views: { bytes: 25 * MIB, leastBytes: MIB / 2 },
  /**
   * Evaluated issues and patches, lists of them, and evaluations that another process saved. Values become
   * outdated when a reference has changed or missing objects may have arrived.
   */
  objects: { bytes: 320 * MIB, leastBytes: 6 * MIB },
  /**
   * Entries of issues, patches and identities, and ids of commits that are not entries. Values never become
   * outdated, because commits do not change.
   */
  entries: { bytes: 100 * MIB, leastBytes: 5440 * KIB },
  /**
   * Rows of `node.db` and `policies.db`, by query. Values become outdated when a database or its log has
   * changed.
   */
  databaseRows: { bytes: 25 * MIB, leastBytes: MIB / 2 },
} as const satisfies Record<string, SharedCache>;

/** Name of a cache with a share of the memory. */
export type CacheName = keyof typeof SHARED_CACHES;

/** A cache of a fixed size, in bytes. */
export interface FixedCache {
  readonly bytes: number;
}

/** Caches of a fixed size: small caches, and the caches of a publisher, which is a separate process. */
export const FIXED_CACHES = {
  /** Public keys, imported for WebCrypto. */
  publicKeys: { bytes: 128 * KIB },
  /**
   * Kinds of lines in the history of a node's signed references, by commit. Used when references are signed.
   */
  sigrefsTraits: { bytes: 200 * KIB },
  /**
   * Messages of refused work. There are separate caches for diffs, for the commits of a path, and for the
   * jobs of workers.
   */
  refusals: { bytes: 512 * KIB },
  /**
   * Publisher: objects of the bucket that it has put or read. Values become outdated when an object is put or
   * removed.
   */
  knownObjects: { bytes: 64 * MIB },
} as const satisfies Record<string, FixedCache>;

/** Name of a cache of a fixed size. */
export type FixedCacheName = keyof typeof FIXED_CACHES;
