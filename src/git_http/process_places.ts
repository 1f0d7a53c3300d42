/** Places for git's processes: a bounded number at a time, of all clients and of each. */
import { ApiError } from "../errors.ts";
import type { Asker } from "../ports/workers.ts";

/** Most processes of git at a time; each may start one more for the objects of a pack. */
export const MAX_GIT_PROCESSES = 8;
/** Most processes of git for one peer, where peers can be told apart. */
export const MAX_GIT_PROCESSES_OF_PEER = 4;
/** Requests that may wait for a place; more are refused at once. */
export const MAX_WAITING_FOR_GIT = 256;
/** Longest wait for a place, in milliseconds. */
export const GIT_WAIT_MS = 60_000;
/** `Retry-After` of a request that got no place, in seconds. */
const RETRY_SECONDS = 10;

/** Bounds instead of the constants. */
export interface PlaceLimits {
  readonly maxProcesses?: number;
  readonly maxOfPeer?: number;
  readonly maxWaiting?: number;
  readonly waitMs?: number;
}

/** A request that waits. */
interface Waiting {
  readonly peer: string | undefined;
  readonly begin: () => void;
}

/** The places of one service. */
export class ProcessPlaces {
  readonly #limits: Required<PlaceLimits>;
  readonly #waiting = new Set<Waiting>();
  readonly #ofPeer = new Map<string, number>();
  #taken = 0;

  constructor(limits: PlaceLimits = {}) {
    this.#limits = {
      maxProcesses: MAX_GIT_PROCESSES,
      maxOfPeer: MAX_GIT_PROCESSES_OF_PEER,
      maxWaiting: MAX_WAITING_FOR_GIT,
      waitMs: GIT_WAIT_MS,
      ...limits,
    };
  }

  /** Whether a request has to wait for a place of another one. */
  get areTaken(): boolean {
    return this.#taken >= this.#limits.maxProcesses;
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
  async take({ peer, signal }: Asker): Promise<() => void> {
    signal?.throwIfAborted();
    if (!this.#mayBegin(peer)) await this.#wait(peer, signal);
    else this.#begin(peer);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#end(peer);
    };
  }

  #wait(peer: string | undefined, signal: AbortSignal | undefined): Promise<void> {
    const refusal = () =>
      new ApiError("unavailable", "Too many clones and fetches at a time", {
        retryAfterSeconds: RETRY_SECONDS,
      });
    if (this.#waiting.size >= this.#limits.maxWaiting) throw refusal();
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
        clearTimeout(timer);
        signal?.removeEventListener("abort", leave);
      };
      const leave = () => {
        forget();
        reject(refusal());
      };
      const timer = setTimeout(leave, this.#limits.waitMs);
      signal?.addEventListener("abort", leave);
      this.#waiting.add(waiting);
    });
  }

  #mayBegin(peer: string | undefined): boolean {
    const { maxProcesses, maxOfPeer } = this.#limits;
    return this.#taken < maxProcesses && (peer === undefined || (this.#ofPeer.get(peer) ?? 0) < maxOfPeer);
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
