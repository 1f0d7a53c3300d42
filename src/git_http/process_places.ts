/** Places for git's processes: a bounded number at a time, of all clients and of each. */
import { ApiError } from "../errors.ts";
import type { Requester } from "../ports/workers.ts";

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

/** A request that waits. */
interface Waiting {
  readonly peer: string | undefined;
  readonly begin: () => void;
}

/** The places for one kind of processes. */
export class ProcessPlaces {
  readonly #max: number;
  readonly #limits: Required<PlaceLimits>;
  readonly #makeRoom: () => void;
  readonly #waiting = new Set<Waiting>();
  readonly #ofPeer = new Map<string, number>();
  #taken = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /**
   * @param max Most places.
   * @param makeRoom Called while all places are taken and a request waits, again and again: it may end a
   *   process.
   */
  constructor(max: number, limits: PlaceLimits = {}, makeRoom: () => void = () => {}) {
    this.#max = max;
    this.#makeRoom = makeRoom;
    this.#limits = {
      maxOfPeer: Math.ceil(max * SHARE_OF_PEER),
      maxWaiting: MAX_WAITING_FOR_GIT,
      waitMs: GIT_WAIT_MS,
      makeRoomMs: MAKE_ROOM_MS,
      ...limits,
    };
  }

  /** Number of places that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place, or waits for one in the order of arrival.
   *
   * @returns Gives the place back; further calls do nothing.
   * @throws {ApiError} `unavailable` when too many wait, or the wait is too long, or the client has left.
   */
  async take({ peer, signal }: Requester): Promise<() => void> {
    if (signal?.aborted) throw unavailable();
    if (!this.#mayBegin(peer)) await this.#wait(peer, signal);
    else this.#begin(peer);
    return this.#givingBack(peer);
  }

  /** As {@link take}, but `undefined` when there is no place now. */
  takeNow({ peer }: Requester): (() => void) | undefined {
    if (!this.#mayBegin(peer)) return undefined;
    this.#begin(peer);
    return this.#givingBack(peer);
  }

  #givingBack(peer: string | undefined): () => void {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#end(peer);
    };
  }

  #wait(peer: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxWaiting) throw unavailable();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        peer,
        begin: () => {
          forget();
          this.#begin(peer);
          resolve();
        },
      };
      const forget = () => {
        this.#waiting.delete(waiting);
        this.#watch();
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
      };
      const leave = () => {
        forget();
        reject(unavailable());
      };
      const timer = setTimeout(leave, this.#limits.waitMs);
      signal?.addEventListener("abort", leave);
      this.#waiting.add(waiting);
      this.#watch();
    });
  }

  /** Looks for room as long as a request waits. */
  #watch(): void {
    if (this.#waiting.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    } else if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#look(), this.#limits.makeRoomMs);
      this.#look();
    }
  }

  #look(): void {
    if (this.#taken >= this.#max) this.#makeRoom();
  }

  #mayBegin(peer: string | undefined): boolean {
    const { maxOfPeer } = this.#limits;
    return this.#taken < this.#max && (peer === undefined || (this.#ofPeer.get(peer) ?? 0) < maxOfPeer);
  }

  #begin(peer: string | undefined): void {
    this.#taken++;
    if (peer !== undefined) this.#ofPeer.set(peer, (this.#ofPeer.get(peer) ?? 0) + 1);
  }

  #end(peer: string | undefined): void {
    this.#taken--;
    if (peer !== undefined) {
      const count = this.#ofPeer.get(peer)! - 1;
      if (count === 0) this.#ofPeer.delete(peer);
      else this.#ofPeer.set(peer, count);
    }
    for (const waiting of this.#waiting) {
      if (this.#mayBegin(waiting.peer)) return waiting.begin();
    }
  }
}

function unavailable(): ApiError {
  return new ApiError("unavailable", "Too many clones and fetches at a time", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
