/** Bytes that cannot be compressed. */

/** Returns this number of bytes, a multiple of four. The same seed gives the same bytes. */
export function noise(length: number, seed: number = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(length / 4);
  for (let at = 0, state = seed; at < words.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  return new Uint8Array(words.buffer);
}
