/** Publishes the list of the latest changes of all repositories as one object. */
import type { RepoId } from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import { MAX_RECENT_CHANGES, RECENT, type RecentChanges } from "../format/recent_changes.ts";
import { ChangedMeanwhile, replaceObject } from "./changing_object.ts";
import { type Shown, ShownQueue } from "./shown_queue.ts";

/** Minimum time between two puts of the latest changes, in milliseconds. */
export const RECENT_PUT_MS = 1_000;
/**
 * Maximum number of attempts of a put when its condition fails because another program has changed the
 * object.
 */
const TRIES = 2;

interface RecentChangesOptions extends Shown {
  readonly bucket: Bucket;
  readonly nowMs: () => number;
}

/**
 * Puts the latest changes, with one put for all changes within a second. Only public repositories are named.
 */
export class RecentChangesWriter {
  readonly #options: RecentChangesOptions;
  /** The state numbers that are not in the object yet, by repository. */
  readonly #queue: ShownQueue<number>;
  #recent: RecentChanges = { format: PUBLISHED_FORMAT, lease: 1, told: 0, changes: [] };
  /** Whether the object in the bucket is up to date, except for the changes in the queue. */
  #isPut = true;
  #putMs = -Infinity;

  constructor(options: RecentChangesOptions) {
    this.#options = options;
    this.#queue = new ShownQueue(options);
  }

  /**
   * Starts an empty list with the next {@link flush}, because another publisher has changed the bucket.
   *
   * @param lease Number of this publisher's lease.
   */
  begin(lease: number): void {
    this.#queue.forget();
    this.#recent = { format: PUBLISHED_FORMAT, lease, told: 0, changes: [] };
    this.#isPut = false;
  }

  /** Adds a published state. A later {@link flush} adds it to the object. */
  add(rid: RepoId, stateNumber: number): void {
    this.#queue.add(rid, stateNumber);
  }

  /**
   * Puts the queued changes, unless the last put was less than {@link RECENT_PUT_MS} ago.
   *
   * @param options.isLast Whether to put the changes even if the last put is more recent.
   * @throws {BucketError}
   */
  async flush({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    await this.#queue.run(async () => {
      const isTime = isLast || this.#options.nowMs() - this.#putMs >= RECENT_PUT_MS;
      if (!this.#isPut || this.#queue.size > 0 && isTime) await this.#queue.put(this.#update);
    });
  }

  /**
   * Puts the object again, even if it is missing or another program has changed it.
   *
   * @throws {BucketError}
   */
  async renew(): Promise<void> {
    await this.#queue.run(() => this.#put(this.#recent.told, this.#recent.changes));
  }

  /**
   * Removes repositories from the object, without waiting for the next {@link flush}.
   *
   * @throws {BucketError}
   */
  async hide(rids: readonly RepoId[]): Promise<void> {
    this.#queue.forget(rids);
    await this.#queue.run(() => this.#update(new Map(), new Set(rids)));
  }

  readonly #update = async (
    added: ReadonlyMap<RepoId, number>,
    removed: ReadonlySet<RepoId>,
  ): Promise<void> => {
    const { told, changes } = this.#recent;
    const left = changes.map((change) => change !== null && removed.has(change[0]) ? null : change);
    const isSame = added.size === 0 && left.every((change, i) => change === changes[i]);
    if (!this.#isPut || !isSame) await this.#put(told + added.size, [...left, ...added]);
  };

  /**
   * Puts the list. The list in memory changes before the put, because a put that fails may still take effect.
   * So no later put gives the same numbers to other changes.
   */
  async #put(told: number, changes: RecentChanges["changes"]): Promise<void> {
    const { bucket, nowMs } = this.#options;
    this.#recent = { ...this.#recent, told, changes: changes.slice(-MAX_RECENT_CHANGES) };
    this.#putMs = nowMs();
    this.#isPut = false;
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
