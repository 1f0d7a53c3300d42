/** Memory for the request bodies that are arriving: when it is used up, the body that began first makes room, so that slow ones keep no quick ones out. */

/** Bytes of all request bodies that are arriving at a time. */
export const MAX_ARRIVING_BYTES = 32 * 1024 * 1024;

/** A body that is arriving. */
export interface ArrivingBody {
  /** Whether it had to make room: it is of no use any more. */
  readonly isLost: boolean;
  /** Counts some more bytes of it. */
  add(bytes: number): void;
  /** Tells that it has arrived, or that nobody wants it any more. */
  end(): void;
}

/** Bounds the bytes of bodies that are arriving. */
export class BodyBudget {
  readonly #limitBytes: number;
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  /** @param limitBytes {@link MAX_ARRIVING_BYTES}; a single body may have more. */
  constructor(limitBytes: number = MAX_ARRIVING_BYTES) {
    this.#limitBytes = limitBytes;
  }

  /** Counts a body from now on; `giveUp` is called when it has to make room. */
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
