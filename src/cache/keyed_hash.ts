/**
 * HalfSipHash-2-4 (https://github.com/veorq/SipHash), a hash of 32 bits under a secret key: whoever chooses
 * the texts cannot choose which of them collide.
 */

/** A key: two integers of 32 bits. */
export type HashKey = readonly [number, number];

/** A key that nobody can guess. */
export function randomHashKey(): HashKey {
  const [first = 0, second = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [first, second];
}

/**
 * Hash of the UTF-16 of a text, in little endian.
 *
 * @returns Integer from 0 to 2³² - 1.
 */
export function keyedHash(text: string, [k0, k1]: HashKey): number {
  let [v0, v1, v2, v3] = [k0 | 0, k1 | 0, k0 ^ 0x6c796765, k1 ^ 0x74656462];
  const words = text.length >>> 1;
  // Two code units in a word, then a word with the length and with what is left; the word after it is none.
  for (let i = 0; i <= words + 1; i++) {
    let word = 0;
    if (i < words) word = text.charCodeAt(2 * i) | text.charCodeAt(2 * i + 1) << 16;
    else if (i > words) v2 ^= 0xff;
    else word = text.length << 25 | (text.length & 1 ? text.charCodeAt(2 * i) : 0);
    v3 ^= word;
    for (let round = i > words ? 4 : 2; round > 0; round--) {
      v0 = v0 + v1 | 0;
      v1 = (v1 << 5 | v1 >>> 27) ^ v0;
      v0 = v0 << 16 | v0 >>> 16;
      v2 = v2 + v3 | 0;
      v3 = (v3 << 8 | v3 >>> 24) ^ v2;
      v0 = v0 + v3 | 0;
      v3 = (v3 << 7 | v3 >>> 25) ^ v0;
      v2 = v2 + v1 | 0;
      v1 = (v1 << 13 | v1 >>> 19) ^ v2;
      v2 = v2 << 16 | v2 >>> 16;
    }
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}
