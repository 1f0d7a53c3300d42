/** Writes JSON as UTF-8 in pieces. A piece is text, or bytes that are already UTF-8. */
import { releaseBytes } from "../../bytes/bytes.ts";
import { textParts } from "../../text/utf8.ts";

/** Size of the first buffer, in bytes. */
const FIRST_BYTES = 2 ** 16;
/** Number of characters that are written at once. */
const TEXT_LENGTH = 2 ** 18;
/** Number of bytes of a JSON string that are written at once. */
const SLICE_BYTES = 2 ** 13;
/**
 * First value: length of a JSON string from which on the runtime escapes faster than a loop in this file, in
 * bytes. Second value: size of the pieces in which such a string is decoded, in bytes.
 */
const [LONG_STRING_BYTES, TEXT_SLICE_BYTES] = [2 ** 10, 2 ** 16];
/** Maximum length of an escaped byte in a string, in bytes. */
const MAX_ESCAPE_BYTES = 6;
/** Maximum length of a UTF-8 character, in bytes. */
const MAX_UTF8_BYTES = 4;
/** Maximum length of a UTF-16 code unit in UTF-8, in bytes. */
const MAX_UNIT_BYTES = 3;
/** Maximum number of digits of a number. */
const MAX_DIGITS = 16;

const [QUOTE, BACKSLASH, SPACE, ZERO] = [0x22, 0x5c, 0x20, 0x30];

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Escape sequences of the control characters. */
const CONTROLS = Array.from(
  { length: SPACE },
  (_, code) => encoder.encode(JSON.stringify(String.fromCharCode(code)).slice(1, -1)),
);

export class JsonBytes {
  #buffer = new Uint8Array(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    if (text.length > TEXT_LENGTH) {
      for (const part of textParts(text, TEXT_LENGTH)) this.write(part);
      return;
    }
    this.#reserve(MAX_UNIT_BYTES * text.length);
    this.#length += encoder.encodeInto(text, this.#buffer.subarray(this.#length)).written;
  }

  /** Writes a few bytes that are already JSON. */
  writeBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    const buffer = this.#buffer;
    let at = this.#length;
    for (let i = 0; i < bytes.length; i++) buffer[at++] = bytes[i]!;
    this.#length = at;
  }

  /** Writes a non-negative integer. */
  writeNumber(value: number): void {
    this.#reserve(MAX_DIGITS);
    let digits = 1;
    for (let limit = 10; value >= limit; limit *= 10) digits++;
    for (let i = digits - 1, left = value; i >= 0; i--) {
      const tens = Math.floor(left / 10);
      this.#buffer[this.#length + i] = ZERO + left - 10 * tens;
      left = tens;
    }
    this.#length += digits;
  }

  /**
   * Writes UTF-8 bytes as the content of a string without quotation marks, escaped as by `JSON.stringify`.
   */
  writeString(bytes: Uint8Array, start: number, end: number): void {
    if (end - start >= LONG_STRING_BYTES) return this.#writeLongString(bytes, start, end);
    for (let from = start; from < end; from += SLICE_BYTES) {
      const to = Math.min(from + SLICE_BYTES, end);
      this.#reserve(MAX_ESCAPE_BYTES * (to - from));
      const buffer = this.#buffer;
      let at = this.#length;
      for (let i = from; i < to; i++) {
        const byte = bytes[i]!;
        if (byte >= SPACE && byte !== QUOTE && byte !== BACKSLASH) {
          buffer[at++] = byte;
        } else if (byte >= SPACE) {
          buffer[at++] = BACKSLASH;
          buffer[at++] = byte;
        } else {
          const escape = CONTROLS[byte]!;
          for (let k = 0; k < escape.length; k++) buffer[at++] = escape[k]!;
        }
      }
      this.#length = at;
    }
  }

  #writeLongString(bytes: Uint8Array, start: number, end: number): void {
    for (let from = start; from < end;) {
      const to = beforeCharacter(bytes, Math.min(from + TEXT_SLICE_BYTES, end), end);
      this.write(JSON.stringify(decoder.decode(bytes.subarray(from, to))).slice(1, -1));
      from = to;
    }
  }

  /** Removes everything that was written beyond this length. */
  returnTo(length: number): void {
    this.#length = length;
  }

  /** Returns all bytes in a new array. Nothing can be written afterwards. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const bytes = this.#buffer.slice(0, this.#length);
    releaseBytes(this.#buffer);
    this.#buffer = new Uint8Array(0);
    return bytes;
  }

  #reserve(bytes: number): void {
    const wanted = this.#length + bytes;
    if (this.#buffer.length >= wanted) return;
    const larger = new Uint8Array(Math.max(2 * this.#buffer.length, wanted));
    larger.set(this.#buffer.subarray(0, this.#length));
    releaseBytes(this.#buffer);
    this.#buffer = larger;
  }
}

/** Returns the start of the UTF-8 character that contains an offset. */
function beforeCharacter(bytes: Uint8Array, at: number, end: number): number {
  if (at === end) return at;
  let start = at;
  while (start > at - MAX_UTF8_BYTES && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
