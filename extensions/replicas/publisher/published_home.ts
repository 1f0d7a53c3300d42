/** The published state of a home: publishes, hides, removes and checks its repositories. */
import { Limiter, type RepoId, type Task } from "../../../src/mod.ts";
import { type BucketEntry, BucketError } from "../bucket/bucket.ts";
import {
  CATALOGUE_KEY,
  CATALOGUE_PREFIX,
  GIT_FILES,
  gitFileKey,
  manifestKey,
  NODE_KEY,
  NODE_PREFIX,
  parseKey,
  repositoryPrefix,
} from "../format/keys.ts";
import type { Manifest } from "../format/manifest.ts";
import { CatalogueWriter, namedPages, readRows } from "./catalogue_writer.ts";
import { ChangedMeanwhile, readManifest } from "./changing_object.ts";
import { namedSnapshots, type NodeSource, publishNode } from "./node_publication.ts";
import type { OwnBucket } from "./own_bucket.ts";
import { RecentChangesWriter } from "./recent_changes_writer.ts";
import type { PublicationOptions } from "./publication_options.ts";
import { ReferenceStates } from "./reference_states.ts";
import { NO_REPAIR, type Publication, publishRepository, type Repair } from "./repository_publication.ts";
import {
  listObjects,
  listRepositories,
  namedKeys,
  namedSizes,
  type Naming,
  type RepositoryEntries,
  UnreferencedObjects,
} from "./unreferenced_objects.ts";

/** Prefix of the keys of all repositories in earlier formats. */
const OLD_REPOSITORIES_PREFIX = "repos/";
/** Keys of repositories in earlier formats. */
const OLD_KEY = /^repos\/z[1-9A-HJ-NP-Za-km-z]+\/(manifest\.json|[a-z]+-[0-9a-f]{64})$/;
/** Number of objects that one call removes. */
const KEYS_AT_ONCE = 500;
/** Maximum number of attempts to put the description of the node. */
const DESCRIPTION_TRIES = 2;
/** Delay before the publication of a failed repository is tried again, in milliseconds. */
const FAILED_RETRY_MS = 10_000;

export interface PublishedHomeOptions
  extends Omit<PublicationOptions, "task" | "signal" | "bucketTimeMs" | "onLarge"> {
  /** The node whose description is published. Without it, no description is published. */
  readonly node?: NodeSource | undefined;
  /** Called for each repository that was published, removed, or could not be published. */
  readonly onPublication?: ((result: PublicationResult) => void) | undefined;
}

/** The result of the publication or removal of one repository. */
export type PublicationResult =
  | Publication
  | { readonly rid: RepoId; readonly change: "removed" | "failed" };

interface Compared {
  /**
   * The manifest, if all objects that it names exist, and the manifest is the one that this publisher knows.
   */
  readonly manifest: Manifest | undefined;
  /**
   * Keys of the objects that the manifest names, and that are missing or have the wrong size; and keys of
   * files for git clients that are missing or older than the manifest.
   */
  readonly lost: ReadonlySet<string>;
  readonly putMs: number | undefined;
}

export interface CheckOptions {
  /**
   * Returns whether work on a repository runs or waits. If so, this check skips the repository, and the next
   * check visits it.
   */
  readonly isBusy: (rid: RepoId) => boolean;
  /** Called for a repository that must be published again. */
  readonly onStale: (rid: RepoId, repair: Repair) => void;
  /**
   * Whether the check runs after a round, and not as part of it. It then also compares the references of
   * repositories, even if the storage reports no change, and makes the packs anew of repositories from which
   * references were removed or which lacked objects.
   */
  readonly isLater: boolean;
}

/**
 * The published state of a home. Calls for one repository must not overlap, except for calls of {@link hide}.
 */
export class PublishedHome {
  readonly states: ReferenceStates;
  readonly catalogue: CatalogueWriter;
  readonly recent: RecentChangesWriter;
  /** Repositories that have manifests in the bucket, as far as this publisher knows. */
  published: Set<RepoId> = new Set();
  readonly #options: PublishedHomeOptions;
  readonly #bucket: OwnBucket;
  readonly #publication: PublicationOptions;
  /** Repositories that may have objects in the bucket. */
  readonly #touched = new Set<RepoId>();
  readonly #retryAtMs = new Map<RepoId, number>();
  readonly #unreferenced: UnreferencedObjects;
  readonly #describing = new Limiter({ atOnce: 1 });
  /** Whether objects of an earlier format were found. */
  #hasOldFormat = false;
  /** Repositories that the description of the node names, as far as this publisher knows. */
  #described: ReadonlySet<RepoId> = new Set();
  readonly #nowMs: () => number;
  /** Time by which the clock of the bucket is ahead of {@link #nowMs}, in milliseconds. */
  #clockAheadMs = 0;

  /**
   * @param task Task in which all computation runs.
   * @param nowMs Returns the milliseconds since an arbitrary point in time.
   */
  constructor(options: PublishedHomeOptions, bucket: OwnBucket, task: Task, nowMs: () => number) {
    this.#options = options;
    this.#bucket = bucket;
    this.#nowMs = nowMs;
    this.states = new ReferenceStates(options.storage, task);
    this.catalogue = new CatalogueWriter({ ...options, bucket, task, isPublic: this.isPublic });
    this.recent = new RecentChangesWriter({ bucket, isPublic: this.isPublic, nowMs });
    this.#publication = {
      ...options,
      bucket,
      task,
    };
    this.#unreferenced = new UnreferencedObjects(options.graceMs);
  }

  set bucketMs(bucketMs: number) {
    this.#clockAheadMs = bucketMs - this.#nowMs();
  }

  get bucketMs(): number {
    return this.#clockAheadMs + this.#nowMs();
  }

  /**
   * Drops everything that this publisher knows about the bucket, because another publisher has changed it.
   *
   * @param lease Number of this publisher's lease.
   */
  forget(lease: number): void {
    this.#bucket.forgetBelow("");
    this.recent.begin(lease);
    for (const rid of [...this.states.rids()]) this.states.set(rid, undefined);
    this.#described = new Set();
  }

  readonly isPublic = async (rid: RepoId): Promise<boolean> => {
    const { storage, identities, task } = this.#publication;
    const repository = await storage.repository(rid);
    return repository !== undefined && await identities.isPublic(repository, task);
  };

  /**
   * Checks whether a repository must be published now, because it has changed. It is not published again
   * directly after a failure.
   */
  async isDue(rid: RepoId): Promise<boolean> {
    return !this.#hasJustFailed(rid) && await this.states.hasChanged(rid, true);
  }

  /**
   * Publishes a repository, or if it is not public, removes all its objects from the bucket. A failure of one
   * repository does not delay other repositories.
   *
   * @throws {BucketError}
   */
  async publish(
    rid: RepoId,
    { repair = NO_REPAIR, ...calls }: Pick<PublicationOptions, "signal" | "onLarge"> & {
      readonly repair?: Repair;
    },
  ): Promise<PublicationResult> {
    const { progress, onPublication, log } = this.#options;
    let result: PublicationResult;
    try {
      const state = await this.states.read(rid);
      if (await this.isPublic(rid)) this.#touched.add(rid);
      result = await publishRepository(
        { ...this.#publication, ...calls, bucketTimeMs: this.bucketMs },
        rid,
        repair,
      );
      if (result.change === "published" || result.change === "none") {
        this.published.add(rid);
        this.catalogue.add(rid, result.listing);
      } else if (this.#touched.has(rid)) {
        await this.remove([rid]);
        result = { rid, change: "removed" };
      }
      if (result.change === "published") this.recent.add(rid, result.stateNumber);
      this.states.set(rid, state);
      this.#retryAtMs.delete(rid);
    } catch (error) {
      if (calls.signal?.aborted || error instanceof BucketError) throw error;
      log("warn", `Cannot publish ${rid}`, error);
      result = { rid, change: "failed" };
      this.states.set(rid, undefined);
      this.#retryAtMs.set(rid, this.#nowMs() + FAILED_RETRY_MS);
    }
    progress?.(undefined);
    if (result.change !== "none" && result.change !== "absent") onPublication?.(result);
    return result;
  }

  /**
   * Hides repositories. It removes them first from the lists, and then removes their manifests and their
   * files for git clients. Without these, readers do not find the repository. They are removed even if the
   * lists cannot be changed.
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    for (const rid of rids) this.published.delete(rid);
    const steps = [
      () => this.catalogue.hide(rids),
      () => this.recent.hide(rids),
      async () => void (rids.some((rid) => this.#described.has(rid)) && await this.describe()),
      () => this.#bucket.delete(rids.flatMap(headKeys)),
    ];
    let failure: { readonly error: unknown } | undefined;
    for (const step of steps) await step().catch((error) => failure ??= { error });
    if (failure !== undefined) throw failure.error;
  }

  /** Hides repositories, and removes all their objects from the bucket. */
  async remove(rids: readonly RepoId[]): Promise<void> {
    if (rids.length === 0) return;
    try {
      await this.hide(rids);
    } finally {
      for (const rid of rids) {
        const keys = (await listObjects(this.#bucket, repositoryPrefix(rid))).map(({ key }) => key);
        for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
          await this.#bucket.delete(keys.slice(at, at + KEYS_AT_ONCE));
        }
        this.#touched.delete(rid);
      }
    }
  }

  /**
   * Finds all repositories in the bucket, and removes repositories that are private or that are not in the
   * storage.
   *
   * @returns The number of removed repositories.
   */
  async removeGone(signal: AbortSignal | undefined): Promise<number> {
    const gone: RepoId[] = [];
    this.published = new Set();
    for await (const { rid, entries } of listRepositories(this.#bucket)) {
      signal?.throwIfAborted();
      this.#touched.add(rid);
      if (!await this.isPublic(rid)) gone.push(rid);
      else if (entries.some(({ key }) => key === manifestKey(rid))) this.published.add(rid);
    }
    if (gone.length > 0 || this.#described.size === 0) await this.describe({ renews: "if other" });
    await this.remove(gone);
    return gone.length;
  }

  /**
   * Puts the catalogue and the description again. These puts change the tags of both, so that late
   * conditional puts of the last holder of the lease fail.
   */
  async renew(): Promise<void> {
    await this.catalogue.renew();
    await this.describe({ renews: "always" });
  }

  /**
   * Checks all objects in the bucket, one repository in each step. It finds lost objects, manifests that
   * another program has changed, and outdated references, and removes objects that nothing names.
   *
   * @returns A generator of the number of objects that each step has removed.
   */
  async *check(options: CheckOptions): AsyncGenerator<number, void, void> {
    const { isBusy, onStale, isLater } = options;
    const missing = new Set(this.published);
    for await (const found of listRepositories(this.#bucket)) {
      const own = manifestKey(found.rid);
      if (found.entries.some(({ key }) => key === own)) missing.delete(found.rid);
      if (!isBusy(found.rid) && !this.#hasJustFailed(found.rid)) {
        yield await this.#checkRepository(found, options);
      }
    }
    for (const rid of missing) {
      if (isBusy(rid) || this.#hasJustFailed(rid) || !this.published.has(rid)) continue;
      this.#bucket.forget(manifestKey(rid));
      onStale(rid, NO_REPAIR);
      yield 0;
    }
    // `recent.json` may have been lost or replaced. The first check directly follows this publisher's first
    // put of this object, so it need not put it again.
    if (isLater) await this.recent.renew();
    yield await this.#checkLists();
    yield await this.#removeOldFormat();
    this.#unreferenced.endLook();
  }

  /** Adds all rows to the catalogue again after rows were lost. */
  async relist(): Promise<void> {
    this.catalogue.isDamaged = false;
    for (const rid of this.published) {
      const { value } = await readManifest(this.#bucket, rid);
      if (value !== undefined) this.catalogue.add(rid, value.listing);
    }
    await this.catalogue.flush();
  }

  /**
   * Publishes the description of the node. If the databases of the node cannot be read, a later call tries
   * again.
   */
  async describe({ renews = "no" }: { readonly renews?: "no" | "if other" | "always" } = {}): Promise<void> {
    const { node, log } = this.#options;
    if (node === undefined) return;
    for (let tries = 1;; tries++) {
      try {
        this.#described = await this.#describing.run(() => {
          const { published, isPublic } = this;
          return publishNode(this.#publication, node, { published, isPublic, renews });
        });
        return;
      } catch (error) {
        // A late put of an earlier publisher may have come between. The next attempt reads the description
        // again.
        if (error instanceof ChangedMeanwhile && tries < DESCRIPTION_TRIES) continue;
        if (error instanceof BucketError || error instanceof ChangedMeanwhile) throw error;
        return log("warn", "Cannot publish the description of the node", error);
      }
    }
  }

  #hasJustFailed(rid: RepoId): boolean {
    return this.#nowMs() < (this.#retryAtMs.get(rid) ?? -Infinity);
  }

  async #checkRepository(
    found: RepositoryEntries,
    { onStale, isLater }: CheckOptions,
  ): Promise<number> {
    const { rid, entries } = found;
    this.#touched.add(rid);
    if (!await this.isPublic(rid)) {
      await this.remove([rid]);
      return 0;
    }
    if (isLater && await this.states.hasChanged(rid, false)) {
      onStale(rid, NO_REPAIR);
      return 0;
    }
    const { manifest, putMs } = await this.#compare(rid, entries);
    if (manifest !== undefined) {
      this.catalogue.add(rid, manifest.listing);
      if (isLater && (manifest.hasRemoved || manifest.isIncomplete)) {
        onStale(rid, { ...NO_REPAIR, remakesPacks: true });
        return 0;
      }
      return await this.#removeOld(entries, { putMs, keys: namedKeys(manifest) });
    }
    // The listed entries may be outdated, so the objects are listed again.
    const again = await this.#compare(rid, await listObjects(this.#bucket, repositoryPrefix(rid)));
    if (again.manifest === undefined) onStale(rid, { ...NO_REPAIR, lost: again.lost });
    return 0;
  }

  /**
   * Compares the listed objects of a repository with its manifest, and with the objects that this publisher
   * knows. Objects that differ are removed from the cache.
   */
  async #compare(rid: RepoId, entries: readonly BucketEntry[]): Promise<Compared> {
    const own = entries.find(({ key }) => key === manifestKey(rid));
    const isOther = entries.filter((entry) => this.#bucket.compare(entry) === "other").includes(own!);
    if (own === undefined) this.#bucket.forget(manifestKey(rid));
    const manifest = own && (await readManifest(this.#bucket, rid)).value;
    const listed = new Map(entries.map((entry) => [entry.key, entry]));
    const named = manifest === undefined ? [] : [...namedSizes(manifest)];
    const lost = new Set(named.filter(([key, size]) => isLost(listed.get(key), size)).map(([key]) => key));
    // The references in a manifest and in a file for git clients change at the same time. The file is older
    // when a publisher was killed between the two puts.
    const refsKey = gitFileKey(rid, "info/refs");
    if (own !== undefined && (listed.get(refsKey)?.modifiedMs ?? 0) < own.modifiedMs) lost.add(refsKey);
    for (const key of lost) this.#bucket.forget(key);
    return { manifest: isOther || lost.size > 0 ? undefined : manifest, lost, putMs: own?.modifiedMs };
  }

  async #checkLists(): Promise<number> {
    const catalogue = await this.#readAgain(CATALOGUE_KEY, CATALOGUE_PREFIX);
    const node = await this.#readAgain(NODE_KEY, NODE_PREFIX);
    const named = () => Promise.all([namedPages(this.#bucket), namedSnapshots(this.#bucket)]);
    const before = await named();
    await this.catalogue.flush();
    const rows = await readRows(this.#publication);
    const others = [...rows.keys()].filter((rid) => !this.published.has(rid));
    if (others.length > 0) await this.catalogue.hide(others);
    if ([...this.published].some((rid) => !rows.has(rid))) await this.relist();
    await this.describe();
    const keys = new Set([...before, ...await named()].flatMap((keys) => [...keys]));
    return await this.#removeOld(catalogue.entries, { putMs: catalogue.putMs, keys }) +
      await this.#removeOld(node.entries, { putMs: node.putMs, keys });
  }

  /**
   * Removes the objects of repositories in an earlier format, after this publisher has seen them for the
   * grace time. Returns the number of removed objects.
   */
  async #removeOldFormat(): Promise<number> {
    const entries = (await listObjects(this.#bucket, OLD_REPOSITORIES_PREFIX))
      .filter(({ key }) => OLD_KEY.test(key));
    if (entries.length > 0 && !this.#hasOldFormat) {
      this.#hasOldFormat = true;
      const { log } = this.#options;
      log("info", "This bucket has objects of an older format: they are replaced, and removed later");
    }
    const naming = { putMs: this.bucketMs, keys: new Set<string>() };
    const old = this.#unreferenced.find(entries, naming, this.bucketMs);
    for (let at = 0; at < old.length; at += KEYS_AT_ONCE) {
      await this.#bucket.delete(old.slice(at, at + KEYS_AT_ONCE));
    }
    return old.length;
  }

  /**
   * Removes an object, and all objects below a prefix, from the cache. Returns the time of the object's last
   * put, and the listed entries below the prefix.
   */
  async #readAgain(key: string, prefix: string) {
    this.#bucket.forget(key);
    this.#bucket.forgetBelow(prefix);
    const entries = await listObjects(this.#bucket, prefix);
    return { entries, putMs: (await this.#bucket.head(key))?.modifiedMs };
  }

  /** Removes objects that nothing has named for the grace time. Returns the number of removed objects. */
  async #removeOld(entries: readonly BucketEntry[], naming: Naming): Promise<number> {
    const old = this.#unreferenced.find(entries, naming, this.bucketMs)
      .filter((key) => parseKey(key) !== undefined);
    if (old.length > 0) await this.#bucket.delete(old);
    return old.length;
  }
}

/** Returns the keys of the objects of a repository that readers read first. */
function headKeys(rid: RepoId): readonly string[] {
  return [manifestKey(rid), ...GIT_FILES.map((name) => gitFileKey(rid, name))];
}

/** Checks whether a listed object is missing, or does not have its size. */
function isLost(entry: BucketEntry | undefined, size: number | undefined): boolean {
  return entry === undefined || size !== undefined && entry.size !== size;
}
