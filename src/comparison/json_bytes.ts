/** JSON that is written in pieces, as UTF-8: from text, and from bytes that are UTF-8 already, which need not become text first. */
import { joinBytes } from "../bytes/join.ts";

/** Bytes that are held together. */
const CHUNK_BYTES = 2 ** 18;
/** Bytes of a JSON string that are written at once. */
const SLICE_BYTES = 2 ** 13;
/** Bytes that a byte becomes at most, in a string. */
const MAX_ESCAPE_BYTES = 6;
/** Bytes that a UTF-16 code unit becomes at most. */
const MAX_UNIT_BYTES = 3;
/** Digits of a number that is written. */
const MAX_DIGITS = 16;

const [QUOTE, BACKSLASH, SPACE, ZERO] = [0x22, 0x5c, 0x20, 0x30];

const encoder = new TextEncoder();

/** What stands for each control character. */
const CONTROLS = Array.from(
  { length: SPACE },
  (_, code) => encoder.encode(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
);

/** A place in what was written. */
export interface JsonMark {
  readonly chunks: number;
  readonly bytes: number;
}

/** Takes JSON in pieces. */
export class JsonBytes {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytesInChunks = 0;
  #chunk = new Uint8Array(0);
  #at = 0;

  /** Bytes so far. */
  get length(): number {
    return this.#bytesInChunks + this.#at;
  }

  /** Writes JSON. */
  write(text: string): void {
    for (let start = 0; start < text.length;) {
      const end = start + CHUNK_BYTES < text.length
        ? beforeSurrogate(text, start + CHUNK_BYTES)
        : text.length;
      const part = start === 0 && end === text.length ? text : text.slice(start, end);
      this.#reserve(MAX_UNIT_BYTES * part.length);
      this.#at += encoder.encodeInto(part, this.#chunk.subarray(this.#at)).written;
      start = end;
    }
  }

  /** Writes bytes that are JSON; a few. */
  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    const chunk = this.#chunk;
    let at = this.#at;
    for (let i = 0; i < bytes.length; i++) chunk[at++] = bytes[i]!;
    this.#at = at;
  }

  /** Writes a number: a whole one, not negative. */
  writeNumber(value: number): void {
    this.#reserve(MAX_DIGITS);
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    for (let i = digits - 1, left = value; i >= 0; i--) {
      const tens = Math.floor(left / 10);
      this.#chunk[this.#at + i] = ZERO + left - 10 * tens;
      left = tens;
    }
    this.#at += digits;
  }

  /** Writes bytes that are UTF-8 as the content of a string, without quotation marks, as `JSON.stringify` writes it. */
  writeString(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end; from += SLICE_BYTES) {
      const to = Math.min(from + SLICE_BYTES, end);
      this.#reserve(MAX_ESCAPE_BYTES * (to - from));
      const chunk = this.#chunk;
      let at = this.#at;
      for (let i = from; i < to; i++) {
        const byte = bytes[i]!;
        if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) {
          chunk[at++] = byte;
        } else if (byte >= SPACE) {
          chunk[at++] = BACKSLASH;
          chunk[at++] = byte;
        } else {
          const escape = CONTROLS[byte]!;
          for (let k = 0; k < escape.length; k++) chunk[at++] = escape[k]!;
        }
      }
      this.#at = at;
    }
  }

  /** What has been written up to now. */
  mark(): JsonMark {
    this.#endChunk();
    return { chunks: this.#chunks.length, bytes: this.#bytesInChunks };
  }

  /** Takes back what was written since a mark. */
  returnTo({ chunks, bytes }: JsonMark): void {
    this.#chunks.length = chunks;
    this.#bytesInChunks = bytes;
    this.#at = 0;
    this.#chunk = new Uint8Array(0);
  }

  /** All bytes, in an array of their own. */
  toBytes(): Uint8Array<ArrayBuffer> {
    this.#endChunk();
    return joinBytes(this.#chunks);
  }

  #reserve(bytes: number): void {
    if (this.#chunk.length - this.#at >= bytes) return;
    this.#endChunk();
    this.#chunk = new Uint8Array(Math.max(CHUNK_BYTES, bytes));
  }

  #endChunk(): void {
    if (this.#at === 0) return;
    this.#chunks.push(this.#chunk.subarray(0, this.#at));
    this.#bytesInChunks += this.#at;
    this.#chunk = this.#chunk.subarray(this.#at);
    this.#at = 0;
  }
}

/** The same place in a text, or the one before it where it is in the midst of a character. */
function beforeSurrogate(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
