import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

const DIGEST_DIGITS = 32;

/** Returns a short digest of a text: the first 128 bits of its SHA-256, in hexadecimal digits. */
export function digest(text: string): string {
  return new TextDigest().add(text).end();
}

/** Computes the {@link digest} of a text that is added in pieces. */
export class TextDigest {
  readonly #hash = sha256.create();

  add(text: string): this {
    this.#hash.update(utf8ToBytes(text));
    return this;
  }

  end(): string {
    return bytesToHex(this.#hash.digest()).slice(0, DIGEST_DIGITS);
  }
}

/** Checks whether two texts are equal. The duration depends only on the length of `guess`. */
export function isSameSecret(secret: string, guess: string): boolean {
  let difference = secret.length ^ guess.length;
  for (let i = 0; i < guess.length; i++) {
    difference |= guess.charCodeAt(i) ^ secret.charCodeAt(i % secret.length);
  }
  return difference === 0;
}
