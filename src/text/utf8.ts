/**
 * Texts as UTF-8. Decoding runs in steps, because malformed bytes can take twenty milliseconds per MiB in
 * some encodings.
 */
import type { Steps } from "../scheduling/task.ts";

/**
 * Number of bytes decoded in one step. A longer text is decoded in pieces. Joining the pieces copies them
 * once more.
 */
export const DECODED_AT_ONCE_BYTES: number = 2 ** 16;

/**
 * Decodes bytes as `decoder` does. The state of `decoder` does not change.
 *
 * @throws {TypeError} when `decoder` would throw it.
 */
export function* decodeInSteps(bytes: Uint8Array, decoder: TextDecoder): Steps<string> {
  if (bytes.length <= DECODED_AT_ONCE_BYTES) return decoder.decode(bytes);
  const { encoding, fatal, ignoreBOM } = decoder;
  const own = new TextDecoder(encoding, { fatal, ignoreBOM });
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += DECODED_AT_ONCE_BYTES) {
    parts.push(own.decode(bytes.subarray(at, at + DECODED_AT_ONCE_BYTES), { stream: true }));
    yield undefined;
  }
  return parts.join("") + own.decode();
}

/** Number of UTF-16 units compared at once in long texts. */
const PART_UNITS = 4096;

/**
 * Compares two texts by their UTF-8 bytes, which is the order of code points. Returns a negative number, zero
 * or a positive number when `a` sorts before, equal to or after `b`.
 */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  // Comparing slices for equality is much faster than comparing single units.
  while (i + PART_UNITS <= length && a.slice(i, i + PART_UNITS) === b.slice(i, i + PART_UNITS)) {
    i += PART_UNITS;
  }
  for (; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/**
 * Splits a text into parts, but never inside a surrogate pair.
 *
 * @param length Maximum length of a part, in UTF-16 units; at least 2.
 */
export function* textParts(text: string, length: number): Generator<string> {
  if (text.length <= length) return yield text;
  for (let start = 0; start < text.length;) {
    const isSplit = (text.charCodeAt(start + length - 1) & 0xfc00) === 0xd800;
    const end = start + length - (isSplit ? 1 : 0);
    yield text.slice(start, end);
    start = end;
  }
}
