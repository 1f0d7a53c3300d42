/** The key that an origin and its replicas share. It signs consistency tokens, and claims about clients. */
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";

/** Minimum length of a key, in characters. */
export const MIN_TOKEN_KEY_LENGTH = 32;
/** Length of a signature, in characters. */
export const SIGNATURE_LENGTH = 64;

/**
 * Returns the bytes of a key.
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

/** Returns the signature of a text: an HMAC with SHA-256, in hexadecimal digits. */
export function signatureOf(text: string, key: Uint8Array): string {
  return bytesToHex(hmac(sha256, key, new TextEncoder().encode(text)));
}
