/**
 * The list of all caches of the process, with their sizes. `Memory` scales the sizes to the memory that a
 * host allows. Cached values can be recomputed, so a smaller cache costs time and never changes an answer.
 * `docs/caches.md` shows this list.
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
  /** The key, and the cached value. */
  readonly content: string;
  /** Caches of this name in a process; 1 by default. */
  readonly count?: number;
  /** Default size of one such cache, in bytes, approximately: weights of values are estimates. */
  readonly bytes: number;
  /** Smallest useful size, in bytes. */
  readonly leastBytes: number;
  /** Reason to drop a value, besides want of memory. */
  readonly until: string;
  /** The kind of storage that has it; every process has it by default. */
  readonly storage?: "home" | "bucket";
  /** Another cache, each of whose values contains one such cache and counts its bytes. */
  readonly within?: string;
}

/** The caches that share the memory. */
export const SHARED_CACHES = {
  answers: {
    content:
      "request with full object ids → body and header fields of the answer; trees → the diff as JSON, or its place in an answer; packed when memory runs out",
    bytes: 64 * MIB,
    leastBytes: 0,
    until: "never: objects do not change",
  },
  streamCopies: {
    content: "answer that is being sent in pieces → the pieces so far, for `answers`",
    bytes: 32 * MIB,
    leastBytes: 0,
    until: "it has been sent, or proves too large for `answers`",
  },
  begunDiffs: {
    content: "trees whose diff is too large for `answers` → its first part, and the files that are not in it",
    bytes: 16 * MIB,
    leastBytes: 0,
    until: "never: objects do not change",
  },
  commitGraphs: {
    content:
      "repository → its commits in columns, paths that they change, and the walks and sets made of them",
    bytes: 320 * MIB,
    leastBytes: 4 * MIB,
    until: "never: it grows with the history; the largest is cached alone when it exceeds the share",
  },
  historyWalks: {
    content: "commit → the walk of history from it",
    within: "commitGraphs",
    bytes: 4 * MIB,
    leastBytes: MIB / 4,
    until: "a parent that was missing turns up",
  },
  ancestorSets: {
    content: "commit → the set of its ancestors",
    within: "commitGraphs",
    bytes: 8 * MIB,
    leastBytes: MIB / 4,
    until: "a parent that was missing turns up",
  },
  historyTimes: {
    content: "commit → times of the commits in its history after some second",
    within: "commitGraphs",
    bytes: 2 * MIB,
    leastBytes: MIB / 8,
    until: "a parent that was missing turns up",
  },
  comparedTrees: {
    content: "id → the tree, while the paths that commits change are listed",
    bytes: MIB,
    leastBytes: MIB / 4,
    until: "never: objects do not change",
  },
  packIndexes: {
    content: "repository → indexes of its packs, the last window of each, and mtimes of its folders",
    storage: "home",
    count: STORAGES,
    bytes: 128 * MIB,
    leastBytes: MIB,
    until: "its folder or a pack is replaced; the largest is cached alone when it exceeds the share",
  },
  packWindows: {
    content: "pack and place → 64 KiB of the file",
    storage: "home",
    count: STORAGES,
    bytes: 8 * MIB,
    leastBytes: MIB / 2,
    until: "never: packs do not change",
  },
  deltaBases: {
    content: "pack and place → an object that others are deltas of, or that took long to read",
    storage: "home",
    count: STORAGES,
    bytes: 24 * MIB,
    leastBytes: MIB,
    until: "never: packs do not change",
  },
  packedKinds: {
    content: "pack and place in a long chain of deltas → kind of the object",
    storage: "home",
    count: STORAGES,
    bytes: 4 * MIB,
    leastBytes: 64 * KIB,
    until: "all at once, when it is full",
  },
  damagedObjects: {
    content: "pack and place → why the object cannot be read, where that took long to find",
    storage: "home",
    count: STORAGES,
    bytes: 4 * MIB,
    leastBytes: 64 * KIB,
    until: "all at once, when it is full",
  },
  refFiles: {
    content: "path → the reference in the file",
    storage: "home",
    bytes: 37.5 * MIB,
    leastBytes: MIB / 4,
    until: "the file's metadata has changed",
  },
  refFolders: {
    content: "path → the names in a folder of references, and the references in their files",
    storage: "home",
    bytes: 37.5 * MIB,
    leastBytes: MIB / 4,
    until: "the folder's metadata has changed; a file is trusted for a second",
  },
  refLists: {
    content: "repository and prefix → the references below it",
    storage: "home",
    bytes: 32 * MIB,
    leastBytes: MIB / 4,
    until: "a folder on the way or `packed-refs` has changed, or a second is over",
  },
  packedRefs: {
    content: "path of `packed-refs` → its references",
    storage: "home",
    bytes: 128 * MIB,
    leastBytes: MIB,
    until: "the file's metadata has changed; the largest is cached alone when it exceeds the share",
  },
  bucketRepositories: {
    content: "repository → its manifest, its references, and the heads of its packs and of their index",
    storage: "bucket",
    bytes: 64 * MIB,
    leastBytes: MIB,
    until: "its manifest has changed; the largest is cached alone when it exceeds the share",
  },
  bucketPages: {
    content: "pack and place → a page of its index, or of the index of several packs, as stored until needed",
    storage: "bucket",
    bytes: 160 * MIB,
    leastBytes: MIB / 2,
    until: "never: packs do not change",
  },
  bucketBlocks: {
    content: "pack and place → a block, as it is stored until it is needed",
    storage: "bucket",
    bytes: 128 * MIB,
    leastBytes: 2 * MIB,
    until: "never: packs do not change",
  },
  cataloguePages: {
    content: "page of the published catalogue → its repositories, with what lists show of them",
    storage: "bucket",
    bytes: 16 * MIB,
    leastBytes: MIB,
    until: "never: pages do not change; the largest is cached alone when it exceeds the share",
  },
  nodeSnapshots: {
    content: "page of published facts about the node → its rows",
    storage: "bucket",
    bytes: 8 * MIB,
    leastBytes: MIB / 2,
    until: "never: pages do not change",
  },
  documents: {
    content: "commit → the identity document in it",
    bytes: 8 * MIB,
    leastBytes: MIB / 4,
    until: "never: commits do not change",
  },
  signedRefs: {
    content: "generation, repository, node and commit → the signed references that count",
    bytes: 44 * MIB,
    leastBytes: MIB / 8,
    until: "never: commits do not change",
  },
  judgedSigrefs: {
    content: "repository, node and last commit → which commit of its history counts",
    bytes: 2 * MIB,
    leastBytes: MIB / 8,
    until: "never, or objects that were missing may have come",
  },
  verdicts: {
    content: "repository and digest of a file → published verdicts about its signatures",
    bytes: 4 * MIB,
    leastBytes: MIB / 8,
    until: "never: such files do not change",
  },
  sigrefsFiles: {
    content: "last commit of a node's signed references → its two files, for the next change",
    bytes: 4 * MIB,
    leastBytes: MIB / 4,
    until: "a change is written on top of it",
  },
  views: {
    content: "state of an issue or a patch → its JSON",
    bytes: 24 * MIB,
    leastBytes: MIB / 4,
    until: "a node in it has another alias, or a branch that it shows has moved",
  },
  objects: {
    content: "rules, repository and id → an issue or a patch as it was evaluated",
    count: TYPES,
    bytes: 64 * MIB,
    leastBytes: MIB,
    until: "a reference leads to other entries, or objects that were missing may have come",
  },
  objectOutlines: {
    content: "rules, repository and id → the outline of a long issue or patch",
    count: TYPES,
    bytes: 16 * MIB,
    leastBytes: MIB / 2,
    until: "a reference leads to other entries",
  },
  objectLists: {
    content: "rules and repository → all of its issues or patches",
    count: TYPES,
    bytes: 64 * MIB,
    leastBytes: MIB,
    until: "a reference has changed, or objects that were missing may have come",
  },
  savedObjects: {
    content:
      "repository and digest → a list of issues or patches that another process evaluated, or a block of them",
    count: TYPES,
    bytes: 16 * MIB,
    leastBytes: MIB / 2,
    until: "never: files do not change; the largest is cached alone when it exceeds the share",
  },
  entries: {
    content: "repository and id → an entry of an issue, a patch or an identity",
    count: READERS,
    bytes: 16 * MIB,
    leastBytes: MIB,
    until: "never: commits do not change",
  },
  unreadableEntries: {
    content: "ids of commits that are no entries",
    count: READERS,
    bytes: 4 * MIB,
    leastBytes: 64 * KIB,
    until: "all at once, when it is full",
  },
  entryDocuments: {
    content: "repository and commit → the identity document that entries name",
    bytes: 8 * MIB,
    leastBytes: MIB / 4,
    until: "never: commits do not change",
  },
  identityCommits: {
    content: "repository without `refs/rad/id` → commit of its identity document",
    bytes: 16 * MIB,
    leastBytes: MIB / 4,
    until: "a reference of a node or its identity has changed, or objects may have come",
  },
  databaseAnswers: {
    content: "query of `node.db` or `policies.db` → its rows",
    count: 2,
    bytes: 12.5 * MIB,
    leastBytes: MIB / 4,
    until: "the metadata of the database or of its log has changed",
  },
} as const satisfies Record<string, SharedCache>;

/** Name of a cache that shares the memory. */
export type CacheName = keyof typeof SHARED_CACHES;

/** A table too small to have a share. */
export interface SmallTable {
  readonly content: string;
  /** Most entries, and bytes of one entry, approximately. */
  readonly entries: number;
  readonly entryBytes: number;
  /** The unit that has one such table, if there may be several. */
  readonly each?: string;
}

/** Small tables. Tables of an index count as a part of it; the others take below two megabytes together. */
export const SMALL_TABLES = {
  repositoryIds: {
    content: "spelling of a repository id → the id",
    entries: 256,
    entryBytes: 256,
  },
  publicKeys: {
    content: "bytes of a public key → the key as WebCrypto has it",
    entries: 256,
    entryBytes: 512,
  },
  sigrefsTraits: {
    content: "commit of signed references → which lines it and its ancestors have",
    entries: 1024,
    entryBytes: 200,
  },
  openPacks: {
    content: "path of a pack → its open file",
    entries: 64,
    entryBytes: 256,
    each: "storage",
  },
  warnings: {
    content: "warnings that have been logged",
    entries: 1000,
    entryBytes: 512,
    each: "storage",
  },
  historyCounts: {
    content: "commit → how many commits and authors its history has",
    entries: 128,
    entryBytes: 200,
    each: "commit graph",
  },
  lostHistories: {
    content: "digest of a saved history → that a part of it cannot be read",
    entries: 1024,
    entryBytes: 200,
  },
  authorLines: {
    content: "line that names an author → the author's number",
    entries: 4096,
    entryBytes: 200,
    each: "commit graph",
  },
  unreadableCommits: {
    content: "ids of objects that are no readable commits",
    entries: 4096,
    entryBytes: 40,
    each: "commit graph",
  },
  entryAuthors: {
    content: "public key → id of the node",
    entries: 1024,
    entryBytes: 256,
    each: "reader of entries",
  },
  manifests: {
    content: "id of a manifest → whether it is sound",
    entries: 64,
    entryBytes: 200,
    each: "reader of entries",
  },
  refusedDiffs: {
    content: "repository and trees → why the diff is too large",
    entries: 1000,
    entryBytes: 512,
  },
  refusedPaths: {
    content: "commit and path → why its history is too large",
    entries: 150,
    entryBytes: 8704,
  },
  refusedJobs: {
    content: "job that took too long or cost its worker → until when it is refused",
    entries: 1000,
    entryBytes: 512,
  },
  lockFiles: {
    content: "path of a lock → its open file",
    entries: 16,
    entryBytes: 2 ** 16,
    each: "home API",
  },
  foldersOnPath: {
    content: "folder on a path → the entry at the end of the path",
    entries: 8192,
    entryBytes: 160,
    each: "search for the commits that changed a path",
  },
} as const satisfies Record<string, SmallTable>;

/** Name of a small table. */
export type TableName = keyof typeof SMALL_TABLES;

/** A cache of a fixed size. */
export interface FixedCache {
  readonly content: string;
  /** Bytes, approximately. A larger value is cached alone. */
  readonly bytes: number;
  /** Reason to drop a value, besides want of memory. */
  readonly until: string;
}

/** Caches of a publisher beside those of a home. The service is another process, so they have no share. */
export const PUBLISHER_CACHES = {
  publishedIds: {
    content: "pack in the bucket → ids of its objects; room for those of two million",
    bytes: 64 * MIB,
    until: "never: packs do not change",
  },
  knownObjects: {
    content: "key → object that the publisher has put or read; of long ones their tag and size",
    bytes: 64 * MIB,
    until: "when the object is put or removed, or a check finds another one",
  },
} as const satisfies Record<string, FixedCache>;
