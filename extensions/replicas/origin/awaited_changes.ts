/**
 * The changes that a replica has passed on to the origin, and that are not published yet. While a repository
 * has an unpublished change, the replica asks the origin even for clients that send no token.
 */
import type { RepoId } from "../../../src/mod.ts";
import type { ConsistencyToken } from "./consistency_token.ts";

/** Maximum time for which a replica asks the origin about a repository after a change, in milliseconds. */
export const MAX_CATCH_UP_MS = 30_000;
/**
 * Maximum number of repositories about which a replica asks the origin. A further repository replaces the
 * repository that would expire first.
 */
export const MAX_CATCHING_UP = 10_000;

interface Awaited {
  readonly token: ConsistencyToken;
  readonly untilMs: number;
}

/** Stores the latest token of each repository that was recently changed through this replica. */
export class AwaitedChanges {
  /** The tokens by repository, in the order in which they expire. */
  readonly #awaited = new Map<RepoId, Awaited>();
  readonly #now: () => number;

  /**
   * @param now Returns the time in milliseconds by the clock of the replica. It is never compared with the
   *   clock of the origin.
   */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Adds a change to which the origin has responded. If a repository has several changes, only the latest
   * change counts.
   */
  add(token: ConsistencyToken): void {
    const former = this.#awaited.get(token.rid)?.token;
    this.#awaited.delete(token.rid);
    const latest = former !== undefined && former.atMs > token.atMs ? former : token;
    this.#awaited.set(token.rid, { token: latest, untilMs: this.#now() + MAX_CATCH_UP_MS });
    for (const [rid, { untilMs }] of this.#awaited) {
      if (this.#awaited.size <= MAX_CATCHING_UP && untilMs > this.#now()) return;
      this.#awaited.delete(rid);
    }
  }

  /**
   * Returns the state for which the replica waits. The replica waits for at most {@link MAX_CATCH_UP_MS}.
   * Returns `undefined` if it waits for no state of the repository.
   */
  get(rid: RepoId): ConsistencyToken | undefined {
    const awaited = this.#awaited.get(rid);
    if (awaited === undefined || this.#now() < awaited.untilMs) return awaited?.token;
    this.#awaited.delete(rid);
    return undefined;
  }

  /** Removes a change that has been published, unless a later change has replaced it. */
  delete(token: ConsistencyToken): void {
    if (this.#awaited.get(token.rid)?.token === token) this.#awaited.delete(token.rid);
  }
}
