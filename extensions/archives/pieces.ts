/** Joins the bytes of an archive into pieces that are large enough to be sent. */
import { joinBytes } from "../../src/mod.ts";

/** Minimum size of a piece before it is sent, in bytes. The last piece may be smaller. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Collects bytes until they fill a piece. Sending each small entry alone would cost more time than making the
 * entry.
 */
export class Pieces {
  #parts: Uint8Array[] = [];
  #bytes = 0;

  add(...parts: readonly Uint8Array[]): void {
    this.#parts.push(...parts);
    for (const { length } of parts) this.#bytes += length;
  }

  get isFull(): boolean {
    return this.#bytes >= PIECE_BYTES;
  }

  /** Returns the collected bytes and starts a new piece. */
  take(): Uint8Array<ArrayBuffer> {
    const piece = joinBytes(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return piece;
  }
}
