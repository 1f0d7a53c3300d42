/** Tells of the latest changes of all repositories, in one object. */
import type { RepoId } from "../../../src/ids/rid.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { PUBLISHED_FORMAT } from "../format/manifest.ts";
import { MAX_RECENT_CHANGES, RECENT, type RecentChanges } from "../format/recent_changes.ts";
import { ChangedMeanwhile, replaceObject } from "./changing_object.ts";
import { type Shown, ShownQueue } from "./shown_queue.ts";

/** Least time between two puts that tell of changes, in milliseconds. */
export const RECENT_PUT_MS = 1_000;
/** Tries of a put of which the condition fails: somebody else has changed the object. */
const TRIES = 2;

/** Parts of {@link RecentChangesWriter}. */
interface RecentChangesDependencies extends Shown {
  readonly bucket: Bucket;
  /** Milliseconds since any point in time. */
  readonly nowMs: () => number;
}

/**
 * Puts the latest changes: one put for all that come within a second. A repository is named while it is
 * public.
 */
export class RecentChangesWriter {
  readonly #dependencies: RecentChangesDependencies;
  /** Numbers of states that the object lacks. */
  readonly #queue: ShownQueue<number>;
  #recent: RecentChanges = { format: PUBLISHED_FORMAT, lease: 1, told: 0, changes: [] };
  /** Whether the object is as it should be, but for changes that wait. */
  #isPut = true;
  #putMs = -Infinity;

  constructor(dependencies: RecentChangesDependencies) {
    this.#dependencies = dependencies;
    this.#queue = new ShownQueue(dependencies);
  }

  /** Begins anew with the next {@link flush}: another publisher has changed the bucket. */
  begin(lease: number): void {
    this.#queue.forget();
    this.#recent = { format: PUBLISHED_FORMAT, lease, told: 0, changes: [] };
    this.#isPut = false;
  }

  /** Tells of a state with the next {@link flush}. */
  add(rid: RepoId, stateNumber: number): void {
    this.#queue.add(rid, stateNumber);
  }

  /**
   * Tells of the changes that wait, unless it has done so less than {@link RECENT_PUT_MS} ago.
   *
   * @param options.isLast Tells of them in any case.
   * @throws {BucketError}
   */
  async flush({ isLast = false }: { readonly isLast?: boolean } = {}): Promise<void> {
    await this.#queue.run(async () => {
      const isTime = isLast || this.#dependencies.nowMs() - this.#putMs >= RECENT_PUT_MS;
      if (!this.#isPut || this.#queue.size > 0 && isTime) await this.#queue.put(this.#update);
    });
  }

  /**
   * Puts the object again, whatever has become of it.
   *
   * @throws {BucketError}
   */
  async renew(): Promise<void> {
    await this.#queue.run(() => this.#put(this.#recent.told, this.#recent.changes));
  }

  /**
   * Names repositories no more, at once.
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

  /** A put that fails may have taken effect: no later one gives its numbers to other changes. */
  async #put(told: number, changes: RecentChanges["changes"]): Promise<void> {
    const { bucket, nowMs } = this.#dependencies;
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
