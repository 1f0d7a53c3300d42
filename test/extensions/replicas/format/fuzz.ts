/** Damages bytes in many ways, by a fixed seed. */
import assert from "node:assert/strict";
import { DamagedError } from "../../../../src/errors.ts";

/** Numbers from 0 up to 1, exclusive, the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
  };
}

/** Flips bits, cuts, lengthens and overwrites bytes, each many times. */
export function* damaged(bytes: Uint8Array, times: number): Generator<Uint8Array<ArrayBuffer>> {
  const random = randomNumbers(23);
  const below = (end: number) => Math.floor(random() * end);
  for (let i = 0; i < times; i++) {
    const flipped = new Uint8Array(bytes);
    flipped[below(bytes.length)]! ^= 1 << below(8);
    yield flipped;
    yield bytes.slice(0, below(bytes.length));
    const longer = new Uint8Array(bytes.length + 1 + below(9));
    longer.set(bytes);
    yield longer;
    const overwritten = new Uint8Array(bytes);
    const at = below(bytes.length);
    for (let j = at; j < Math.min(at + 4, bytes.length); j++) overwritten[j] = random() < 0.5 ? 0xff : 0;
    if (overwritten.some((byte, i) => byte !== bytes[i])) yield overwritten;
  }
}

/** Asserts that a decoder refuses all damaged bytes. */
export function assertRefusesDamage(bytes: Uint8Array, times: number, decode: (bytes: Uint8Array) => void) {
  decode(bytes);
  for (const wrong of damaged(bytes, times)) assert.throws(() => decode(wrong), DamagedError);
}
