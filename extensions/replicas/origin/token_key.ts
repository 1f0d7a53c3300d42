/** The key of an origin and its replicas. It signs consistency tokens, and claims about clients. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Fewest characters of a key. */
export const MIN_TOKEN_KEY_LENGTH = 32;
/** Characters of a signature. */
export const SIGNATURE_LENGTH = 64;

/**
 * The bytes of a key.
 *
 * @throws {TypeError} for a key of fewer than {@link MIN_TOKEN_KEY_LENGTH} characters.
 */
export function tokenKeyOf(text: string): Uint8Array {
  if (text.length < MIN_TOKEN_KEY_LENGTH) {
    throw new TypeError(
      `Cannot use the key of consistency tokens: expected at least ${MIN_TOKEN_KEY_LENGTH} characters`,
    );
  }
  return new TextEncoder().encode(text);
}

/** The signature of a text: HMAC with SHA-256, in hexadecimal digits. */
export function signatureOf(text: string, key: Uint8Array): string {
  return bytesToHex(hmac(sha256, key, new TextEncoder().encode(text)));
}
