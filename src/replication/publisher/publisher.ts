/** Publishes all repositories of a storage, once or while they change. */
import { mapAtOnce } from "../../async/map_ahead.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import { Task } from "../../scheduling/task.ts";
import type { RepoId } from "../../ids/rid.ts";
import { BucketError } from "../../ports/bucket.ts";
import { ChangedMeanwhile } from "./changing_object.ts";
import { Lease, type LeaseClock } from "./lease.ts";
import { readNode } from "./node_publication.ts";
import { OwnBucket } from "./own_bucket.ts";
import { type PublicationResult, PublishedHome, type PublishedHomeDependencies } from "./published_home.ts";

/** Pause between two looks at the references of all repositories, in milliseconds. */
export const LOOK_MS = 500;
/** A look may take this part of the time. */
const LOOK_SHARE = 0.25;
/** Time between two looks that read all references, whatever the storage says of them, in milliseconds. */
export const REREAD_MS: number = 5 * 60_000;
/** Time in which everything in the bucket is checked once, in milliseconds. */
export const CHECK_MS: number = 3_600_000;
/** A check at once follows so long after a publisher that was killed or lost its lease, in milliseconds. */
export const SETTLE_MS = 15_000;
/** Time between two looks at what the description of the node tells, in milliseconds. */
export const NODE_LOOK_MS = 10_000;
/** First and longest pause after a failure of the bucket, in milliseconds. */
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;
/** Repositories that are published at a time. */
export const PUBLISHED_AT_ONCE = 16;

/** Waits until the time is over or the signal is aborted. */
type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Parts of a publisher. */
export interface PublisherDependencies extends PublishedHomeDependencies {
  /** Replaces {@link NODE_LOOK_MS}. */
  readonly nodeLookMs?: number | undefined;
  /** Waits; on the system's clock by default. */
  readonly pause?: Pause | undefined;
  /** The same beside work that takes long, before the next look. */
  readonly pauseBeside?: Pause | undefined;
  /** The clock of the lease; the system's by default. */
  readonly leaseClock?: LeaseClock | undefined;
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

/** A round under way. */
interface Round {
  readonly signal: AbortSignal | undefined;
  readonly summary: { -readonly [K in keyof RoundSummary]: RoundSummary[K] };
}

/** A check of the bucket under way. */
interface Check {
  readonly steps: AsyncGenerator<number, void, void>;
  readonly startedMs: number;
  /** Time in which all repositories have their turn. */
  readonly spreadMs: number;
  done: number;
}

/** Publishes the public repositories of a storage. One call of a method at a time. */
export class Publisher {
  readonly #dependencies: PublisherDependencies;
  readonly #lease: Lease;
  readonly #home: PublishedHome;
  readonly #pause: Pause;
  readonly #pauseBeside: Pause;
  readonly #places = new Limiter({ atOnce: PUBLISHED_AT_ONCE });
  /** Repositories that have changed and are published, or wait for a place. */
  readonly #underWay = new Map<RepoId, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;
  #needsRound = true;
  /** Whether calls of a holder that did not give the lease back may come late: until the end of a round. */
  #takesOver = false;
  #describedMs = -Infinity;
  #rereadMs = -Infinity;
  #check: Check | undefined;
  #nextCheckMs = -Infinity;
  #isCheckUrgent = false;

  /** The steps of a round, in their order. */
  readonly #phases: readonly ((round: Round) => Promise<void>)[] = [
    () => this.#fence(),
    (round) => this.#removeGone(round),
    (round) => this.#publishChanged(round),
    () => this.#home.catalogue.flush(),
    (round) => this.#checkAll(round),
    () => this.#home.catalogue.isDamaged ? this.#home.relist() : Promise.resolve(),
  ];

  constructor(dependencies: PublisherDependencies) {
    const { bucket, node, leaseClock = SYSTEM_CLOCK, pause = pauseFor, pauseBeside = pauseFor } =
      dependencies;
    this.#dependencies = dependencies;
    this.#lease = new Lease(bucket, leaseClock, node?.profile.nodeId);
    this.#home = new PublishedHome(dependencies, new OwnBucket(bucket, this.#lease));
    [this.#pause, this.#pauseBeside] = [pause, pauseBeside];
  }

  /**
   * Publishes all that has changed, and removes what is left over.
   *
   * @throws {BucketError} when the bucket fails, and as `unavailable` while another publisher is at work
   *   on it.
   * @throws the reason of `signal` when it is aborted.
   */
  publishAll(signal?: AbortSignal): Promise<RoundSummary> {
    return this.#withLease(false, signal, () => this.#round(signal));
  }

  /**
   * Publishes all, and then every change, until the signal is aborted. Failures of the bucket are logged, and
   * the work goes on when it works again. While another publisher is at work, this one waits.
   */
  async watch(signal: AbortSignal, onRound: (summary: RoundSummary) => void = () => {}): Promise<void> {
    const retries = { ms: FIRST_RETRY_MS, failure: "" };
    while (!signal.aborted) {
      await this.#retrying(retries, signal, () =>
        this.#withLease(true, signal, async () => {
          while (!signal.aborted) {
            await this.#retrying(retries, signal, () => this.#step(signal, onRound));
            this.#lease.check();
          }
        }));
    }
  }

  /** Works while it has the lease. */
  async #withLease<T>(
    waits: boolean,
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ): Promise<T> {
    const { bucket, node, log } = this.#dependencies;
    if (!await bucket.conditionalPuts()) {
      log("warn", "This bucket has no conditional puts: see to it that no other publisher uses it");
    }
    const described = node && (await readNode(bucket)).value?.nodeId;
    let isTold = false;
    const onWait = () => {
      if (!isTold) log("info", "Another publisher is at work on this bucket: waiting");
      isTold = true;
    };
    const taken = await this.#lease.take({ described, waits, onWait, signal });
    this.#home.bucketMs = taken.bucketMs;
    this.#takesOver ||= taken.isTakenOver;
    if (taken.isNew) {
      this.#home.forget();
      [this.#needsRound, this.#check] = [true, undefined];
    }
    const ending = new AbortController();
    const keeping = this.#lease.keep(ending.signal);
    try {
      return await work();
    } finally {
      await this.#idle();
      ending.abort();
      await keeping;
      await this.#lease.release();
    }
  }

  /** Tries again later what fails because of the bucket. */
  async #retrying(
    retries: { ms: number; failure: string },
    signal: AbortSignal,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
      [retries.ms, retries.failure] = [FIRST_RETRY_MS, ""];
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof BucketError || error instanceof ChangedMeanwhile)) throw error;
      const { message } = error;
      if (message !== retries.failure) this.#dependencies.log("warn", `Cannot publish now: ${message}`);
      retries.failure = message;
      await this.#pause(retries.ms, signal);
      retries.ms = Math.min(2 * retries.ms, MAX_RETRY_MS);
    }
  }

  /** A round, or a look, and the pause after it. */
  async #step(signal: AbortSignal, onRound: (summary: RoundSummary) => void): Promise<void> {
    let pauseMs = LOOK_MS;
    if (this.#needsRound) {
      const takesOver = this.#takesOver;
      onRound(await this.#round(signal));
      this.#isCheckUrgent = takesOver;
      this.#nextCheckMs = takesOver ? performance.now() + SETTLE_MS : -Infinity;
    } else pauseMs = await this.#look(signal);
    await this.#pause(pauseMs, signal);
  }

  /** Repositories that are not public any more do not wait for the end of a round. */
  async #round(signal: AbortSignal | undefined): Promise<RoundSummary> {
    const summary = { repositories: 0, published: 0, removed: 0, failed: 0, sentBytes: 0, unreferenced: 0 };
    const ending = new AbortController();
    const hiding = this.#hideUntil(ending.signal);
    try {
      for (const phase of this.#phases) await phase({ signal, summary });
    } finally {
      ending.abort();
      await hiding;
    }
    [this.#needsRound, this.#takesOver] = [false, false];
    this.#rereadMs = performance.now();
    return summary;
  }

  async #fence(): Promise<void> {
    if (this.#takesOver) await this.#home.renew();
  }

  async #removeGone({ signal, summary }: Round): Promise<void> {
    summary.removed += await this.#home.removeGone(signal);
  }

  async #publishChanged({ signal, summary }: Round): Promise<void> {
    const rids = await this.#dependencies.storage.repositoryIds();
    const present = new Set(rids);
    for (const rid of [...this.#home.states.rids()]) {
      if (!present.has(rid)) this.#home.states.set(rid, undefined);
    }
    await mapAtOnce(rids, PUBLISHED_AT_ONCE, async (rid) => {
      addResult(summary, await this.#home.publish(rid, signal));
    });
  }

  async #checkAll({ signal, summary }: Round): Promise<void> {
    for await (const removed of this.#home.check(() => false, signal)) {
      signal?.throwIfAborted();
      summary.unreferenced += removed;
    }
  }

  /** Hides repositories that are not public any more. The next look removes their objects. */
  async #hideUntil(signal: AbortSignal): Promise<void> {
    for (let tookMs = 0; !signal.aborted;) {
      await this.#pauseBeside(pauseAfter(tookMs), signal);
      const startedMs = performance.now();
      if (!signal.aborted) await this.#home.hidePrivate(signal);
      tookMs = performance.now() - startedMs;
    }
  }

  /**
   * Publishes the repositories whose references have changed, without waiting for those that take long.
   *
   * @returns How long to wait before the next look.
   */
  async #look(signal: AbortSignal): Promise<number> {
    const { storage, nodeLookMs = NODE_LOOK_MS } = this.#dependencies;
    const startedMs = performance.now();
    const trustsVersion = startedMs - this.#rereadMs < REREAD_MS;
    if (!trustsVersion) this.#rereadMs = startedMs;
    const task = new Task("background");
    const rids = new Set([...await storage.repositoryIds(), ...this.#home.states.rids()]);
    for (const rid of rids) {
      await task.yield();
      if (!await this.#home.isDue(rid, trustsVersion)) continue;
      if (!this.#underWay.has(rid)) this.#begin(rid, signal);
      // It waits neither for its own publication nor for a place.
      if (this.#home.published.has(rid) && !await this.#home.isPublic(rid)) await this.#home.hide([rid]);
    }
    const pauseMs = pauseAfter(performance.now() - startedMs);
    const ending = new AbortController();
    await Promise.race([this.#idle(), this.#pauseBeside(LOOK_MS, ending.signal)]);
    ending.abort();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
    await this.#home.catalogue.flush();
    if (this.#home.catalogue.isDamaged) await this.#home.relist();
    if (startedMs - this.#describedMs >= nodeLookMs) {
      this.#describedMs = startedMs;
      await this.#home.describe();
    }
    await this.#checkSome(startedMs, signal);
    return pauseMs;
  }

  /** Publishes a repository when there is a place. After a failure of the bucket, the next look tries it. */
  #begin(rid: RepoId, signal: AbortSignal): void {
    const work = this.#places.run(async () => {
      if (this.#failure === undefined) await this.#home.publish(rid, signal);
    }).catch((error) => void (this.#failure ??= { error })).finally(() => this.#underWay.delete(rid));
    this.#underWay.set(rid, work);
  }

  /** Waits until nothing is published. */
  async #idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** Checks so many repositories that all have had their turn when the time of a check is over. */
  async #checkSome(nowMs: number, signal: AbortSignal): Promise<void> {
    const isBusy = (rid: RepoId) => this.#underWay.has(rid);
    if (this.#check === undefined && nowMs < this.#nextCheckMs) return;
    const check = this.#check ??= {
      steps: this.#home.check(isBusy, signal),
      startedMs: nowMs,
      spreadMs: this.#isCheckUrgent ? 0 : CHECK_MS,
      done: 0,
    };
    const wanted = check.spreadMs === 0
      ? Infinity
      : this.#home.published.size * (nowMs - check.startedMs) / check.spreadMs;
    try {
      for (; check.done + 1 <= wanted; check.done++) {
        if (!(await check.steps.next()).done) continue;
        [this.#check, this.#isCheckUrgent] = [undefined, false];
        return;
      }
    } catch (error) {
      this.#check = undefined;
      throw error;
    }
  }
}

function addResult(summary: Round["summary"], result: PublicationResult): void {
  const { change } = result;
  if (change === "failed") summary.failed++;
  if (change === "removed") summary.removed++;
  if (change === "published" || change === "none") summary.repositories++;
  if (change !== "published") return;
  summary.published++;
  summary.sentBytes += result.sentBytes;
}

/** Pause after a look at all repositories, in milliseconds. */
function pauseAfter(tookMs: number): number {
  return Math.max(LOOK_MS, tookMs * (1 - LOOK_SHARE) / LOOK_SHARE);
}

function pauseFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** The clock of the system. */
const SYSTEM_CLOCK: LeaseClock = {
  nowMs: () => performance.now(),
  pause: pauseFor,
  pauseToBeat: pauseFor,
};
