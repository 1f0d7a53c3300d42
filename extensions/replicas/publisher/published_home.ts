/** The published state of a home: repositories are published, hidden, removed and checked here. */
import { Limiter } from "../../../src/scheduling/limiter.ts";
import type { Task } from "../../../src/scheduling/task.ts";
import type { RepoId } from "../../../src/ids/rid.ts";
import { type BucketEntry, BucketError } from "../bucket/bucket.ts";
import {
  CATALOGUE_KEY,
  CATALOGUE_PREFIX,
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
import type { PublicationDependencies } from "./publication_dependencies.ts";
import { createPublishedIds } from "./published_packs.ts";
import { ReferenceStates } from "./reference_states.ts";
import { type Publication, publishRepository } from "./repository_publication.ts";
import {
  listObjects,
  listRepositories,
  namedKeys,
  type Naming,
  type RepositoryEntries,
  UnreferencedObjects,
} from "./unreferenced_objects.ts";

/** Objects that are removed by one call. */
const KEYS_AT_ONCE = 500;
/** Pause before a repository that could not be published is tried again, in milliseconds. */
const FAILED_RETRY_MS = 10_000;

/** Parts of {@link PublishedHome}. */
export interface PublishedHomeDependencies
  extends Omit<PublicationDependencies, "ids" | "large" | "task" | "signal" | "bucketTimeMs"> {
  /** The node whose description is published; without it there is none. */
  readonly node?: NodeSource | undefined;
  /** Hears of each repository that was published, removed, or could not be published. */
  readonly onPublication?: ((result: PublicationResult) => void) | undefined;
}

/** The result of a publication, a removal included. */
export type PublicationResult =
  | Publication
  | { readonly rid: RepoId; readonly change: "removed" | "failed" };

/** The result of a comparison. */
interface Compared {
  /** The manifest, if all that it names is there, and nothing is another one than this publisher knows. */
  readonly manifest: Manifest | undefined;
  /** Keys of objects that the manifest names and that are not there. */
  readonly lost: ReadonlySet<string>;
  readonly putMs: number | undefined;
}

/** Options of {@link PublishedHome.check}. */
export interface CheckOptions {
  /** Whether something is done with a repository: it is checked the next time. */
  readonly isBusy: (rid: RepoId) => boolean;
  /** Hears of a repository that is to be published again, and of the keys of its objects that are lost. */
  readonly onStale: (rid: RepoId, lost: ReadonlySet<string>) => void;
  /** Whether it is none of a round: it compares references, too, whatever the storage says of them. */
  readonly isLater: boolean;
}

/** The published state of a home. Calls for one repository must not overlap, except for {@link hide}. */
export class PublishedHome {
  readonly states: ReferenceStates;
  readonly catalogue: CatalogueWriter;
  readonly recent: RecentChangesWriter;
  /** Repositories that have manifests, as far as this publisher knows. */
  published: Set<RepoId> = new Set();
  readonly #dependencies: PublishedHomeDependencies;
  readonly #bucket: OwnBucket;
  readonly #publication: PublicationDependencies;
  /** Repositories of which the bucket may have something. */
  readonly #touched = new Set<RepoId>();
  readonly #retryAtMs = new Map<RepoId, number>();
  readonly #unreferenced: UnreferencedObjects;
  readonly #describing = new Limiter({ atOnce: 1 });
  /** Repositories of which the description of the node tells, as far as this publisher knows. */
  #described: ReadonlySet<RepoId> = new Set();
  readonly #nowMs: () => number;
  /** The clock of the bucket, as far as it is ahead of {@link #nowMs}. */
  #clockAheadMs = 0;

  /**
   * @param task All its computation.
   * @param nowMs Milliseconds since any point in time.
   */
  constructor(dependencies: PublishedHomeDependencies, bucket: OwnBucket, task: Task, nowMs: () => number) {
    this.#dependencies = dependencies;
    this.#bucket = bucket;
    this.#nowMs = nowMs;
    this.states = new ReferenceStates(dependencies.storage, task);
    this.catalogue = new CatalogueWriter({ ...dependencies, bucket, task, isPublic: this.isPublic });
    this.recent = new RecentChangesWriter({ bucket, isPublic: this.isPublic, nowMs });
    this.#publication = {
      ...dependencies,
      bucket,
      task,
      ids: createPublishedIds(),
      large: new Limiter({ atOnce: 1 }),
    };
    this.#unreferenced = new UnreferencedObjects(dependencies.graceMs);
  }

  /** Sets the clock of the bucket. */
  set bucketMs(bucketMs: number) {
    this.#clockAheadMs = bucketMs - this.#nowMs();
  }

  get bucketMs(): number {
    return this.#clockAheadMs + this.#nowMs();
  }

  /**
   * Forgets all that it knows: another publisher has changed the bucket.
   *
   * @param lease Number of the lease of this one.
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

  /** Whether a repository is to be published now: it has changed, and did not fail just now. */
  async isDue(rid: RepoId): Promise<boolean> {
    return !this.#hasJustFailed(rid) && await this.states.hasChanged(rid, true);
  }

  /**
   * Publishes a repository, or removes all that the bucket has of it. A fault of one does not hold up others.
   *
   * @param lost See {@link publishRepository}.
   * @throws {BucketError}
   */
  async publish(
    rid: RepoId,
    signal: AbortSignal | undefined,
    lost: ReadonlySet<string>,
  ): Promise<PublicationResult> {
    const { progress, onPublication, log } = this.#dependencies;
    let result: PublicationResult;
    try {
      const state = await this.states.read(rid);
      if (await this.isPublic(rid)) this.#touched.add(rid);
      result = await publishRepository(
        { ...this.#publication, signal, bucketTimeMs: this.bucketMs },
        rid,
        lost,
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
      if (signal?.aborted || error instanceof BucketError) throw error;
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
   * Hides repositories: first no list names them, then they have no manifest, by which they vanish for
   * readers. The manifests go also when the lists cannot be changed.
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    for (const rid of rids) this.published.delete(rid);
    const steps = [
      () => this.catalogue.hide(rids),
      () => this.recent.hide(rids),
      async () => void (rids.some((rid) => this.#described.has(rid)) && await this.describe()),
      () => this.#bucket.delete(rids.map(manifestKey)),
    ];
    let failure: { readonly error: unknown } | undefined;
    for (const step of steps) await step().catch((error) => failure ??= { error });
    if (failure !== undefined) throw failure.error;
  }

  /** Hides repositories and removes all that the bucket has of them. */
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
   * Finds out which repositories the bucket has, and removes those that must not be there.
   *
   * @returns The number of those that were removed.
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

  /** Puts catalogue and description anew: late puts of the last holder of the lease meet other tags. */
  async renew(): Promise<void> {
    await this.catalogue.renew();
    await this.describe({ renews: "always" });
  }

  /**
   * Checks all that the bucket has, a repository at a step: finds what is lost, damaged, or of other
   * references than the storage has now, and removes what nothing names.
   *
   * @returns A generator of the number of objects removed by each step.
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
      onStale(rid, new Set());
      yield 0;
    }
    // The first check follows the put with which this publisher began.
    if (isLater) await this.recent.renew();
    yield await this.#checkLists();
    this.#unreferenced.endLook();
  }

  /** Adds all rows to the catalogue again: some were lost. */
  async relist(): Promise<void> {
    this.catalogue.isDamaged = false;
    for (const rid of this.published) {
      const { value } = await readManifest(this.#bucket, rid);
      if (value !== undefined) this.catalogue.add(rid, value.listing);
    }
    await this.catalogue.flush();
  }

  /** Publishes the description of the node. Databases that cannot be read now can be read later. */
  async describe({ renews = "no" }: { readonly renews?: "no" | "if other" | "always" } = {}): Promise<void> {
    const { node, log } = this.#dependencies;
    if (node === undefined) return;
    try {
      this.#described = await this.#describing.run(() => {
        const { published, isPublic } = this;
        return publishNode(this.#publication, node, { published, isPublic, renews });
      });
    } catch (error) {
      if (error instanceof BucketError || error instanceof ChangedMeanwhile) throw error;
      log("warn", "Cannot publish the description of the node", error);
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
      onStale(rid, new Set());
      return 0;
    }
    const { manifest, putMs } = await this.#compare(rid, entries);
    if (manifest !== undefined) {
      this.catalogue.add(rid, manifest.listing);
      return await this.#removeOld(entries, { putMs, keys: namedKeys(manifest) });
    }
    // The list may have been read long ago.
    const again = await this.#compare(rid, await listObjects(this.#bucket, repositoryPrefix(rid)));
    if (again.manifest === undefined) onStale(rid, again.lost);
    return 0;
  }

  /** Compares what is listed of a repository with what this publisher knows and its manifest names. */
  async #compare(rid: RepoId, entries: readonly BucketEntry[]): Promise<Compared> {
    const own = entries.find(({ key }) => key === manifestKey(rid));
    const isOther = entries.filter((entry) => this.#bucket.compare(entry) === "other").includes(own!);
    if (own === undefined) this.#bucket.forget(manifestKey(rid));
    const manifest = own && (await readManifest(this.#bucket, rid)).value;
    const listed = new Set(entries.map(({ key }) => key));
    const named = manifest === undefined ? [] : [...namedKeys(manifest)];
    const lost = new Set(named.filter((key) => !listed.has(key)));
    for (const key of lost) this.#bucket.forget(key);
    return { manifest: isOther || lost.size > 0 ? undefined : manifest, lost, putMs: own?.modifiedMs };
  }

  /** Checks the catalogue and the description of the node. */
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

  /** The time of the put of an object, and what lies below a prefix; both are read again from now on. */
  async #readAgain(key: string, prefix: string) {
    this.#bucket.forget(key);
    this.#bucket.forgetBelow(prefix);
    const entries = await listObjects(this.#bucket, prefix);
    return { entries, putMs: (await this.#bucket.head(key))?.modifiedMs };
  }

  /** Removes objects that have long been without a name. Returns their number. */
  async #removeOld(entries: readonly BucketEntry[], naming: Naming): Promise<number> {
    const old = this.#unreferenced.find(entries, naming, this.bucketMs)
      .filter((key) => parseKey(key) !== undefined);
    if (old.length > 0) await this.#bucket.delete(old);
    return old.length;
  }
}
