/**
 * The list of all caches of the process, with their sizes. `Memory` scales the sizes to the memory that a
 * host allows. Cached values can be recomputed, so a smaller cache costs time and never changes an answer.
 * `docs/caches.md` shows this list with its comments.
 */

const KIB = 2 ** 10;
const MIB = 2 ** 20;

/** Storages, each with its own caches: one in the main thread and one in each of three workers. */
const STORAGES = 4;

/** Types of objects with their own caches: issues and patches. */
const TYPES = 2;

/**
 * Readers of entries: two for issues and two for patches, since the rules of evaluation may differ from the
 * rules of the home's programs, and one for identities.
 */
const READERS = 5;

/** A cache whose size is a share of the memory. */
export interface SharedCache {
  /** Caches of this name in a process; 1 by default. */
  readonly count?: number;
  /** Default size of one such cache, in bytes, approximately: weights of values are estimates. */
  readonly bytes: number;
  /** Smallest useful size, in bytes. */
  readonly leastBytes: number;
  /** The kind of storage that has it; every process has it by default. */
  readonly storage?: "home" | "bucket";
  /** Another cache, each of whose values contains one such cache and counts its bytes. */
  readonly within?: string;
}

/**
 * The caches that share the memory. Their comments say what is the key, what the value, and why a value is
 * dropped, besides want of memory.
 */
export const SHARED_CACHES = {
  /**
   * Request with full object ids → body and header fields of the answer; trees → the diff as JSON, or its
   * place in an answer; packed when memory runs out. Dropped: never: objects do not change.
   */
  answers: { bytes: 64 * MIB, leastBytes: 0 },
  /**
   * Answer that is being sent in pieces → the pieces so far, for `answers`. Dropped: it has been sent, or
   * proves too large for `answers`.
   */
  streamCopies: { bytes: 32 * MIB, leastBytes: 0 },
  /**
   * Repository → its commits in columns, paths that they change, and the walks and sets made of them.
   * Dropped: never: it grows with the history; the largest is cached alone when it exceeds the share.
   */
  commitGraphs: { bytes: 320 * MIB, leastBytes: 4 * MIB },
  /** Commit → the walk of history from it. Dropped: a parent that was missing turns up. */
  historyWalks: { within: "commitGraphs", bytes: 4 * MIB, leastBytes: MIB / 4 },
  /** Commit → the set of its ancestors. Dropped: a parent that was missing turns up. */
  ancestorSets: { within: "commitGraphs", bytes: 8 * MIB, leastBytes: MIB / 4 },
  /**
   * Commit → times of the commits in its history after some second. Dropped: a parent that was missing turns
   * up.
   */
  historyTimes: { within: "commitGraphs", bytes: 2 * MIB, leastBytes: MIB / 8 },
  /** Id → the tree, while the paths that commits change are listed. Dropped: never: objects do not change. */
  comparedTrees: { bytes: MIB, leastBytes: MIB / 4 },
  /**
   * Repository → indexes of its packs, the last window of each, and mtimes of its folders. Dropped: its
   * folder or a pack is replaced; the largest is cached alone when it exceeds the share.
   */
  packIndexes: { storage: "home", count: STORAGES, bytes: 128 * MIB, leastBytes: MIB },
  /** Pack and place → 64 KiB of the file. Dropped: never: packs do not change. */
  packWindows: { storage: "home", count: STORAGES, bytes: 8 * MIB, leastBytes: MIB / 2 },
  /**
   * Pack and place → an object that others are deltas of, or that took long to read. Dropped: never: packs do
   * not change.
   */
  deltaBases: { storage: "home", count: STORAGES, bytes: 24 * MIB, leastBytes: MIB },
  /** Pack and place in a long chain of deltas → kind of the object. Dropped: never: packs do not change. */
  packedKinds: { storage: "home", count: STORAGES, bytes: 4 * MIB, leastBytes: 64 * KIB },
  /**
   * Pack and place → why the object cannot be read, where that took long to find. Dropped: never: packs do
   * not change.
   */
  damagedObjects: { storage: "home", count: STORAGES, bytes: 4 * MIB, leastBytes: 64 * KIB },
  /** Path → the reference in the file. Dropped: the file's metadata has changed. */
  refFiles: { storage: "home", bytes: 37.5 * MIB, leastBytes: MIB / 4 },
  /**
   * Path → the names in a folder of references, and the references in their files. Dropped: the folder's
   * metadata has changed; a file is trusted for a second.
   */
  refFolders: { storage: "home", bytes: 37.5 * MIB, leastBytes: MIB / 4 },
  /**
   * Repository and prefix → the references below it. Dropped: a folder on the way or `packed-refs` has
   * changed, or a second is over.
   */
  refLists: { storage: "home", bytes: 32 * MIB, leastBytes: MIB / 4 },
  /**
   * Path of `packed-refs` → its references. Dropped: the file's metadata has changed; the largest is cached
   * alone when it exceeds the share.
   */
  packedRefs: { storage: "home", bytes: 128 * MIB, leastBytes: MIB },
  /**
   * Repository → its manifest, its references, and the heads of its packs and of their index. Dropped: its
   * manifest has changed; the largest is cached alone when it exceeds the share.
   */
  bucketRepositories: { storage: "bucket", bytes: 64 * MIB, leastBytes: MIB },
  /**
   * Pack and place → a page of its index, or of the index of several packs, as stored until needed. Dropped:
   * never: packs do not change.
   */
  bucketPages: { storage: "bucket", bytes: 160 * MIB, leastBytes: MIB / 2 },
  /** Pack and place → a block, as it is stored until it is needed. Dropped: never: packs do not change. */
  bucketBlocks: { storage: "bucket", bytes: 128 * MIB, leastBytes: 2 * MIB },
  /**
   * Page of the published catalogue → its repositories, with what lists show of them. Dropped: never: pages
   * do not change; the largest is cached alone when it exceeds the share.
   */
  cataloguePages: { storage: "bucket", bytes: 16 * MIB, leastBytes: MIB },
  /** Page of published facts about the node → its rows. Dropped: never: pages do not change. */
  nodeSnapshots: { storage: "bucket", bytes: 8 * MIB, leastBytes: MIB / 2 },
  /** Commit → the identity document in it. Dropped: never: commits do not change. */
  documents: { bytes: 8 * MIB, leastBytes: MIB / 4 },
  /**
   * Generation, repository, node and commit → the signed references that count. Dropped: never: commits do
   * not change.
   */
  signedRefs: { bytes: 44 * MIB, leastBytes: MIB / 8 },
  /**
   * Repository, node and last commit → which commit of its history counts. Dropped: never, or objects that
   * were missing may have come.
   */
  judgedSigrefs: { bytes: 2 * MIB, leastBytes: MIB / 8 },
  /**
   * Repository and digest of a file → published verdicts about its signatures. Dropped: never: such files do
   * not change.
   */
  verdicts: { bytes: 4 * MIB, leastBytes: MIB / 8 },
  /**
   * State of an issue or a patch → its JSON. Dropped: a node in it has another alias, or a branch that it
   * shows has moved.
   */
  views: { bytes: 24 * MIB, leastBytes: MIB / 4 },
  /**
   * Rules, repository and id → an issue or a patch as it was evaluated, with all of its texts, or as it is in
   * lists. Dropped: a reference leads to other entries, or objects that were missing may have come.
   */
  objects: { count: TYPES, bytes: 80 * MIB, leastBytes: 1.5 * MIB },
  /**
   * Rules and repository → all of its issues or patches. Dropped: a reference has changed, or objects that
   * were missing may have come.
   */
  objectLists: { count: TYPES, bytes: 64 * MIB, leastBytes: MIB },
  /**
   * Repository and digest → a list of issues or patches that another process evaluated, or a block of them.
   * Dropped: never: files do not change; the largest is cached alone when it exceeds the share.
   */
  savedObjects: { count: TYPES, bytes: 16 * MIB, leastBytes: MIB / 2 },
  /**
   * Repository and id → an entry of an issue, a patch or an identity. Dropped: never: commits do not change.
   */
  entries: { count: READERS, bytes: 16 * MIB, leastBytes: MIB },
  /** Ids of commits that are no entries. Dropped: never: commits do not change. */
  unreadableEntries: { count: READERS, bytes: 4 * MIB, leastBytes: 64 * KIB },
  /**
   * Repository and commit → the identity document that entries name. Dropped: never: commits do not change.
   */
  entryDocuments: { bytes: 8 * MIB, leastBytes: MIB / 4 },
  /**
   * Repository without `refs/rad/id` → commit of its identity document. Dropped: a reference of a node or its
   * identity has changed, or objects may have come.
   */
  identityCommits: { bytes: 16 * MIB, leastBytes: MIB / 4 },
  /**
   * Query of `node.db` or `policies.db` → its rows. Dropped: the metadata of the database or of its log has
   * changed.
   */
  databaseAnswers: { count: 2, bytes: 12.5 * MIB, leastBytes: MIB / 4 },
} as const satisfies Record<string, SharedCache>;

/** Name of a cache that shares the memory. */
export type CacheName = keyof typeof SHARED_CACHES;

/** A table too small to have a share. */
export interface SmallTable {
  /** Most entries, and bytes of one entry, approximately. */
  readonly entries: number;
  readonly entryBytes: number;
}

/** Small tables. Tables of an index count as a part of it; the others take below two megabytes together. */
export const SMALL_TABLES = {
  /** Spelling of a repository id → the id. */
  repositoryIds: { entries: 256, entryBytes: 256 },
  /** Bytes of a public key → the key as WebCrypto has it. */
  publicKeys: { entries: 256, entryBytes: 512 },
  /** Commit of signed references → which lines it and its ancestors have. */
  sigrefsTraits: { entries: 1024, entryBytes: 200 },
  /** Path of a pack → its open file. One for each storage. */
  openPacks: { entries: 64, entryBytes: 256 },
  /** Warnings that have been logged. One for each storage. */
  warnings: { entries: 1000, entryBytes: 512 },
  /** Commit → how many commits and authors its history has. One for each commit graph. */
  historyCounts: { entries: 128, entryBytes: 200 },
  /** Digest of a saved history → that a part of it cannot be read. */
  lostHistories: { entries: 1024, entryBytes: 200 },
  /** Line that names an author → the author's number. One for each commit graph. */
  authorLines: { entries: 4096, entryBytes: 200 },
  /** Ids of objects that are no readable commits. One for each commit graph. */
  unreadableCommits: { entries: 4096, entryBytes: 40 },
  /** Public key → id of the node. One for each reader of entries. */
  entryAuthors: { entries: 1024, entryBytes: 256 },
  /** Id of a manifest → whether it is sound. One for each reader of entries. */
  manifests: { entries: 64, entryBytes: 200 },
  /** Repository and trees → why the diff is too large. */
  refusedDiffs: { entries: 1000, entryBytes: 512 },
  /** Commit and path → why its history is too large. */
  refusedPaths: { entries: 150, entryBytes: 8704 },
  /** Job that took too long or cost its worker → until when it is refused. */
  refusedJobs: { entries: 1000, entryBytes: 512 },
  /**
   * Folder on a path → the entry at the end of the path. One for each search for the commits that changed a
   * path.
   */
  foldersOnPath: { entries: 8192, entryBytes: 160 },
} as const satisfies Record<string, SmallTable>;

/** Name of a small table. */
export type TableName = keyof typeof SMALL_TABLES;

/** A cache of a fixed size. */
export interface FixedCache {
  /** Bytes, approximately. A larger value is cached alone. */
  readonly bytes: number;
}

/** Caches of a publisher beside those of a home. The service is another process, so they have no share. */
export const PUBLISHER_CACHES = {
  /**
   * Pack in the bucket → ids of its objects; room for those of two million. Dropped: never: packs do not
   * change.
   */
  publishedIds: { bytes: 64 * MIB },
  /**
   * Key → object that the publisher has put or read; of long ones their tag and size. Dropped: when the
   * object is put or removed, or a check finds another one.
   */
  knownObjects: { bytes: 64 * MIB },
} as const satisfies Record<string, FixedCache>;
