/**
 * The changes that a replica has passed on and not yet seen published. For their repositories, it asks the
 * origin even for clients that send no token.
 */
import type { RepoId } from "../../../src/mod.ts";
import type { ConsistencyToken } from "./consistency_token.ts";

/** Longest time for which a replica asks the origin about a repository after a change, in milliseconds. */
export const MAX_CATCH_UP_MS = 30_000;
/** Maximum number of repositories that a replica asks the origin about. A further one replaces the oldest. */
export const MAX_CATCHING_UP = 10_000;

interface Awaited {
  readonly token: ConsistencyToken;
  readonly untilMs: number;
}

/** The latest token of each repository that was recently changed through this replica. */
export class AwaitedChanges {
  /** By repository, in the order in which they expire. */
  readonly #awaited = new Map<RepoId, Awaited>();
  readonly #now: () => number;

  /** `now` gives milliseconds by the clock of the replica; it is never compared with the origin's. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a change that the origin has answered. Of several changes to a repository, the latest counts. */
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

  /** The state that a replica waits for, for {@link MAX_CATCH_UP_MS} at most. */
  get(rid: RepoId): ConsistencyToken | undefined {
    const awaited = this.#awaited.get(rid);
    if (awaited === undefined || this.#now() < awaited.untilMs) return awaited?.token;
    this.#awaited.delete(rid);
    return undefined;
  }

  /** Removes a change that has been published, unless a later one has replaced it. */
  delete(token: ConsistencyToken): void {
    if (this.#awaited.get(token.rid)?.token === token) this.#awaited.delete(token.rid);
  }
}
