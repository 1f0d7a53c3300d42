/**
 * Limits the rate of announcements to the node. The first announcement of a repository is sent at once, later
 * announcements at most once a second.
 */
import { startSystemTimer, type StartTimer } from "../async/timer.ts";
import type { RepoId } from "../ids/rid.ts";

/**
 * Minimum time between two announcements of one repository, in milliseconds. All changes in this time share
 * the next announcement.
 */
export const ANNOUNCE_GAP_MS = 1000;

/**
 * Maximum time that closing waits for pending announcements, in milliseconds. A running node can read all
 * announcements in this time.
 */
export const FLUSH_MS = 300;

export interface AnnouncerOptions {
  /** Sends one announcement to the node. Must never reject. */
  readonly send: (rid: RepoId) => Promise<void>;
  /** Calls a function after a delay in milliseconds. Returns a function that cancels the call. */
  readonly later?: StartTimer;
}

interface Gap {
  readonly cancel: () => void;
  /** Whether references have changed since the last announcement. */
  hasChanges: boolean;
}

export class Announcer {
  readonly #send: (rid: RepoId) => Promise<void>;
  readonly #later: StartTimer;
  readonly #gaps = new Map<RepoId, Gap>();
  readonly #sending = new Set<Promise<void>>();

  constructor({ send, later = startSystemTimer }: AnnouncerOptions) {
    this.#send = send;
    this.#later = later;
  }

  /**
   * Announces a repository at once, or, if its last announcement is more recent, {@link ANNOUNCE_GAP_MS}
   * after it.
   */
  announce(rid: RepoId): void {
    const gap = this.#gaps.get(rid);
    if (gap !== undefined) gap.hasChanges = true;
    else this.#sendNow(rid);
  }

  /**
   * Sends pending announcements. Resolves when the node has received all announcements, or after
   * {@link FLUSH_MS} at the latest.
   */
  async flush(): Promise<void> {
    const waiting = [...this.#gaps];
    this.#gaps.clear();
    for (const [rid, gap] of waiting) {
      gap.cancel();
      if (gap.hasChanges) this.#track(rid);
    }
    if (this.#sending.size === 0) return;
    const limit = Promise.withResolvers<void>();
    const cancel = this.#later(FLUSH_MS, limit.resolve);
    await Promise.race([Promise.all(this.#sending), limit.promise]);
    cancel();
  }

  #sendNow(rid: RepoId): void {
    const cancel = this.#later(ANNOUNCE_GAP_MS, () => this.#endGap(rid));
    this.#gaps.set(rid, { cancel, hasChanges: false });
    this.#track(rid);
  }

  #endGap(rid: RepoId): void {
    const gap = this.#gaps.get(rid);
    this.#gaps.delete(rid);
    if (gap?.hasChanges) this.#sendNow(rid);
  }

  #track(rid: RepoId): void {
    const sending = this.#send(rid).finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }
}
