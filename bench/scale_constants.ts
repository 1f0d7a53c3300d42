/**
 * The constants of the simulation, in three parts: results of `node bench/scale_costs.ts`, sizes and limits
 * in the code, and assumptions about clients and prices. Put your own values into the third part.
 */

/** Costs of one kind of request at a replica. */
export interface KindCosts {
  /** Parts of the requests of people, and of the requests of crawlers. */
  readonly personShare: number;
  readonly crawlerShare: number;
  /**
   * Whether the answer is for a full object id, so that a CDN and the answer cache can store it for a long
   * time.
   */
  readonly isImmutable: boolean;
  /**
   * Blocks that the first such request for a repository reads. They are small unless the answer is immutable.
   */
  readonly groupsRead: number;
  /**
   * Processor time per read to read such blocks, unpack them and use them for the first time, in
   * milliseconds.
   */
  readonly readMs: number;
  /**
   * Processor time in milliseconds: `firstMs` when only the blocks are cached, `repeatedMs` when the answer
   * is cached.
   */
  readonly firstMs: number;
  readonly repeatedMs: number;
  readonly answerBytes: number;
}

export interface Costs {
  readonly kinds: Readonly<Record<string, KindCosts>>;
  /** Reads, bytes and processor time for a repository that the replica has not seen yet. */
  readonly stateReads: number;
  readonly stateReadBytes: number;
  readonly stateMs: number;
  /** Bytes per read of blocks. */
  readonly groupBytes: number;
  /** Bytes per read of blocks of issues, patches and documents, which are small. */
  readonly smallBytes: number;
  /** Processor time to save a read in the folder of the replica, and to read it there, in milliseconds. */
  readonly saveMs: number;
  readonly savedMs: number;
  /** Bytes of a repository in the bucket. */
  readonly storedBytes: number;
  /**
   * Processor time of the publisher in milliseconds: to check a repository while all metadata fits into its
   * caches (`lookMs`), to check one when there are more repositories (`farLookMs`), and to publish a change.
   */
  readonly lookMs: number;
  readonly farLookMs: number;
  readonly publishMs: number;
  /** Groups of blocks of a repository, and objects per group that clients request. */
  readonly groups: number;
  readonly objectsPerGroup: number;

  readonly answerCacheBytes: number;
  readonly stateCacheBytes: number;
  readonly stateBytes: number;
  readonly blockCacheBytes: number;
  /** Size of the blocks in the folder of a replica. */
  readonly diskCacheBytes: number;
  readonly freshSeconds: number;
  /** Repositories whose folders of references fit into the publisher's caches. */
  readonly nearRepositories: number;
  readonly lookPauseSeconds: number;
  /** Part of a processor that the publisher uses for its checks while the node reports changes. */
  readonly lookShare: number;
  /** Seconds from the check that finds a change until its manifest is published. */
  readonly publishSeconds: number;
  readonly putsPerChange: number;
  readonly publishedAtOnce: number;

  /**
   * Part of all requests that come from crawlers. Crawlers request each repository and each object equally
   * often.
   */
  readonly crawlers: number;
  /** How unequally people choose repositories (Zipf's law), and how strongly they prefer recent objects. */
  readonly zipfExponent: number;
  readonly recency: number;
  readonly secondsBetweenChanges: number;
  readonly changesPerRepositoryPerDay: number;
  readonly writeShare: number;
  /** Part of the changes that the node reports, and seconds per call of the bucket. */
  readonly toldShare: number;
  readonly callSeconds: number;
  readonly homeChangesPerSecond: number;
  /**
   * Part of one processor that a replica may use, and the smallest number of replicas, so that one may fail.
   */
  readonly usableCore: number;
  readonly leastReplicas: number;
  readonly replicaBytesPerSecond: number;
  readonly bucketReadsPerSecond: number;
  readonly revalidationMs: number;
  /**
   * Seconds for which a CDN stores an answer, and the part of all clients that one location of the CDN
   * serves.
   */
  readonly cdnSeconds: number;
  readonly cdnReach: number;
  readonly immutableShare: number;
  readonly prices: {
    readonly replicaMonth: number;
    readonly millionReads: number;
    readonly millionPuts: number;
    readonly gigabyteMonth: number;
    readonly egressGigabyte: number;
  };
}

const KIB = 1024;
const MIB = 1024 * KIB;

/** Kinds of requests: measured costs, assumed shares. */
const KINDS: Costs["kinds"] = {
  // Shares of people and of crawlers; immutable; blocks read; milliseconds per read, for a first and for a
  // repeated answer; bytes of the answer.
  project: kind([0.25, 0.02], false, [0, 0, 0.187, 0.187, 385]),
  tree: kind([0.18, 0.2], true, [1, 1.43, 0.269, 0.123, 600]),
  blob: kind([0.15, 0.2], true, [2, 1.15, 0.304, 0.124, 8_010]),
  commit: kind([0.08, 0.4], true, [3, 0.83, 0.845, 0.112, 32_200]),
  // The time per read is the mean of cold requests on a busy machine, which includes garbage collection.
  history: kind([0.07, 0.03], true, [6, 2.04, 12.4, 0.875, 146_000]),
  issues: kind([0.1, 0.02], false, [1, 0.54, 0.857, 0.857, 27_000]),
  // The reads of the following kinds are too fast to measure.
  issue: kind([0.07, 0.05], false, [1, 0.5, 0.092, 0.091, 2_700]),
  patches: kind([0.04, 0.01], false, [1, 0.5, 0.232, 0.211, 7_280]),
  patch: kind([0.03, 0.02], false, [1, 0.5, 0.106, 0.097, 727]),
  raw: kind([0.03, 0.05], true, [1, 0.65, 0.146, 0.096, 7_400]),
};

function kind(
  [personShare, crawlerShare]: [number, number],
  isImmutable: boolean,
  [groupsRead, readMs, firstMs, repeatedMs, answerBytes]: [number, number, number, number, number],
): KindCosts {
  return { personShare, crawlerShare, isImmutable, groupsRead, readMs, firstMs, repeatedMs, answerBytes };
}

/** The constants for the table in `bench/notes/scale.md`. */
export const COSTS: Costs = {
  // Measured on a generated repository of 3,000 commits, 300 files, 100 issues and 20 patches, on Node.js:
  // medians of three runs.
  kinds: KINDS,
  stateReads: 4,
  stateReadBytes: 346_000,
  stateMs: 4.58,
  groupBytes: 166_000,
  saveMs: 1.21,
  savedMs: 0.417,
  smallBytes: 8_000,
  storedBytes: 6_140_000,
  lookMs: 0.08,
  farLookMs: 0.7,
  publishMs: 23.7,
  groups: 61,
  objectsPerGroup: 393,

  // Sizes and limits of the code: `src/cache/caches.ts`, `extensions/replicas/storage/`,
  // `extensions/replicas/publisher/publisher.ts`.
  answerCacheBytes: 64 * MIB,
  stateCacheBytes: 224 * MIB,
  stateBytes: 210_000,
  blockCacheBytes: 128 * MIB,
  diskCacheBytes: 512 * MIB,
  freshSeconds: 2,
  nearRepositories: 5_000,
  lookPauseSeconds: 0.5,
  lookShare: 0.05,
  publishSeconds: 0.2,
  putsPerChange: 5,
  publishedAtOnce: 16,

  // Assumptions.
  crawlers: 0.1,
  zipfExponent: 1,
  recency: 3,
  secondsBetweenChanges: 3_600,
  changesPerRepositoryPerDay: 5,
  writeShare: 0.001,
  toldShare: 0.95,
  callSeconds: 0.02,
  homeChangesPerSecond: 50,
  usableCore: 0.6,
  leastReplicas: 2,
  replicaBytesPerSecond: 125_000_000,
  bucketReadsPerSecond: 5_500,
  revalidationMs: 0.1,
  cdnSeconds: 7 * 86_400,
  cdnReach: 0.2,
  immutableShare: 0.5,
  prices: {
    replicaMonth: 20,
    millionReads: 0.4,
    millionPuts: 5,
    gigabyteMonth: 0.02,
    egressGigabyte: 0.01,
  },
};
