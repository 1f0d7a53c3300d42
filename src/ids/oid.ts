/** Git object ids (specification, 2.1): SHA-1, 20 bytes, written as 40 lower-case hexadecimal digits. */
import { UnreadableIdError } from "../errors.ts";

/** A git object id: 40 lower-case hexadecimal digits. The property `__oid` exists only for the compiler. */
export type Oid = string & { readonly __oid: true };

/** Number of bytes in an object id. */
export const OID_BYTES = 20;

const FULL = /^[0-9a-f]{40}$/;
const ACCEPTED = /^[0-9a-fA-F]{1,40}$/;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Checks whether the text is a full object id as git writes it. */
export function isOid(text: string): text is Oid {
  return FULL.test(text);
}

/**
 * Parses an object id of 1 to 40 digits in either case, as libgit2 does. A short id is padded with zeros on
 * the right.
 *
 * @throws {UnreadableIdError} when the text is not an object id.
 */
export function parseOid(text: string): Oid {
  if (!ACCEPTED.test(text)) {
    throw new UnreadableIdError(
      `Cannot read object id "${text}": expected 1 to 40 hexadecimal digits`,
    );
  }
  return text.toLowerCase().padEnd(40, "0") as Oid;
}

/** Returns the object id of 20 bytes that start at `offset`. */
export function oidFromBytes(bytes: Uint8Array, offset = 0): Oid {
  let text = "";
  for (let i = offset; i < offset + OID_BYTES; i++) text += HEX[bytes[i] ?? 0];
  return text as Oid;
}

/** Values of hexadecimal digits by character code; 0xff for all other characters. */
const DIGITS = new Uint8Array(256).fill(0xff);
for (let value = 0; value < 16; value++) DIGITS[value.toString(16).charCodeAt(0)] = value;

/**
 * Writes the 20 bytes of an id into `into`, beginning at `offset`. `oid` may also be bytes that begin with
 * the id.
 */
export function writeOid(oid: Oid | Uint8Array, into: Uint8Array, offset: number): void {
  if (typeof oid !== "string") {
    for (let i = 0; i < OID_BYTES; i++) into[offset + i] = oid[i]!;
    return;
  }
  for (let i = 0; i < OID_BYTES; i++) {
    into[offset + i] = DIGITS[oid.charCodeAt(2 * i)]! << 4 | DIGITS[oid.charCodeAt(2 * i + 1)]!;
  }
}

/**
 * Decodes the 40 digits of an id at `at` into 20 bytes at `offset`. Returns whether all 40 characters are
 * digits.
 */
export function readDigits(digits: Uint8Array, at: number, into: Uint8Array, offset: number): boolean {
  let all = 0;
  for (let i = 0; i < OID_BYTES; i++) {
    const high = DIGITS[digits[at + 2 * i]!]!;
    const low = DIGITS[digits[at + 2 * i + 1]!]!;
    all |= high | low;
    into[offset + i] = high << 4 | low;
  }
  return all < 16 && at + 2 * OID_BYTES <= digits.length;
}

/** Returns the 20 bytes of an object id. */
export function oidToBytes(id: Oid): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(OID_BYTES);
  writeOid(id, bytes, 0);
  return bytes;
}
