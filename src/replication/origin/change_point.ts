/**
 * Read-your-writes through a replica. The origin's answer to a change names a point in the life of the
 * repository: the digest of its references after the change, and the origin's clock. A published state has
 * reached the point when its references have that digest, or when they were read after that time. Until then
 * the replica that passed the change on asks the origin about that repository.
 */
import { digestOfRefs, resolveRefs } from "../../git/references.ts";
import { isHiddenRef } from "../../git/hidden_refs.ts";
import { type RepoId, tryParseRid } from "../../ids/rid.ts";
import type { Repository } from "../../ports/storage.ts";

/**
 * Header field of an origin's answer to a change that a replica passed on: a {@link ChangePoint} as
 * {@link formatChangePoint} writes it.
 */
export const CHANGE_POINT_FIELD = "xylem-generation";

/** Longest time for which a replica asks the origin about a repository after a change, in milliseconds. */
export const MAX_CATCH_UP_MS = 30_000;
/** Maximum number of repositories that a replica asks the origin about. A further one replaces the oldest. */
export const MAX_CATCHING_UP = 10_000;

/** The state of a repository after a change. */
export interface ChangePoint {
  readonly rid: RepoId;
  /** {@link stateDigest} after the change. */
  readonly digest: string;
  /** Time after the change, in milliseconds since the epoch, by the clock of the origin. */
  readonly atMs: number;
}

/** The state of a repository that a publisher read. */
export interface PublishedState {
  /** {@link stateDigest} of the references that were read. */
  readonly digest: string;
  /**
   * Time before the first reference was read, in milliseconds since the epoch, by the clock of the publisher,
   * which runs beside the origin.
   */
  readonly readAtMs: number;
}

/**
 * Digest of the references of a repository that clients get, by which origin and replica name a state: 32 hex
 * digits. Hidden references are not published, so they do not count.
 */
export async function stateDigest(repository: Repository): Promise<string> {
  const refs = await resolveRefs(repository, "refs/");
  return await digestOfRefs(
    refs.some(({ name }) => isHiddenRef(name)) ? refs.filter(({ name }) => !isHiddenRef(name)) : refs,
  );
}

/** Formats a point as the value of {@link CHANGE_POINT_FIELD}. */
export function formatChangePoint({ rid, digest, atMs }: ChangePoint): string {
  return `${rid} ${digest} ${atMs}`;
}

/** Parses a point; `undefined` for a missing or malformed one. */
export function parseChangePoint(text: string | null | undefined): ChangePoint | undefined {
  const [, id = "", digest = "", at = ""] = /^(\S{1,128}) ([0-9a-f]{32}) (\d{1,15})$/.exec(text ?? "") ?? [];
  const rid = tryParseRid(id);
  return rid && { rid, digest, atMs: Number(at) };
}

/**
 * Whether a published state holds a change. A state of the same millisecond may have been read before it, so
 * only its digest tells.
 */
export function hasReached(state: PublishedState, { digest, atMs }: ChangePoint): boolean {
  return state.digest === digest || state.readAtMs > atMs;
}

interface Awaited {
  readonly point: ChangePoint;
  readonly untilMs: number;
}

/** The changes that a replica has passed on and not yet seen published. */
export class AwaitedChanges {
  /** By repository, in the order in which they end. */
  readonly #awaited = new Map<RepoId, Awaited>();
  readonly #now: () => number;

  /** `now` gives milliseconds by the clock of the replica; it is never compared with the origin's. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a change that the origin has answered. Of several changes to a repository the latest counts. */
  add(point: ChangePoint): void {
    const former = this.#awaited.get(point.rid)?.point;
    this.#awaited.delete(point.rid);
    const latest = former !== undefined && former.atMs > point.atMs ? former : point;
    this.#awaited.set(point.rid, { point: latest, untilMs: this.#now() + MAX_CATCH_UP_MS });
    for (const [rid, { untilMs }] of this.#awaited) {
      if (this.#awaited.size <= MAX_CATCHING_UP && untilMs > this.#now()) return;
      this.#awaited.delete(rid);
    }
  }

  /** Whether a repository has an awaited change, before its published state has been looked at. */
  has(rid: RepoId): boolean {
    const awaited = this.#awaited.get(rid);
    if (awaited === undefined) return false;
    if (this.#now() < awaited.untilMs) return true;
    this.#awaited.delete(rid);
    return false;
  }

  /**
   * Whether a replica has to ask the origin about a repository: it has an awaited change that the published
   * state lacks, for {@link MAX_CATCH_UP_MS} at most. Forgets the change when the state has it.
   *
   * @param state The state that the replica serves; `undefined` when nothing is published of the repository.
   */
  isAwaited(rid: RepoId, state: PublishedState | undefined): boolean {
    if (!this.has(rid)) return false;
    if (state === undefined || !hasReached(state, this.#awaited.get(rid)!.point)) return true;
    this.#awaited.delete(rid);
    return false;
  }
}
