/**
 * Memory budget of the request bodies being received. When it is exceeded, the oldest body is evicted, so
 * that slow senders do not block fast ones.
 */
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";

/** Most bytes of request bodies being received at a time. */
export const MAX_ARRIVING_BYTES = 32 * 1024 * 1024;

/** A body being received. */
export interface ArrivingBody {
  /** Whether the body was evicted: reading has to stop, and the request fails. */
  readonly isLost: boolean;
  /** Counts bytes just received. */
  add(bytes: number): void;
  /** Ends the counting, when the body is complete or no longer needed. */
  end(): void;
}

/** Bounds the bytes of the request bodies being received. */
export class BodyBudget {
  readonly #bytes: ByteSemaphore;
  readonly #bodies = new Set<Body>();
  /** The body that received bytes last. */
  #newest: Body | undefined;

  /** @param limitBytes Limit of the sum; a body that is alone may exceed it. */
  constructor(limitBytes: number = MAX_ARRIVING_BYTES) {
    this.#bytes = new ByteSemaphore(limitBytes, () => this.#evictOldest());
  }

  /** Starts to count a body. `giveUp` is called when the body is evicted. */
  begin(giveUp: () => void): ArrivingBody {
    const lease = this.#bytes.force(0);
    let size = 0;
    const body: Body = {
      giveUp,
      isLost: false,
      add: (bytes) => {
        lease.resize(size += bytes);
        this.#newest = body;
        this.#bytes.hasRoom(0);
      },
      end: () => {
        this.#bodies.delete(body);
        lease.release();
      },
    };
    this.#bodies.add(body);
    return body;
  }

  #evictOldest(): boolean {
    const oldest = [...this.#bodies].find((body) => body !== this.#newest);
    if (oldest === undefined) return false;
    oldest.end();
    oldest.isLost = true;
    oldest.giveUp();
    return true;
  }
}

interface Body extends ArrivingBody {
  readonly giveUp: () => void;
  isLost: boolean;
}
