/**
 * Limits the total memory that several requests reserve, in bytes. Requests wait for memory in the order of
 * arrival.
 */
import { Limiter } from "./limiter.ts";

/** Interval between two attempts to make room for a waiting request, in milliseconds. */
export const MAKE_ROOM_MS = 100;

export interface Reservation {
  /** Changes the size of the reservation, even beyond the limit. Has no effect after `release`. */
  resize(bytes: number): void;
  /** Ends the reservation. Further calls have no effect. */
  release(): void;
}

/** Reserves memory up to a limit. A single reservation may exceed the limit. */
export class ByteSemaphore {
  readonly #limitBytes: number;
  readonly #makeRoom: () => boolean;
  /** Only the first request in the queue waits for memory. The other requests wait for the first request. */
  readonly #line = new Limiter({ atOnce: 1 });
  #taken = 0;
  #recheck = () => {};

  /**
   * @param makeRoom Called while there is no room, and then every {@link MAKE_ROOM_MS} while a request waits.
   * The function must release other reservations, or return `false` if that is impossible.
   */
  constructor(limitBytes: number, makeRoom: () => boolean = () => false) {
    this.#limitBytes = limitBytes;
    this.#makeRoom = makeRoom;
  }

  /** Number of reserved bytes. */
  get taken(): number {
    return this.#taken;
  }

  /** Makes room if necessary. Returns whether there is room, without regard to waiting requests. */
  hasRoom(bytes: number): boolean {
    while (this.#taken > 0 && this.#taken + bytes > this.#limitBytes) {
      if (!this.#makeRoom()) return false;
    }
    return true;
  }

  /** Reserves memory if there is room and no request waits; otherwise returns `undefined`. */
  tryTake(bytes: number): Reservation | undefined {
    return this.#line.running === 0 && this.hasRoom(bytes) ? this.force(bytes) : undefined;
  }

  /** Reserves memory at once, even beyond the limit. */
  force(bytes: number): Reservation {
    let held = bytes;
    let hasEnded = false;
    const resize = (size: number) => {
      if (hasEnded) return;
      this.#taken += size - held;
      held = size;
      this.#recheck();
    };
    this.#taken += bytes;
    return {
      resize,
      release() {
        resize(0);
        hasEnded = true;
      },
    };
  }

  /**
   * Reserves memory as soon as there is room.
   *
   * @throws The reason of the signal when the signal is aborted.
   */
  async take(bytes: number, signal?: AbortSignal): Promise<Reservation> {
    const taken = this.tryTake(bytes);
    if (taken !== undefined) return taken;
    const leave = await this.#line.enter({ signal });
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (this.hasRoom(bytes)) return this.force(bytes);
        await this.#change(signal);
      }
    } finally {
      leave();
    }
  }

  async #change(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const recheck = () => resolve();
    this.#recheck = recheck;
    signal?.addEventListener("abort", recheck);
    const timer = setTimeout(recheck, MAKE_ROOM_MS);
    await promise;
    clearTimeout(timer);
    signal?.removeEventListener("abort", recheck);
  }
}
