/** One large answer on its way to its client: bytes that are there, or a body that is read as it leaves. */

/**
 * Answers that are larger leave in chunks of that size: of each, no more waits in the buffers of its
 * connection.
 */
export const CHUNK_BYTES = 64 * 1024;

/**
 * Last bytes of an answer that may still wait in its connection when the answer no longer counts: those of
 * two chunks.
 */
export const LAST_BYTES: number = 2 * CHUNK_BYTES;

/** The part of an answer that is in memory, and how it is sent. */
export class LeavingAnswer {
  /** The bytes that it may share with other answers; none when it is read as it leaves. */
  readonly buffer: ArrayBuffer | undefined;
  /** Bytes of memory that it counts for. */
  bytes: number;
  /**
   * Since when its client has to take something, by the clock of `performance`; endless while it is being
   * made.
   */
  waitsSinceMs = performance.now();
  /** Breaks it off. */
  cut: () => void = () => {};
  readonly #countsFor: () => number;
  #rest: Uint8Array<ArrayBuffer>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;

  /**
   * @param bytes What it counts for; more while a larger part of `body` is there.
   * @param countsFor What it counts for later, when that may change.
   */
  constructor(
    bytes: number,
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>,
    countsFor: () => number = () => bytes,
  ) {
    this.bytes = bytes;
    this.#countsFor = countsFor;
    const isWhole = body instanceof Uint8Array;
    this.#rest = isWhole ? body : new Uint8Array(0);
    this.buffer = isWhole ? body.buffer : undefined;
    this.#reader = isWhole ? undefined : body.getReader();
  }

  /** The next chunk; `undefined` at the end. Rejects when the body fails. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#rest.length === 0) {
      this.waitsSinceMs = Infinity;
      const value = (await this.#reader?.read())?.value;
      if (value === undefined) return undefined;
      this.#rest = value;
      this.bytes = Math.max(this.#countsFor(), value.length);
    }
    const chunk = this.#mayShare ? this.#rest.subarray(0, CHUNK_BYTES) : this.#rest.slice(0, CHUNK_BYTES);
    this.#rest = this.#rest.subarray(CHUNK_BYTES);
    this.waitsSinceMs = performance.now();
    return chunk;
  }

  /**
   * Whether the next chunk may be a part of the bytes, which holds on to all of them. They count until the
   * end; after it the last chunks would hold on to them, so these are copies. So are the chunks of a body
   * that is read: its maker may use the memory of a piece again.
   */
  get #mayShare(): boolean {
    return this.#reader === undefined && this.#rest.length > LAST_BYTES;
  }

  /** Lets go of what has not left. */
  drop(): void {
    this.#rest = new Uint8Array(0);
    this.#reader?.cancel().catch(() => {});
  }
}
