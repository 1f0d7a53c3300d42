/** When a node is told that references have changed: at once, and then no more than once a second for each repository, forgetting nothing. */
import type { RepoId } from "../ids/rid.ts";

/** How long after an announcement of a repository the next one waits, in milliseconds; changes until then share it. */
export const ANNOUNCE_GAP_MS = 1000;

/** How long the last announcements are waited for, in milliseconds: they have been sent by then, and a node that runs has read them. */
export const FLUSH_MS = 300;

/** How an announcer works. */
export interface AnnouncerOptions {
  /** Tells the node. Must not reject. */
  readonly send: (rid: RepoId) => Promise<void>;
  /** Calls back after some milliseconds, unless what it returns is called before. */
  readonly later?: (ms: number, call: () => void) => () => void;
}

/** The time after an announcement of a repository. */
interface Gap {
  readonly cancel: () => void;
  /** Whether something has changed since. */
  hasChanges: boolean;
}

/** Announces changes of repositories. */
export class Announcer {
  readonly #send: (rid: RepoId) => Promise<void>;
  readonly #later: NonNullable<AnnouncerOptions["later"]>;
  readonly #gaps = new Map<RepoId, Gap>();
  readonly #sending = new Set<Promise<void>>();

  constructor({ send, later = startTimer }: AnnouncerOptions) {
    this.#send = send;
    this.#later = later;
  }

  /** Announces a repository, now or when its gap ends. */
  announce(rid: RepoId): void {
    const gap = this.#gaps.get(rid);
    if (gap !== undefined) gap.hasChanges = true;
    else this.#sendNow(rid);
  }

  /** Sends what waits; resolves when all that was sent has been heard, or after {@link FLUSH_MS}. */
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

function startTimer(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}
