/** Tells of the latest changes of all repositories, in one object. */
import { Limiter } from "../../scheduling/limiter.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket } from "../../ports/bucket.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import {
  MAX_RECENT_CHANGES,
  RECENT,
  type RecentChange,
  type RecentChanges,
} from "../format/recent_changes.ts";
import { ChangedMeanwhile, replaceObject } from "./changing_object.ts";

/** Least time between two puts that tell of changes, in milliseconds. */
export const RECENT_PUT_MS = 1_000;
/** Tries of a put of which the condition fails: somebody else has changed the object. */
const TRIES = 2;

/** Parts of {@link RecentChangesWriter}. */
export interface RecentChangesDependencies {
  readonly bucket: Bucket;
  /** Whether a repository is there and public now. */
  readonly isPublic: (rid: RepoId) => Promise<boolean>;
  /** Milliseconds since any point in time. */
  readonly nowMs: () => number;
}

/**
 * Puts the latest changes: one put for all that come within a second. A repository is named while it is
 * public.
 */
export class RecentChangesWriter {
  readonly #dependencies: RecentChangesDependencies;
  /** Changes that the object lacks. */
  readonly #waiting = new Map<RepoId, RecentChange>();
  readonly #puts = new Limiter({ atOnce: 1 });
  #recent: RecentChanges = { format: PUBLISHED_FORMAT, lease: 1, told: 0, changes: [] };
  /** Whether the object is as it should be, but for changes that wait. */
  #isPut = true;
  #putMs = -Infinity;

  constructor(dependencies: RecentChangesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Begins anew with the next {@link flush}: another publisher has changed the bucket. */
  begin(lease: number): void {
    this.#waiting.clear();
    this.#recent = { format: PUBLISHED_FORMAT, lease, told: 0, changes: [] };
    this.#isPut = false;
  }

  /** Tells of a state with the next {@link flush}. */
  add(rid: RepoId, stateNumber: number): void {
    this.#waiting.delete(rid);
    this.#waiting.set(rid, [rid, stateNumber]);
  }

  /**
   * Tells of the changes that wait, unless it has done so less than {@link RECENT_PUT_MS} ago.
   *
   * @param options.isLast Tells of them in any case.
   * @throws {BucketError}
   */
  async flush({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    const { isPublic, nowMs } = this.#dependencies;
    const leave = await this.#puts.enter();
    try {
      const isTime = isLast || nowMs() - this.#putMs >= RECENT_PUT_MS;
      if (this.#isPut && (this.#waiting.size === 0 || !isTime)) return;
      const waiting = [...this.#waiting.values()];
      const shown = new Set<RepoId>();
      for (const [rid] of waiting) if (await isPublic(rid)) shown.add(rid);
      const { told, changes } = this.#recent;
      const added = waiting.filter(([rid]) => shown.has(rid));
      if (added.length > 0 || !this.#isPut) await this.#put(told + added.length, [...changes, ...added]);
      for (const one of waiting) if (this.#waiting.get(one[0]) === one) this.#waiting.delete(one[0]);
      // A repository may have become private between the look before the put and the put.
      const late = new Set<RepoId>();
      for (const rid of shown) if (!await isPublic(rid)) late.add(rid);
      await this.#unname(late);
    } finally {
      leave();
    }
  }

  /**
   * Puts the object again, whatever has become of it.
   *
   * @throws {BucketError}
   */
  async renew(): Promise<void> {
    const leave = await this.#puts.enter();
    try {
      await this.#put(this.#recent.told, this.#recent.changes);
    } finally {
      leave();
    }
  }

  /**
   * Names repositories no more, at once.
   *
   * @throws {BucketError}
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    const hidden = new Set(rids);
    for (const rid of hidden) this.#waiting.delete(rid);
    // A put under way is followed by a look at what it names.
    if (!this.#recent.changes.some((change) => change !== null && hidden.has(change[0]))) return;
    const leave = await this.#puts.enter();
    try {
      await this.#unname(hidden);
    } finally {
      leave();
    }
  }

  async #unname(rids: ReadonlySet<RepoId>): Promise<void> {
    const { told, changes } = this.#recent;
    const left = changes.map((change) => change !== null && rids.has(change[0]) ? null : change);
    if (!this.#isPut || left.some((change, i) => change !== changes[i])) await this.#put(told, left);
  }

  /** A put that fails may have taken effect: no later one gives its numbers to other changes. */
  async #put(told: number, changes: RecentChanges["changes"]): Promise<void> {
    const { bucket, nowMs } = this.#dependencies;
    this.#recent = { ...this.#recent, told, changes: changes.slice(-MAX_RECENT_CHANGES) };
    [this.#putMs, this.#isPut] = [nowMs(), false];
    for (let tries = 1;; tries++) {
      const found = await bucket.head(RECENT.key);
      try {
        await replaceObject(bucket, RECENT, this.#recent, { etag: found?.etag });
        this.#isPut = true;
        return;
      } catch (error) {
        if (!(error instanceof ChangedMeanwhile) || tries === TRIES) throw error;
      }
    }
  }
}
