/** Decodes data URIs (RFC 2397): `data:[<type>/<subtype>][;<name>=<value>]…[;base64],<data>`. */
import { base64 } from "@scure/base";
import { joinBytes } from "../bytes/bytes.ts";
import type { Steps } from "../scheduling/task.ts";
import { decodeInSteps } from "./utf8.ts";

const PERCENT = 0x25;

// A part of a media type. All other characters are escaped (RFC 2397, 3).
const TOKEN = String.raw`(?:[\w!#$&+.^\x60{}|~*'-]|%[0-9A-Fa-f]{2})+`;
/** Matches the header of the URI: the part before the first comma. */
const HEAD = new RegExp(`^data:(?:${TOKEN}/${TOKEN})?(?:;${TOKEN}=${TOKEN})*(?<base64>;base64)?$`, "i");

/**
 * Maximum length of the header, in characters. Real data URIs have headers with some dozens of characters.
 */
export const MAX_DATA_HEAD_LENGTH = 1024;

/** The value is 1 for each character that the data of a URI may contain (RFC 3986, 2), except `%`. */
const IS_URI_CHARACTER = new Uint8Array(256);
for (
  const byte of new TextEncoder().encode(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?[]@!$&'()*+,;=",
  )
) IS_URI_CHARACTER[byte] = 1;

/**
 * Number of characters decoded in one step. It is a multiple of four, because base64 has groups of four
 * characters.
 */
const STEP_LENGTH = 64 * 1024;

/**
 * Decodes a data URI. The data must be standard base64 with padding if the header ends with `;base64`, and
 * percent-encoded otherwise. Returns `undefined` if any character is invalid.
 */
export function* readDataUri(text: string): Steps<Uint8Array<ArrayBuffer> | undefined> {
  const comma = text.slice(0, MAX_DATA_HEAD_LENGTH + 1).indexOf(",");
  const head = HEAD.exec(text.slice(0, Math.max(comma, 0)));
  if (head === null) return undefined;
  const data = text.slice(comma + 1);
  if (head.groups?.["base64"] === undefined) return yield* decodePercent(data);
  if (!data.includes("%")) return yield* decodeBase64(data);
  const escaped = yield* decodePercent(data);
  return escaped && (yield* decodeBase64(yield* decodeInSteps(escaped, new TextDecoder())));
}

function* decodeBase64(text: string): Steps<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  // Padding can only be at the end of the last part.
  const padding = text.indexOf("=");
  if (padding >= 0 && padding < text.length - 2) return undefined;
  for (let at = 0; at < text.length; at += STEP_LENGTH) {
    try {
      parts.push(base64.decode(text.slice(at, at + STEP_LENGTH)));
    } catch {
      return undefined;
    }
    yield undefined;
  }
  return joinBytes(parts);
}

/** Decodes a percent-encoded text; `undefined` when the text has a character that URIs cannot contain. */
function* decodePercent(text: string): Steps<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = new TextEncoder().encode(text);
  let length = 0;
  for (let i = 0, pauseAt = STEP_LENGTH; i < bytes.length; i++) {
    let byte = bytes[i]!;
    if (byte === PERCENT) {
      byte = 16 * hexDigit(bytes[i + 1]) + hexDigit(bytes[i + 2]);
      if (Number.isNaN(byte)) return undefined;
      i += 2;
    } else if (IS_URI_CHARACTER[byte] === 0) return undefined;
    bytes[length++] = byte;
    if (i < pauseAt) continue;
    pauseAt += STEP_LENGTH;
    yield undefined;
  }
  return bytes.subarray(0, length);
}

/** Returns the value of a hexadecimal digit, or NaN for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : NaN;
}
