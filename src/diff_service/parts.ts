/** Parts of long answers: made a few ahead of what the client has read, within one bound for all answers. */

/** Bytes of parts that are being made or wait to be read, in all answers together, about. */
export const MAX_BYTES_UNDER_WAY = 64 * 2 ** 20;

/** Room for a part of an answer. */
export interface Lease {
  /** Corrects the bytes of the part when they are known. */
  resize(bytes: number): void;
  /** Gives the room back. May be called again. */
  release(): void;
}

/** Hands out room, in the order in which it is asked for. */
export class BytesUnderWay {
  readonly #limit: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number = MAX_BYTES_UNDER_WAY) {
    this.#limit = limit;
  }

  /** Bytes that are taken. */
  get taken(): number {
    return this.#taken;
  }

  /** Room for so many bytes, if there is some now: always when nothing is taken. */
  tryTake(bytes: number): Lease | undefined {
    if (this.#waiting.size > 0 || !this.#hasRoom(bytes)) return undefined;
    return this.#lend(bytes);
  }

  /** Room for so many bytes, whether there is some or not. */
  force(bytes: number): Lease {
    return this.#lend(bytes);
  }

  /**
   * Room for so many bytes, as soon as there is some.
   *
   * @throws what the signal is aborted with.
   */
  async take(bytes: number, signal?: AbortSignal): Promise<Lease> {
    const lease = this.tryTake(bytes);
    if (lease !== undefined) return lease;
    signal?.throwIfAborted();
    const turn = Promise.withResolvers<Lease>();
    const tryNow = () => {
      if (!this.#hasRoom(bytes)) return;
      this.#waiting.delete(tryNow);
      turn.resolve(this.#lend(bytes));
    };
    const leave = () => {
      if (!this.#waiting.delete(tryNow)) return;
      turn.reject(signal?.reason);
      this.#callNext();
    };
    this.#waiting.add(tryNow);
    signal?.addEventListener("abort", leave, { once: true });
    return await turn.promise.finally(() => signal?.removeEventListener("abort", leave));
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

  /** Lets those go on that waited the longest, as far as there is room. */
  #callNext(): void {
    for (const tryNow of this.#waiting) {
      tryNow();
      if (this.#waiting.has(tryNow)) return;
    }
  }
}

/** Parts of one answer that are being made or wait to be read: as many as there are workers. */
export const PARTS_AHEAD = 2;

/** Room that is taken for a part before its size is known. */
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
 * The parts of all work. Each is given up when the next one is asked for; what is under way is given up when
 * no more are wanted.
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
    // It is heard when its turn comes.
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
      // No waiting for room here: this answer may have it all.
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
