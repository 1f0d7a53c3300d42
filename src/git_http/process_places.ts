/** Places for git's processes: a bounded number at a time, of all clients and of each. */
import { ApiError } from "../errors.ts";
import type { Requester } from "../ports/workers.ts";
import { type Leave, Limiter } from "../scheduling/limiter.ts";

/** Kinds of work of git's processes. Those of one kind never wait for a place of another. */
export type GitWork = "references" | "fetches" | "packs" | "walks";

/**
 * Most processes of git at a time: for lists of references; for the beginning of fetches, which small ones do
 * not outlast; for packs; for walks of all objects. Those of fetches and packs may start one more each.
 */
export const MAX_GIT_PROCESSES: Readonly<Record<GitWork, number>> = {
  references: 4,
  fetches: 4,
  packs: 8,
  walks: 2,
};
/** Part of the places of a kind that one peer may take, where peers can be told apart. */
export const SHARE_OF_PEER = 1 / 2;
/** Requests that may wait for a place of a kind; more are refused at once. */
export const MAX_WAITING_FOR_GIT = 256;
/** Time between two looks for a process that has to make room for a request that waits, in milliseconds. */
export const MAKE_ROOM_MS = 1000;
/** Longest wait for a place, in milliseconds. */
export const GIT_WAIT_MS = 60_000;
/** `Retry-After` of a request that got no place, in seconds. */
const RETRY_SECONDS = 10;

/** Bounds instead of the constants. */
export interface PlaceLimits {
  readonly maxOfPeer?: number;
  readonly maxWaiting?: number;
  readonly waitMs?: number;
  readonly makeRoomMs?: number;
}

/**
 * The places for one kind of processes: so many, of which one peer has no more than its share.
 *
 * @param max Most places.
 */
export function createPlaces(max: number, limits: PlaceLimits = {}): Limiter {
  const { maxOfPeer = Math.ceil(max * SHARE_OF_PEER) } = limits;
  return new Limiter({ atOnce: max, ofKey: maxOfPeer }, {
    waiting: limits.maxWaiting ?? MAX_WAITING_FOR_GIT,
    waitMs: limits.waitMs ?? GIT_WAIT_MS,
  });
}

/**
 * Takes a place, or waits for one.
 *
 * @returns Gives the place back.
 * @throws {ApiError} `unavailable` when too many wait, or the wait is too long, or the client has left.
 */
export function takePlace(places: Limiter, { peer, signal }: Requester): Promise<Leave> {
  return places.enter({ keys: [peer], signal }).catch(() => {
    throw unavailable();
  });
}

/** As {@link takePlace}, but `undefined` when there is no place now. */
export function takePlaceNow(places: Limiter, { peer }: Requester): Leave | undefined {
  return places.tryEnter({ keys: [peer] });
}

function unavailable(): ApiError {
  return new ApiError("unavailable", "Too many clones and fetches at a time", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
