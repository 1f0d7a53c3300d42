/** Publishes all public repositories of a storage, either once or continuously while they change. */
import { type RepoId, Task } from "../../../src/mod.ts";
import { BucketError } from "../bucket/bucket.ts";
import { NODE } from "../format/node_description.ts";
import { ChangedMeanwhile, readObject } from "./changing_object.ts";
import { ChangeSearch, SCAN_MS } from "./change_search.ts";
import { Lease, type PublisherClock, SYSTEM_CLOCK } from "./lease.ts";
import { OwnBucket } from "./own_bucket.ts";
import { PublishedHome, type PublishedHomeOptions } from "./published_home.ts";
import { NO_REPAIR, type Repair } from "./repository_publication.ts";

/** Time over which a check of the whole bucket is spread, in milliseconds. */
export const CHECK_MS: number = 3_600_000;
/** Number of steps of a check in addition to one step for each repository. */
const CHECK_STEPS_OF_LISTS = 3;
/**
 * Time from the first round to the next check, in milliseconds, if the previous publisher was killed or lost
 * its lease.
 */
export const SETTLE_MS = 15_000;
/** Interval between two comparisons of the published description with the node, in milliseconds. */
export const NODE_SCAN_MS = 10_000;
/**
 * First delay after a failure of the bucket, in milliseconds. It doubles with each further failure, up to
 * `MAX_RETRY_MS`.
 */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Maximum number of small publications that run at the same time. */
export const PUBLISHED_AT_ONCE = 16;
/**
 * Maximum number of large publications. One of them runs, and the others wait. At this number, no further
 * publication of any size begins.
 */
export const MAX_LARGE_PUBLICATIONS = 256;
/** Minimum time between two puts of the catalogue while repositories are published, in milliseconds. */
export const CATALOGUE_PUT_MS = 1_000;

export interface PublisherOptions extends PublishedHomeOptions {
  /**
   * Interval between two comparisons of the description with the node, in milliseconds; {@link NODE_SCAN_MS}
   * by default.
   */
  readonly nodeScanMs?: number | undefined;
  /** Clock of the publisher; the system's clock by default. */
  readonly clock?: PublisherClock | undefined;
}

export interface RoundSummary {
  /** Number of public repositories in the bucket. */
  readonly repositories: number;
  readonly published: number;
  readonly removed: number;
  readonly failed: number;
  /** Number of bytes that were sent, without manifests and lists. */
  readonly sentBytes: number;
  /** Number of objects that were removed because nothing named them. */
  readonly unreferenced: number;
}

/** A check of the bucket that is in progress. */
interface Check {
  readonly steps: AsyncGenerator<number, void, void>;
  readonly startedMs: number;
  /**
   * Time over which the check of all repositories is spread, in milliseconds; 0 checks all repositories at
   * once.
   */
  readonly spreadMs: number;
  done: number;
}

interface NextCheck extends Pick<Check, "spreadMs"> {
  readonly atMs: number;
}

const AT_LEISURE: NextCheck = { atMs: -Infinity, spreadMs: CHECK_MS };

/** Publishes the public repositories of a storage. Only one method of a publisher may run at a time. */
export class Publisher {
  readonly #options: PublisherOptions;
  readonly #lease: Lease;
  readonly #home: PublishedHome;
  readonly #search: ChangeSearch;
  readonly #clock: PublisherClock;
  /** Repositories that wait for publication. */
  readonly #due = new Map<RepoId, Repair>();
  readonly #underWay = new Map<RepoId, Promise<void>>();
  /** Repositories whose publications are large. They let small publications pass. */
  readonly #large = new Set<RepoId>();
  /** The failure of the bucket, if it has failed. No further publication starts until the next step. */
  #failure: { readonly error: unknown } | undefined;
  #summary = emptySummary();
  #needsRound = true;
  /**
   * Whether late calls of a previous holder that did not give the lease back may still arrive. Reset at the
   * end of a round.
   */
  #takesOver = false;
  #describedMs = -Infinity;
  #listedMs = -Infinity;
  /**
   * The check that runs while changes are published. `#nextCheck` says when and how the next check begins.
   */
  #check: Check | undefined;
  #nextCheck: NextCheck = AT_LEISURE;

  constructor(options: PublisherOptions) {
    const { storage, bucket, node, log, clock = SYSTEM_CLOCK } = options;
    this.#options = options;
    this.#clock = clock;
    const task = new Task("background");
    const nowMs = () => clock.nowMs();
    this.#lease = new Lease(bucket, clock, node?.profile.nodeId);
    this.#home = new PublishedHome(options, new OwnBucket(bucket, this.#lease), task, nowMs);
    this.#search = new ChangeSearch({ storage, home: this.#home, node: node?.node, task, nowMs, log });
  }

  /**
   * Publishes everything that has changed, and removes objects that nothing has named for the grace time.
   *
   * @throws {BucketError} when the bucket fails; `unavailable` while another publisher works on the bucket.
   * @throws The reason of `signal` when it is aborted.
   */
  publishAll(signal?: AbortSignal): Promise<RoundSummary> {
    return this.#withLease(false, signal, () => this.#round(signal));
  }

  /**
   * Publishes everything, and then every change, until the signal is aborted. Failures of the bucket are
   * logged, and the work is retried. While another publisher works on the bucket, this publisher waits.
   */
  async watch(signal: AbortSignal, onRound: (summary: RoundSummary) => void = () => {}): Promise<void> {
    const retries = { ms: FIRST_RETRY_MS, failure: "" };
    const watching = this.#search.watchNode(signal);
    while (!signal.aborted) {
      await this.#retrying(retries, signal, () =>
        this.#withLease(true, signal, async () => {
          while (!signal.aborted) {
            await this.#retrying(retries, signal, () => this.#step(signal, onRound));
            this.#lease.check();
          }
        }));
    }
    await watching;
  }

  /** Runs work while this publisher holds the lease. */
  async #withLease<T>(
    waits: boolean,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const { bucket, node, log } = this.#options;
    if (!await bucket.conditionalPuts()) {
      log("warn", "This bucket has no conditional puts: make sure that no other publisher uses it");
    }
    const described = node && (await readObject(bucket, NODE)).value?.nodeId;
    let isTold = false;
    const onWait = () => {
      if (!isTold) log("info", "Another publisher is using this bucket: waiting");
      isTold = true;
    };
    const taken = await this.#lease.take({ described, waits, onWait, signal });
    this.#home.bucketMs = taken.bucketMs;
    this.#takesOver ||= taken.isTakenOver;
    if (taken.isNew) {
      this.#home.forget(taken.number);
      this.#due.clear();
      this.#needsRound = true;
      this.#check = undefined;
    }
    const ending = new AbortController();
    const keeping = this.#lease.keep(ending.signal);
    try {
      return await work();
    } finally {
      await this.#idle();
      // This put may fail without harm, because readers check all repositories under the next lease.
      await this.#home.recent.flush({ isLast: true }).catch(() => {});
      ending.abort();
      await keeping;
      await this.#lease.release();
    }
  }

  /**
   * Runs work. If it fails because of the bucket, logs the failure and waits, so that the caller can retry
   * the work.
   */
  async #retrying(
    retries: { ms: number; failure: string },
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      retries.ms = FIRST_RETRY_MS;
      retries.failure = "";
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BucketError || error instanceof ChangedMeanwhile)) throw error;
      const { message } = error;
      if (message !== retries.failure) this.#options.log("warn", `Cannot publish now: ${message}`);
      retries.failure = message;
      await this.#clock.pause(retries.ms, signal, "step");
      retries.ms = Math.min(2 * retries.ms, MAX_RETRY_MS);
    }
  }

  /** Does a round or a check for changes, and then pauses. */
  async #step(signal: AbortSignal, onRound: (summary: RoundSummary) => void): Promise<void> {
    if (this.#needsRound) {
      const takesOver = this.#takesOver;
      onRound(await this.#round(signal));
      this.#nextCheck = takesOver ? { atMs: this.#clock.nowMs() + SETTLE_MS, spreadMs: 0 } : AT_LEISURE;
    } else await this.#scan(signal);
    await this.#clock.pause(SCAN_MS, signal, "step");
  }

  /**
   * A round: makes late calls of a killed holder fail, removes repositories that are not public, puts the
   * lists, publishes changes, and compares all objects that the bucket lists with what this publisher knows.
   */
  async #round(signal: AbortSignal | undefined): Promise<RoundSummary> {
    this.#summary = emptySummary();
    this.#failure = undefined;
    await this.#home.recent.flush();
    if (this.#takesOver) await this.#home.renew();
    this.#summary.removed += await this.#home.removeGone(signal);
    // A new replica can begin with these lists, however long the first publications take.
    await this.#home.describe();
    await this.#home.catalogue.flush();
    const rids = await this.#options.storage.repositoryIds();
    const present = new Set(rids);
    for (const rid of [...this.#home.states.rids()]) {
      if (!present.has(rid)) this.#home.states.set(rid, undefined);
    }
    for (const rid of rids) this.#due.set(rid, NO_REPAIR);
    await this.#settle(signal);
    const check = this.#beginCheck(signal, 0, false);
    // Repositories that change or become private must not wait for the end of the check.
    while (!await this.#checkSome(check, signal)) await this.#findChanged(signal);
    await this.#settle(signal);
    await this.#home.recent.flush({ isLast: true });
    this.#needsRound = false;
    this.#takesOver = false;
    return { repositories: this.#home.published.size, ...this.#summary };
  }

  /** Publishes all due repositories and all that change meanwhile, and puts the catalogue. */
  async #settle(signal: AbortSignal | undefined): Promise<void> {
    this.#begin(signal);
    for (await this.#duringWork(); this.#underWay.size > 0; await this.#duringWork()) {
      await this.#findChanged(signal);
      await this.#describe();
      if (this.#clock.nowMs() - this.#listedMs >= CATALOGUE_PUT_MS) await this.#putLists();
    }
    await this.#putLists();
  }

  /**
   * Finds changes, and publishes them without waiting for slow repositories. Also does a part of the check.
   */
  async #scan(signal: AbortSignal): Promise<void> {
    const startedMs = this.#clock.nowMs();
    this.#failure = undefined;
    this.#begin(signal);
    await this.#findChanged(signal);
    await this.#duringWork();
    await this.#putLists();
    await this.#home.recent.flush();
    await this.#describe();
    if (this.#check === undefined && startedMs < this.#nextCheck.atMs) return;
    this.#check ??= this.#beginCheck(signal, this.#nextCheck.spreadMs, true);
    let isOver = true;
    try {
      isOver = await this.#checkSome(this.#check, signal);
      if (isOver) this.#nextCheck = AT_LEISURE;
    } finally {
      if (isOver) this.#check = undefined;
    }
  }

  async #findChanged(signal: AbortSignal | undefined): Promise<void> {
    await this.#home.recent.flush();
    await this.#search.step(this.#isBusy, async (rid) => {
      if (!this.#isBusy(rid)) this.#due.set(rid, NO_REPAIR);
      this.#begin(signal);
      // Hiding waits neither for a running publication of the repository nor for a slot.
      if (this.#home.published.has(rid) && !await this.#home.isPublic(rid)) await this.#home.hide([rid]);
    });
  }

  /**
   * Waits until no publication runs, or until the next check for changes is due.
   *
   * @throws The failure of the bucket, if a publication has failed because of it.
   */
  async #duringWork(): Promise<void> {
    const ending = new AbortController();
    await Promise.race([this.#idle(), this.#clock.pause(SCAN_MS, ending.signal, "scan")]);
    ending.abort();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Puts the description of the node if it has changed, at most once in each interval. */
  async #describe(): Promise<void> {
    const { nodeScanMs = NODE_SCAN_MS } = this.#options;
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#describedMs < nodeScanMs) return;
    this.#describedMs = nowMs;
    await this.#home.describe();
  }

  async #putLists(): Promise<void> {
    this.#listedMs = this.#clock.nowMs();
    await this.#home.catalogue.flush();
    if (this.#home.catalogue.isDamaged) await this.#home.relist();
  }

  /**
   * Starts publications of due repositories while slots are free. After a failure of the bucket, no
   * publication is started before the next step.
   */
  #begin(signal: AbortSignal | undefined): void {
    for (const [rid, repair] of this.#due) {
      const isFull = this.#underWay.size - this.#large.size >= PUBLISHED_AT_ONCE ||
        this.#large.size >= MAX_LARGE_PUBLICATIONS;
      if (isFull || this.#failure !== undefined) return;
      if (this.#underWay.has(rid)) continue;
      this.#due.delete(rid);
      const work = this.#publish(rid, repair, signal).finally(() => {
        this.#underWay.delete(rid);
        this.#large.delete(rid);
        this.#begin(signal);
      });
      this.#underWay.set(rid, work);
    }
  }

  readonly #isBusy = (rid: RepoId): boolean => this.#underWay.has(rid) || this.#due.has(rid);

  /** Publishes a repository. The promise never rejects. */
  async #publish(rid: RepoId, repair: Repair, signal: AbortSignal | undefined): Promise<void> {
    const onLarge = () => {
      this.#large.add(rid);
      this.#begin(signal);
    };
    try {
      const result = await this.#home.publish(rid, { repair, signal, onLarge });
      const { change } = result;
      if (change !== "absent" && change !== "none") this.#summary[change]++;
      if (change === "published") this.#summary.sentBytes += result.sentBytes;
    } catch (error) {
      this.#failure ??= { error };
      this.#due.set(rid, repair);
    }
  }

  /** Waits until no publication runs. */
  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Begins a check. Repositories that must be published again become due. */
  #beginCheck(signal: AbortSignal | undefined, spreadMs: number, isLater: boolean): Check {
    const onStale = (rid: RepoId, repair: Repair) => {
      this.#due.set(rid, repair);
      this.#begin(signal);
    };
    const steps = this.#home.check({ isBusy: this.#isBusy, onStale, isLater });
    return { steps, startedMs: this.#clock.nowMs(), spreadMs, done: 0 };
  }

  /**
   * Checks enough repositories to finish the whole check within its time, but only as many as fit before the
   * next check for changes. Returns whether the check is over.
   */
  async #checkSome(check: Check, signal: AbortSignal | undefined): Promise<boolean> {
    const { steps, startedMs, spreadMs } = check;
    const nowMs = this.#clock.nowMs();
    const all = this.#home.published.size + CHECK_STEPS_OF_LISTS;
    const wanted = spreadMs === 0 ? Infinity : all * (nowMs - startedMs) / spreadMs;
    for (; check.done + 1 <= wanted && this.#clock.nowMs() - nowMs < SCAN_MS; check.done++) {
      signal?.throwIfAborted();
      const { done, value } = await steps.next();
      if (done) return true;
      this.#summary.unreferenced += value;
    }
    return false;
  }
}

function emptySummary() {
  return { published: 0, removed: 0, failed: 0, sentBytes: 0, unreferenced: 0 };
}
