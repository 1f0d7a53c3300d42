/**
 * JSON documents with a digest of their own text, by which a damaged document is told from a sound one:
 * `{"digest":"<32 hexadecimal digits>","content":…}`.
 */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import { sha256Of } from "./keys.ts";

const BEFORE_DIGEST = '{"digest":"';
const AFTER_DIGEST = '","content":';
const END = "}";
const CONTENT_AT = BEFORE_DIGEST.length + 32 + AFTER_DIGEST.length;

/** Hexadecimal digits of a short digest. */
export const DIGEST_DIGITS = 32;

/** A short digest of bytes, against damage: the first 128 bits of their SHA-256, in hexadecimal digits. */
export function digestOf(...parts: readonly Uint8Array[]): string {
  return sha256Of(...parts).slice(0, DIGEST_DIGITS);
}

/** Encodes a value of JSON as a document. */
export function encodeSealed(value: unknown): Uint8Array<ArrayBuffer> {
  const content = new TextEncoder().encode(JSON.stringify(value));
  const before = new TextEncoder().encode(BEFORE_DIGEST + digestOf(content) + AFTER_DIGEST);
  const bytes = new Uint8Array(before.length + content.length + END.length);
  bytes.set(before);
  bytes.set(content, before.length);
  bytes.set(new TextEncoder().encode(END), before.length + content.length);
  return bytes;
}

/**
 * Decodes a document.
 *
 * @param limitBytes Most bytes of the document.
 * @throws {DamagedError} when the document is too long, damaged, or not what the schema describes.
 */
export function decodeSealed<S extends v.GenericSchema>(
  bytes: Uint8Array,
  schema: S,
  limitBytes: number,
): v.InferOutput<S> {
  const name = "A published document";
  if (bytes.length > limitBytes) throw new DamagedError(`${name} is longer than ${limitBytes} bytes`);
  if (bytes.length <= CONTENT_AT) throw new DamagedError(`${name} is cut short`);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const content = bytes.subarray(CONTENT_AT, bytes.length - END.length);
  let value: unknown;
  try {
    const frame = decoder.decode(bytes.subarray(0, CONTENT_AT)) + decoder.decode(bytes.subarray(-END.length));
    if (frame !== BEFORE_DIGEST + digestOf(content) + AFTER_DIGEST + END) {
      throw new DamagedError(`${name} has another digest than it says`);
    }
    value = JSON.parse(decoder.decode(content));
  } catch (cause) {
    if (cause instanceof DamagedError) throw cause;
    throw new DamagedError(`${name} is no JSON`, { cause });
  }
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  throw new DamagedError(`${name} is of another form: ${issues[0].message}`);
}
