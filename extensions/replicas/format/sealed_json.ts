/**
 * JSON documents with a digest of their own content, which detects damage: `{"digest":"<32 hexadecimal
 * digits>","content":…}`.
 */
import * as v from "valibot";
import { DamagedError, joinBytes } from "../../../src/mod.ts";
import { sha256Of } from "./keys.ts";

const BEFORE_DIGEST = '{"digest":"';
const AFTER_DIGEST = '","content":';
const END = "}";
const CONTENT_AT = BEFORE_DIGEST.length + 32 + AFTER_DIGEST.length;

/** Number of hexadecimal digits of a short digest. */
export const DIGEST_DIGITS = 32;

/** Returns a short digest that detects damage: the first 128 bits of the SHA-256, in hexadecimal digits. */
export function digestOf(...parts: readonly Uint8Array[]): string {
  return sha256Of(...parts).slice(0, DIGEST_DIGITS);
}

/** Description of a document in a bucket: its key, its maximum size, and its decoder. */
export interface BucketDocument<T> {
  readonly key: string;
  /** Maximum size of the document, in bytes. */
  readonly limitBytes: number;
  /**
   * @param modifiedMs Time of the document's last put in milliseconds since the epoch, by the clock of the
   *   bucket.
   * @throws {DamagedError}
   */
  readonly decode: (bytes: Uint8Array, modifiedMs: number) => T;
}

/** Description of a document with a digest of its own content. */
export interface SealedDocument<T> extends BucketDocument<T> {
  readonly decode: (bytes: Uint8Array) => T;
  readonly encode: (value: T) => Uint8Array<ArrayBuffer>;
}

/** The type of a decoded value, all of whose members are read-only. */
export type Immutable<T> = T extends string | number ? T : { readonly [K in keyof T]: Immutable<T[K]> };

/**
 * Returns the description of a document with this schema.
 *
 * @param check Throws `DamagedError` for faults that the schema cannot express.
 */
export function sealedDocument<S extends v.GenericSchema>(
  key: string,
  limitBytes: number,
  schema: S,
  check: (value: Immutable<v.InferOutput<S>>) => void = () => {},
): SealedDocument<Immutable<v.InferOutput<S>>> {
  return {
    key,
    limitBytes,
    encode: encodeSealed,
    decode(bytes) {
      const value = decodeSealed(bytes, schema, limitBytes) as Immutable<v.InferOutput<S>>;
      check(value);
      return value;
    },
  };
}

/** Encodes a JSON value as a document with a digest. */
export function encodeSealed(value: unknown): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const content = encoder.encode(JSON.stringify(value));
  return joinBytes([
    encoder.encode(BEFORE_DIGEST + digestOf(content) + AFTER_DIGEST),
    content,
    encoder.encode(END),
  ]);
}

/**
 * Decodes a document with a digest.
 *
 * @param limitBytes Maximum size of the document, in bytes.
 * @throws {DamagedError} when the document is too long, damaged, or does not match the schema.
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
      throw new DamagedError(`${name} does not match its digest`);
    }
    value = JSON.parse(decoder.decode(content));
  } catch (cause) {
    if (cause instanceof DamagedError) throw cause;
    throw new DamagedError(`${name} is not JSON`, { cause });
  }
  const { success, output, issues } = v.safeParse(schema, value);
  if (success) return output;
  const format = (value as { readonly format?: unknown } | null)?.format;
  if (typeof format === "number" && issues.some(({ path }) => path?.[0]?.key === "format")) {
    throw new DamagedError(
      `${name} has the format ${format}: publish again with the version of this program`,
    );
  }
  throw new DamagedError(`${name} is of another form: ${issues[0].message}`);
}
