/** Makes parts of long answers a little ahead of the client, within one bound of memory for all answers. */

/** Most bytes of parts being made or waiting to be read, in all answers together, approximately. */
export const MAX_BYTES_UNDER_WAY = 64 * 2 ** 20;

/** Memory reserved for a part of an answer. */
export interface Lease {
  /** Corrects the reservation when the size of the part is known. */
  resize(bytes: number): void;
  /** Ends the reservation. Further calls have no effect. */
  release(): void;
}

/** Reserves memory, in the order of the requests. */
export class BytesUnderWay {
  readonly #limit: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number = MAX_BYTES_UNDER_WAY) {
    this.#limit = limit;
  }

  /** Reserved bytes. */
  get taken(): number {
    return this.#taken;
  }

  /** Reserves memory if it is free now; always succeeds when nothing is reserved. */
  tryTake(bytes: number): Lease | undefined {
    if (this.#waiting.size > 0 || !this.#hasRoom(bytes)) return undefined;
    return this.#lend(bytes);
  }

  /** Reserves memory even beyond the bound. */
  force(bytes: number): Lease {
    return this.#lend(bytes);
  }

  /**
   * Reserves memory as soon as it is free.
   *
   * @throws The reason of the signal when it is aborted.
   */
  async take(bytes: number, signal?: AbortSignal): Promise<Lease> {
    const taken = this.tryTake(bytes);
    if (taken !== undefined) return taken;
    signal?.throwIfAborted();
    const lease = Promise.withResolvers<Lease>();
    const tryNow = () => {
      if (!this.#hasRoom(bytes)) return;
      this.#waiting.delete(tryNow);
      lease.resolve(this.#lend(bytes));
    };
    const leave = () => {
      if (!this.#waiting.delete(tryNow)) return;
      lease.reject(signal?.reason);
      this.#callNext();
    };
    this.#waiting.add(tryNow);
    signal?.addEventListener("abort", leave, { once: true });
    return await lease.promise.finally(() => signal?.removeEventListener("abort", leave));
  }

  #hasRoom(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#limit;
  }

  #lend(bytes: number): Lease {
    let held = bytes;
    const resize = (size: number) => {
      this.#taken += size - held;
      held = size;
      this.#callNext();
    };
    this.#taken += bytes;
    return {
      resize,
      release() {
        if (held > 0) resize(0);
      },
    };
  }

  /** Serves the waiting requests, the oldest first, while memory is free. */
  #callNext(): void {
    for (const tryNow of this.#waiting) {
      tryNow();
      if (this.#waiting.has(tryNow)) return;
    }
  }
}

/** Most parts of one answer being made or waiting to be read: as many as there are workers. */
export const PARTS_AHEAD = 2;

/** Memory reserved for a part before its size is known, in bytes. */
export const EXPECTED_PART_BYTES = 4 * 2 ** 20;

/** Functions that make parts, and the bounds of their work. */
export interface PartMaker<Work, Part extends { readonly json: Uint8Array }> {
  make(work: Work): Promise<Part>;
  /** The rest of the work after a part. */
  leftOf(part: Part): Work | undefined;
  readonly room: BytesUnderWay;
  readonly signal: AbortSignal | undefined;
}

interface Making<Part> {
  readonly part: Promise<Part>;
  readonly lease: Lease;
}

/**
 * The parts of all work. The memory of a part is released when the next part is requested. When the caller
 * stops, the parts being made are released, too.
 */
export async function* partsOf<Work, Part extends { readonly json: Uint8Array }>(
  works: readonly Work[],
  { make, leftOf, room, signal }: PartMaker<Work, Part>,
): AsyncGenerator<Part> {
  const underWay: Making<Part>[] = [];
  let next = 0;
  const begin = (work: Work, lease: Lease): Making<Part> => {
    const part = make(work).then((made) => {
      lease.resize(made.json.length);
      return made;
    });
    // Also prevents an unhandled rejection; the `await` below throws the error.
    part.catch(() => lease.release());
    return { part, lease };
  };
  try {
    while (next < works.length || underWay.length > 0) {
      while (next < works.length && underWay.length < PARTS_AHEAD) {
        const lease = underWay.length === 0
          ? await room.take(EXPECTED_PART_BYTES, signal)
          : room.tryTake(EXPECTED_PART_BYTES);
        if (lease === undefined) break;
        underWay.push(begin(works[next++]!, lease));
      }
      const { part, lease } = underWay.shift()!;
      const made = await part;
      const left = leftOf(made);
      // Does not wait for memory, since this answer may hold all of it.
      if (left !== undefined) underWay.unshift(begin(left, room.force(EXPECTED_PART_BYTES)));
      try {
        yield made;
      } finally {
        lease.release();
      }
    }
  } finally {
    for (const { part, lease } of underWay) void part.catch(() => {}).then(() => lease.release());
  }
}
