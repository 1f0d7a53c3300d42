/**
 * Frames of git's wire protocol (gitprotocol-common): four hexadecimal digits of length, then the content.
 */
import { ApiError } from "../errors.ts";

/** Bytes of the length at the start of a frame. */
const LENGTH_BYTES = 4;
/** Lengths of frames without content: flush, delimiter, end of a response. */
const SPECIAL = new Set([0, 1, 2]);

const encoder = new TextEncoder();
/** Keeps one character for each byte. */
const decoder = new TextDecoder("latin1");

/** A frame with a text. */
export function pktLine(text: string): string {
  return (encoder.encode(text).length + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, "0") + text;
}

/** The frame that ends a list. */
export const FLUSH = "0000";

/**
 * Contents of the frames in a request, in order, with one character for each byte; frames without content
 * are left out.
 *
 * @throws {ApiError} `badRequest` when the bytes are no sequence of frames.
 */
export function* readPktLines(bytes: Uint8Array): Generator<string, void> {
  for (let at = 0; at < bytes.length;) {
    const digits = decoder.decode(bytes.subarray(at, at + LENGTH_BYTES));
    const length = /^[0-9a-f]{4}$/i.test(digits) ? parseInt(digits, 16) : NaN;
    if (SPECIAL.has(length)) {
      at += LENGTH_BYTES;
      continue;
    }
    if (!(length >= LENGTH_BYTES) || at + length > bytes.length) {
      throw new ApiError("badRequest", "Request body is not in git's protocol");
    }
    yield decoder.decode(bytes.subarray(at + LENGTH_BYTES, at + length));
    at += length;
  }
}
