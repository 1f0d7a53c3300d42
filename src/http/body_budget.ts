/**
 * Memory budget of the request bodies being received. When it is exceeded, the oldest body is evicted, so
 * that slow senders do not block fast ones.
 */

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
  readonly #limitBytes: number;
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  /** @param limitBytes Limit of the sum; a body that is alone may exceed it. */
  constructor(limitBytes: number = MAX_ARRIVING_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** Starts to count a body. `giveUp` is called when the body is evicted. */
  begin(giveUp: () => void): ArrivingBody {
    const body: Body = {
      giveUp,
      bytes: 0,
      isLost: false,
      add: (bytes) => {
        if (!this.#bodies.has(body)) return;
        body.bytes += bytes;
        this.#bytes += bytes;
        this.#makeRoom(body);
      },
      end: () => {
        if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
      },
    };
    this.#bodies.add(body);
    return body;
  }

  #makeRoom(newest: Body): void {
    for (const body of this.#bodies) {
      if (this.#bytes <= this.#limitBytes) return;
      if (body === newest) continue;
      body.end();
      body.isLost = true;
      body.giveUp();
    }
  }
}

interface Body extends ArrivingBody {
  readonly giveUp: () => void;
  bytes: number;
  isLost: boolean;
}
