/** The storage of a published home. Its repositories are read from a bucket. It is read-only. */
import {
  type ChangedRepositories,
  type ChangesPlace,
  createPackContext,
  type Listings,
  Memory,
  type RepoId,
  type Storage,
  tryParseRid,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { type Manifest, manifestOf } from "../format/manifest.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { PackSetContext } from "./pack_set.ts";
import { PublishedListings } from "./published_listings.ts";
import { PublisherSign } from "./publisher_sign.ts";
import { RecentChangesReader } from "./recent_changes_reader.ts";
import { BucketReads, type BucketReadsOptions } from "./reads.ts";
import { BucketRepository } from "./repository.ts";

/** Approximate memory of a cached block in addition to its bytes, and of the id of an object, in bytes. */
const BLOCK_OVERHEAD_BYTES = 256;
const ID_BYTES = 192;

/** Options of {@link createBucketStorage}. */
export interface BucketStorageOptions extends
  Pick<
    BucketReadsOptions,
    "freshSeconds" | "maxStaleSeconds" | "cacheFolder" | "inflate" | "environment"
  > {
  /**
   * Name of the rules by which issues and patches are evaluated; the newest rules by default. Listings that
   * were made by other rules are not used.
   */
  readonly evaluation?: string | undefined;
  /** The caches; caches of the default sizes by default. */
  readonly memory?: Memory;
  /** Reads of this bucket, to be shared with other users; new reads by default. */
  readonly reads?: BucketReads;
}

/** Times that give the age of a state, in milliseconds since the epoch. */
export interface Freshness {
  /** Time when the publisher read the state, by the publisher's clock. */
  readonly publishedAtMs: number;
  /** Time when the bucket last confirmed that this is the latest state, by the clock of the replica. */
  readonly confirmedAtMs: number;
}

/** The storage with the repositories of a published home. */
export interface BucketStorage extends Storage {
  repositoryIds(): Promise<readonly RepoId[]>;
  listings(): Promise<Listings>;
  /**
   * Opens a repository, without waiting if its manifest is fresh. While the bucket cannot be read, the last
   * state is returned, unless it is too old.
   */
  repository(rid: RepoId): BucketRepository | undefined | Promise<BucketRepository | undefined>;
  /**
   * Opens a repository after its manifest was read from the bucket, even if the known manifest is fresh. Like
   * {@link repository}, returns the last state while the bucket cannot be read.
   */
  renewed(rid: RepoId): Promise<BucketRepository | undefined>;
  /**
   * Returns the times of the shown state of a repository, or `undefined` if no state is known. It reads
   * nothing.
   */
  freshness(rid: RepoId): Freshness | undefined;
  changesAfter(place: ChangesPlace | undefined): Promise<ChangedRepositories>;
  /**
   * Time of a publisher's last sign of life in milliseconds since the epoch, by the clock of the bucket;
   * `undefined` while it is unknown. It never waits for a read.
   */
  readonly publisherSeenAtMs: number | undefined;
}

/** Maximum number of batches of objects that are read at the same time. Each holds up to 32 MiB. */
export const MAX_BATCHES = 4;
/**
 * Maximum number of single objects that are read from the bucket at the same time. Each holds up to 32 MiB,
 * most of them a few blocks.
 */
export const MAX_FINDS = 16;

/** The document of a manifest, and the repository if it exists. */
interface Opened {
  readonly document: FreshDocument<Manifest>;
  repository: BucketRepository | undefined;
}

/**
 * Creates the storage of a published home. Nothing is read yet.
 *
 * @example
 * ```ts
 * const storage = createBucketStorage(createR2Bucket(env.BUCKET));
 * ```
 */
export function createBucketStorage(bucket: Bucket, options: BucketStorageOptions = {}): BucketStorage {
  const { memory = new Memory({ storageKind: "bucket" }), evaluation = "newest" } = options;
  const { reads = new BucketReads({ bucket, ...options }) } = options;
  const context: PackSetContext = {
    reads,
    packs: createPackContext(memory, "bucketContents", reads.unpack),
    blocks: memory.map("bucketContents", ({ length }) => length + BLOCK_OVERHEAD_BYTES),
    ids: memory.map("bucketContents", () => ID_BYTES),
    slowReads: reads.createLimiter(1),
    batches: reads.createLimiter(MAX_BATCHES),
    finds: reads.createLimiter(MAX_FINDS),
  };
  const repositories = memory.mapOfLarge<RepoId, Opened>(
    "bucketRepositories",
    ({ repository }) => 512 + (repository?.weight ?? 0),
  );
  const catalogue = new PublishedListings(reads, memory, evaluation);
  const publisher = new PublisherSign(reads);
  const recent = new RecentChangesReader(reads, publisher);

  /** Returns the repository in the state of a manifest. */
  function show(rid: RepoId, opened: Opened, manifest: Manifest | undefined): BucketRepository | undefined {
    if (manifest === undefined) opened.repository = undefined;
    else if (opened.repository === undefined) {
      opened.repository = new BucketRepository(manifest, context, async () => {
        const reloaded = await opened.document.reload();
        if (reloaded !== undefined) opened.repository?.replace(reloaded);
      });
    } else if (opened.repository.manifest !== manifest) opened.repository.replace(manifest);
    repositories.weighAgain(rid);
    return opened.repository;
  }

  /**
   * Returns the entry for a repository that may exist. Only canonical ids get an entry, because only they
   * have a key.
   */
  const openedOf = (rid: RepoId) =>
    repositories.get(rid) === undefined && tryParseRid(rid) !== rid
      ? undefined
      : repositories.getOrMake(rid, () => ({
        document: new FreshDocument(manifestOf(rid), reads),
        repository: undefined,
      }));

  return {
    repositoryIds: () => catalogue.repositoryIds(),
    listings: () => catalogue.listings(),
    async renewed(rid) {
      const opened = openedOf(rid);
      return opened && show(rid, opened, await opened.document.renewed());
    },
    freshness(rid) {
      const { value, confirmedAtMs = 0 } = repositories.get(rid)?.document.known ?? {};
      return value && { publishedAtMs: value.publishedAtMs, confirmedAtMs };
    },
    async changesAfter(place) {
      const { changes, ...after } = await recent.after(place);
      for (const [rid, stateNumber] of changes) {
        const document = repositories.get(rid)?.document;
        if (document?.known?.value?.stateNumber !== stateNumber) document?.expire();
      }
      if (changes.length > 0) catalogue.expire();
      return { ...after, rids: changes.map(([rid]) => rid) };
    },
    get publisherSeenAtMs() {
      return publisher.seenAtMs;
    },
    repository(rid) {
      const opened = openedOf(rid);
      if (opened === undefined) return undefined;
      const manifest = opened.document.get();
      return manifest instanceof Promise
        ? manifest.then((manifest) => show(rid, opened, manifest))
        : show(rid, opened, manifest);
    },
  };
}
