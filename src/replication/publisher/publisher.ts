/** Publishes all repositories of a storage, once or while they change. */
import { mapAtOnce } from "../../async/map_at_once.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import { Task } from "../../scheduling/task.ts";
import type { RepoId } from "../../ids/rid.ts";
import { BucketError } from "../../ports/bucket.ts";
import type { RepositoryListing } from "../../ports/storage.ts";
import { manifestKey } from "../format/keys.ts";
import { claimBucket } from "./bucket_claim.ts";
import { findCorrections, readCatalogue, removeOldPages } from "./catalogue_writer.ts";
import { GRACE_MS, listRepositories, UnreferencedObjects } from "./unreferenced_objects.ts";
import { ChangedMeanwhile } from "./published_manifest.ts";
import { PublishedIds } from "./published_packs.ts";
import { PublishedLists } from "./published_lists.ts";
import { type NodeSource, publishNode, readNode, removeOldNodeSnapshots } from "./node_publication.ts";
import { ReferenceStates } from "./reference_states.ts";
import { removeObjects, removeUnreferenced } from "./removal.ts";
import {
  isPublic,
  type Publication,
  type PublicationDependencies,
  publishRepository,
  removeManifest,
} from "./repository_publication.ts";

/** Pause between two looks at the references of all repositories, in milliseconds. */
export const LOOK_MS = 500;
/** A look may take this part of the time. */
const LOOK_SHARE = 0.25;
/** Time between two rounds in which everything in the bucket is looked at, in milliseconds. */
export const ROUND_MS: number = 5 * 60_000;
/** Time between two looks at what the description of the node tells, in milliseconds. */
export const NODE_LOOK_MS = 10_000;
/** First and longest pause after a failure of the bucket, in milliseconds. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Repositories that are compared with the bucket at a time. */
const COMPARED_AT_ONCE = 8;
/** Corrections of the catalogue in a round, while other publishers change it. */
const MAX_CORRECTIONS = 5;
/** Pause before a repository that could not be published is tried again, in milliseconds. */
const FAILED_RETRY_MS = 10_000;
/** Time after which new repositories are put into the catalogue, in milliseconds. */
const CATALOGUE_MS = 2000;

/** Waits until the time is over or the signal is aborted. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Parts of a publisher. */
export interface PublisherDependencies
  extends Omit<PublicationDependencies, "ids" | "sending" | "unlist" | "signal" | "bucketTimeMs"> {
  /** The node whose description is published; without it there is none. */
  readonly node?: NodeSource | undefined;
  /** Replaces {@link NODE_LOOK_MS}. */
  readonly nodeLookMs?: number | undefined;
  /** Replaces `FIRST_LOOK_MS` of `tombstones.ts`. */
  readonly tombstoneLookMs?: number | undefined;
  /** Hears of each repository that was published, removed, or could not be published. */
  readonly onPublication?: ((publication: Publication | FailedPublication) => void) | undefined;
  /** Waits; on the system's clock by default. */
  readonly pause?: Pause | undefined;
  /** The same beside work that takes long, before repositories are hidden that are not public any more. */
  readonly pauseToHide?: Pause | undefined;
}

/** A repository that could not be published. */
export interface FailedPublication {
  readonly rid: RepoId;
  readonly change: "failed";
}

/** The result of a round. */
export interface RoundSummary {
  /** Public repositories in the storage. */
  readonly repositories: number;
  readonly published: number;
  readonly removed: number;
  readonly failed: number;
  /** Bytes sent, without manifests. */
  readonly sentBytes: number;
  /** Objects removed that nothing named. */
  readonly unreferenced: number;
}

/** Publishes the public repositories of a storage. One call of a method at a time. */
export class Publisher {
  readonly #dependencies: PublisherDependencies;
  readonly #publication: PublicationDependencies;
  readonly #unreferenced: UnreferencedObjects;
  readonly #pause: Pause;
  readonly #pauseToHide: Pause;
  readonly #states: ReferenceStates;
  /** Repositories that could not be published, and when they are tried again. */
  readonly #retryAtMs = new Map<RepoId, number>();
  /** Repositories that could not be published, or were hidden: the bucket may have something of them. */
  readonly #unfinished = new Set<RepoId>();
  readonly #lists: PublishedLists;
  #cataloguedMs = -Infinity;
  /** Repositories that have manifests, as far as this publisher knows: the node is described with them. */
  #published: Set<RepoId> = new Set();
  /** Repositories of which the description of the node tells, as far as this publisher knows. */
  #described: ReadonlySet<RepoId> = new Set();
  #describedMs = -Infinity;
  /** The clock of the bucket, as far as it is ahead of the process's own. */
  #clockAheadMs = 0;

  constructor(dependencies: PublisherDependencies) {
    this.#dependencies = dependencies;
    this.#states = new ReferenceStates(dependencies.storage);
    this.#lists = new PublishedLists({ ...dependencies, isPublic: this.#isPublic });
    const unlist = (rid: RepoId) => this.#unlist([rid]);
    this.#publication = {
      ...dependencies,
      ids: new PublishedIds(),
      sending: new Limiter({ atOnce: 1 }),
      unlist,
    };
    this.#unreferenced = new UnreferencedObjects(dependencies.graceMs ?? GRACE_MS);
    this.#pause = dependencies.pause ?? pauseFor;
    this.#pauseToHide = dependencies.pauseToHide ?? pauseFor;
  }

  /**
   * Publishes all that has changed, and removes what is left over.
   *
   * @throws {BucketError} when the bucket fails.
   * @throws the reason of `signal` when it is aborted.
   */
  publishAll(signal?: AbortSignal): Promise<RoundSummary> {
    return this.#hiding(() => this.#publishAll(signal));
  }

  async #publishAll(signal: AbortSignal | undefined): Promise<RoundSummary> {
    const { bucket, storage, node, now } = this.#dependencies;
    const described = node && (await readNode(bucket)).description?.nodeId;
    const clockMs = await claimBucket(bucket, node?.profile.nodeId, described, now);
    this.#clockAheadMs = clockMs - performance.now();
    const summary = { repositories: 0, published: 0, removed: 0, failed: 0, sentBytes: 0, unreferenced: 0 };
    // Repositories that must not be there go first.
    const gone: RepoId[] = [];
    this.#published = new Set();
    for await (const { rid, entries } of listRepositories(bucket)) {
      signal?.throwIfAborted();
      if (!await this.#isPublic(rid)) gone.push(rid);
      else if (entries.some(({ key }) => key === manifestKey(rid))) this.#published.add(rid);
    }
    if (gone.length > 0 || this.#described.size === 0) await this.#publishNode({ onlyRenews: true });
    summary.removed += await this.#remove(gone);
    const rids = await storage.repositoryIds();
    const present = new Set(rids);
    const publications = await mapAtOnce(rids, COMPARED_AT_ONCE, (rid) => this.#publish(rid, signal));
    for (const publication of publications) {
      if (publication.change === "failed") summary.failed++;
      if (publication.change === "removed") summary.removed++;
      if (publication.change === "published" || publication.change === "none") summary.repositories++;
      if (publication.change !== "published") continue;
      summary.published++;
      summary.sentBytes += publication.sentBytes;
    }
    for (const rid of this.#states.rids()) if (!present.has(rid)) this.#states.set(rid, undefined);
    await this.#flushCatalogue();
    summary.unreferenced = await this.#tidy(publications, clockMs, signal);
    for (let tries = 0; tries < MAX_CORRECTIONS && this.#lists.takeDamage(); tries++) {
      await this.#correctCatalogue(publications);
    }
    await this.#publishNode();
    // A put of this publisher may have brought back a repository that another one has removed.
    for (let tries = 0; tries < MAX_CORRECTIONS; tries++) {
      if (await this.#remove(await this.#lists.findBroughtBack()) === 0) break;
    }
    if (node !== undefined) {
      summary.unreferenced += await removeOldNodeSnapshots(bucket, clockMs, this.#unreferenced);
    }
    summary.unreferenced += await removeOldPages(bucket, clockMs, this.#unreferenced);
    this.#unreferenced.endRound();
    return summary;
  }

  /**
   * Publishes all, and then every change, until the signal is aborted. Failures of the bucket are logged, and
   * the work goes on when it works again.
   */
  async watch(signal: AbortSignal, onRound: (summary: RoundSummary) => void = () => {}): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    let roundAtMs = -Infinity;
    let failure = "";
    while (!signal.aborted) {
      const startedMs = performance.now();
      try {
        // Rows of the catalogue that were lost come again with a round.
        if (startedMs - roundAtMs >= ROUND_MS || this.#lists.takeDamage()) {
          const summary = await this.publishAll(signal);
          roundAtMs = performance.now();
          onRound(summary);
        } else await this.#hiding(() => this.#look(signal));
        retryMs = FIRST_RETRY_MS;
        failure = "";
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof BucketError || error instanceof ChangedMeanwhile)) throw error;
        if (error.message !== failure) this.#dependencies.log("warn", `Cannot publish now: ${error.message}`);
        failure = error.message;
        await this.#pause(retryMs, signal);
        retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
        continue;
      }
      await this.#pause(pauseAfter(performance.now() - startedMs), signal);
    }
  }

  /** Does work that may take long: repositories that are not public any more do not wait for its end. */
  async #hiding<T>(work: () => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const hiding = this.#hideUntil(ending.signal);
    try {
      return await work();
    } finally {
      ending.abort();
      await hiding;
    }
  }

  /**
   * Hides repositories that are not public any more, until the signal is aborted. The next look removes their
   * objects, and does again what fails here.
   */
  async #hideUntil(signal: AbortSignal): Promise<void> {
    for (let tookMs = 0;;) {
      await this.#pauseToHide(pauseAfter(tookMs), signal);
      const startedMs = performance.now();
      const task = new Task("background");
      for (const rid of [...this.#published]) {
        await task.yield();
        if (signal.aborted) return;
        try {
          if (await this.#isPublic(rid)) continue;
          this.#states.set(rid, undefined);
          this.#unfinished.add(rid);
          await removeManifest(this.#publication, rid);
        } catch (error) {
          this.#dependencies.log("warn", `Cannot hide ${rid} now`, error);
        }
      }
      if (signal.aborted) return;
      tookMs = performance.now() - startedMs;
    }
  }

  /** Publishes the repositories whose references have changed. */
  async #look(signal: AbortSignal): Promise<void> {
    const task = new Task("background");
    const rids = await this.#dependencies.storage.repositoryIds();
    const present = new Set(rids);
    for (const rid of this.#states.rids()) {
      if (!present.has(rid)) await this.#publish(rid, signal);
    }
    for (const rid of rids) {
      await task.yield();
      const isDue = performance.now() >= (this.#retryAtMs.get(rid) ?? -Infinity);
      if (isDue && await this.#states.hasChanged(rid)) await this.#publish(rid, signal);
    }
    for (const rid of this.#lists.tombstones.due(performance.now())) {
      if (!await this.#isPublic(rid)) await this.#remove([rid]);
    }
    await this.#flushCatalogue();
    const nodeLookMs = this.#dependencies.nodeLookMs ?? NODE_LOOK_MS;
    if (performance.now() - this.#describedMs >= nodeLookMs) await this.#publishNode();
  }

  /**
   * Publishes a repository. A fault of one does not hold up the others.
   *
   * @throws {BucketError}
   */
  async #publish(rid: RepoId, signal: AbortSignal | undefined): Promise<Publication | FailedPublication> {
    const { progress, onPublication, log } = this.#dependencies;
    let publication: Publication | FailedPublication;
    try {
      const state = await this.#states.read(rid);
      const bucketTimeMs = this.#clockAheadMs + performance.now();
      publication = await this.#publishOrRemove({ ...this.#publication, signal, bucketTimeMs }, rid);
      this.#unfinished.delete(rid);
      this.#states.set(rid, state);
      this.#retryAtMs.delete(rid);
    } catch (error) {
      this.#unfinished.add(rid);
      if (signal?.aborted || error instanceof BucketError) throw error;
      log("warn", `Cannot publish ${rid}`, error);
      publication = { rid, change: "failed" };
      this.#states.set(rid, undefined);
      this.#retryAtMs.set(rid, performance.now() + FAILED_RETRY_MS);
    }
    progress?.(undefined);
    if (publication.change !== "none" && publication.change !== "absent") onPublication?.(publication);
    if (performance.now() - this.#cataloguedMs >= CATALOGUE_MS) await this.#flushCatalogue();
    return publication;
  }

  /** Publishes a repository, or removes all that the bucket has of it. */
  async #publishOrRemove(dependencies: PublicationDependencies, rid: RepoId): Promise<Publication> {
    let publication = await publishRepository(dependencies, rid);
    if (publication.change === "removed") {
      await removeObjects(dependencies.bucket, rid, this.#isPublic);
      // Another publisher may have published it again meanwhile, and have lost what was removed here.
      if (await this.#isPublic(rid)) publication = await publishRepository(dependencies, rid);
    }
    // Another publisher has removed the manifest. What this one may have put goes, too.
    const isKnown = this.#published.has(rid) || this.#unfinished.has(rid);
    if (publication.change === "absent" && isKnown) await this.#remove([rid]);
    // It may have become public again before its manifest was removed.
    const isBack = publication.change === "none" && this.#lists.tombstones.has(rid);
    if (publication.change === "published" || publication.change === "none" && isBack) {
      this.#lists.add(rid, publication.listing);
      this.#published.add(rid);
    }
    return publication;
  }

  /** Takes repositories out of the catalogue and the description of the node. */
  async #unlist(rids: readonly RepoId[]): Promise<void> {
    for (const rid of rids) this.#published.delete(rid);
    try {
      await this.#lists.hide(rids);
    } finally {
      if (rids.some((rid) => this.#described.has(rid))) await this.#publishNode();
    }
  }

  /**
   * Removes all that the bucket has of repositories that are not public: from lists, then from the bucket,
   * where they go also when the lists cannot be changed.
   *
   * @returns The number of repositories of which the bucket had objects.
   */
  async #remove(rids: readonly RepoId[]): Promise<number> {
    if (rids.length === 0) return 0;
    let removed = 0;
    try {
      await this.#unlist(rids);
    } finally {
      for (const rid of rids) {
        if (await removeObjects(this.#dependencies.bucket, rid, this.#isPublic)) removed++;
      }
    }
    return removed;
  }

  async #flushCatalogue(): Promise<void> {
    await this.#lists.flush(() => this.#cataloguedMs = performance.now());
  }

  readonly #isPublic = async (rid: RepoId): Promise<boolean> => {
    const repository = await this.#dependencies.storage.repository(rid);
    return repository !== undefined && await isPublic(this.#dependencies, repository);
  };

  /** Removes objects that nothing names, and corrects the catalogue. Returns the number of objects. */
  async #tidy(
    publications: readonly (Publication | FailedPublication)[],
    clockMs: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const { bucket } = this.#dependencies;
    let removed = 0;
    const published = new Set<RepoId>();
    const gone: RepoId[] = [];
    // The catalogue is read first: a repository that comes meanwhile is in neither.
    const rows = await readCatalogue(this.#dependencies);
    for await (const found of listRepositories(bucket)) {
      signal?.throwIfAborted();
      if (!await this.#isPublic(found.rid)) {
        gone.push(found.rid);
        continue;
      }
      if (found.entries.some(({ key }) => key === manifestKey(found.rid))) published.add(found.rid);
      removed += await removeUnreferenced(bucket, this.#unreferenced, found, clockMs);
    }
    this.#published = published;
    await this.#remove(gone);
    for (const rid of gone) if (await this.#isPublic(rid)) await this.#publish(rid, signal);
    await this.#correctCatalogue(publications, rows);
    return removed;
  }

  async #correctCatalogue(
    publications: readonly (Publication | FailedPublication)[],
    rows?: ReadonlyMap<RepoId, RepositoryListing | null>,
  ): Promise<void> {
    const listings = new Map(
      publications.flatMap((one) => "listing" in one ? [[one.rid, one.listing] as const] : []),
    );
    rows ??= await readCatalogue(this.#dependencies);
    await this.#lists.correct(
      await findCorrections(this.#dependencies.bucket, rows, this.#published, listings),
    );
  }

  /** Publishes the description of the node. Databases that cannot be read now can be read later. */
  async #publishNode({ onlyRenews = false } = {}): Promise<void> {
    const { node, log } = this.#dependencies;
    this.#describedMs = performance.now();
    if (node === undefined) return;
    const options = { published: this.#published, isPublic: this.#isPublic, onlyRenews };
    try {
      this.#described = await publishNode(this.#dependencies, node, options);
    } catch (error) {
      if (error instanceof BucketError || error instanceof ChangedMeanwhile) throw error;
      log("warn", "Cannot publish the description of the node", error);
    }
  }
}

/** Pause after a look at all repositories, in milliseconds. */
function pauseAfter(tookMs: number): number {
  return Math.max(LOOK_MS, tookMs * (1 - LOOK_SHARE) / LOOK_SHARE);
}

function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
