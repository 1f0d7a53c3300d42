/**
 * Multibase text: one prefix character that identifies the base, then the bytes in that base. Radicle writes
 * `z` (base58btc) and reads every base of the multibase crate 0.9.
 */
import {
  base16,
  base32,
  base32hex,
  base32hexnopad,
  base32nopad,
  base36,
  base58,
  base58flickr,
  base64,
  base64nopad,
  base64url,
  base64urlnopad,
} from "@scure/base";

interface Base {
  /** Throws when the text is not in this base. */
  decode(text: string): Uint8Array;
}

/** Creates a base of 2^bits, most significant digits first. Unused bits at the end must be zero. */
function powerOfTwo(alphabet: string, bits: number): Base {
  return {
    decode(text) {
      const bytes: number[] = [];
      let held = 0;
      let count = 0;
      for (const digit of text) {
        const value = alphabet.indexOf(digit);
        if (value < 0) throw new RangeError("Not a digit of this base");
        held = held << bits | value;
        count += bits;
        if (count >= 8) {
          count -= 8;
          bytes.push(held >> count);
          held &= (1 << count) - 1;
        }
      }
      if (held !== 0 || count >= bits) throw new RangeError("Not a whole number of bytes");
      return Uint8Array.from(bytes);
    },
  };
}

const base10: Base = {
  decode(text) {
    if (!/^[0-9]*$/.test(text)) throw new RangeError("Not a digit of this base");
    const zeros = text.length - text.replace(/^0+/, "").length;
    const hex = zeros === text.length ? "" : BigInt(text).toString(16);
    const digits = hex.length % 2 ? "0" + hex : hex;
    return Uint8Array.from([...new Uint8Array(zeros), ...base16.decode(digits.toUpperCase())]);
  },
};

/**
 * Wraps a base so that it accepts digits in either case. Digits must be US-ASCII, because case conversion
 * turns some other characters into US-ASCII letters.
 */
function folded(base: Base, toCase: (text: string) => string): Base {
  return {
    decode(text) {
      // deno-lint-ignore no-control-regex -- all of US-ASCII
      if (!/^[\x00-\x7f]*$/.test(text)) throw new RangeError("Not a digit of this base");
      return base.decode(toCase(text));
    },
  };
}

const anyUpper = (base: Base) => folded(base, (text) => text.toUpperCase());

const BASES: Readonly<Record<string, Base>> = {
  "\0": { decode: (text) => new TextEncoder().encode(text) },
  "0": powerOfTwo("01", 1),
  "7": powerOfTwo("01234567", 3),
  "9": base10,
  f: anyUpper(base16),
  F: base16,
  b: anyUpper(base32nopad),
  B: base32nopad,
  c: anyUpper(base32),
  C: base32,
  v: anyUpper(base32hexnopad),
  V: base32hexnopad,
  t: anyUpper(base32hex),
  T: base32hex,
  h: powerOfTwo("ybndrfg8ejkmcpqxot1uwisza345h769", 5),
  k: base36,
  K: folded(base36, (text) => text.toLowerCase()),
  z: base58,
  Z: base58flickr,
  m: base64nopad,
  M: base64,
  u: base64urlnopad,
  U: base64url,
};
/** Maximum length of a multibase text. Decoding bases 10, 36 and 58 takes time quadratic in the length. */
export const MAX_MULTIBASE_LENGTH = 1024;

/**
 * Decodes a multibase text; `undefined` when the prefix is unknown, a digit does not belong to the base, or
 * the text is longer than {@link MAX_MULTIBASE_LENGTH}.
 */
export function decodeMultibase(text: string): Uint8Array | undefined {
  const base = BASES[text[0] ?? ""];
  if (base === undefined || text.length > MAX_MULTIBASE_LENGTH) return undefined;
  try {
    return base.decode(text.slice(1));
  } catch {
    return undefined;
  }
}

/** Returns the canonical multibase text of the bytes: `z` and base58btc. */
export function encodeMultibase(bytes: Uint8Array): string {
  return "z" + base58.encode(bytes);
}
