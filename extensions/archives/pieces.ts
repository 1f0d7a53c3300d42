/** Bytes of an archive in pieces that are worth to be sent. */
import { joinBytes } from "../../src/bytes/bytes.ts";

/** Size from which on a piece is sent, in bytes. */
export const PIECE_BYTES = 64 * 1024;

/**
 * Bytes that gather until they are a piece: to send each small entry alone would cost more than to make it.
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

  /** Takes all that has gathered. */
  take(): Uint8Array<ArrayBuffer> {
    const piece = joinBytes(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return piece;
  }
}
