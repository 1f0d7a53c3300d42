/**
 * Multibase text: one prefix character that names the base, then the bytes in that base.
 * Radicle writes `z` (base58btc) and reads every base of the multibase crate 0.9.
 */
import {
  base16,
  base32,
  base32hex,
  base32hexnopad,
  base32nopad,
  base58,
  base58flickr,
  base64,
  base64nopad,
  base64url,
  base64urlnopad,
  utils,
} from "@scure/base";

interface Base {
  /** Bytes of the text, or a throw when the text is not of this base. */
  decode(text: string): Uint8Array;
  /** Which case the digits are brought to before decoding; none when case matters. */
  readonly fold?: "upper" | "lower";
}

const octal = utils.chain(utils.radix2(3), utils.alphabet("01234567"), utils.join(""));
const binary = utils.chain(utils.radix2(1), utils.alphabet("01"), utils.join(""));
const base10 = utils.chain(utils.radix(10), utils.alphabet("0123456789"), utils.join(""));
const base36 = utils.chain(
  utils.radix(36),
  utils.alphabet("0123456789abcdefghijklmnopqrstuvwxyz"),
  utils.join(""),
);
const zBase32 = utils.chain(
  utils.radix2(5),
  utils.alphabet("ybndrfg8ejkmcpqxot1uwisza345h769"),
  utils.join(""),
);

const BASES: Readonly<Record<string, Base>> = {
  "\0": { decode: (text) => new TextEncoder().encode(text) },
  "0": binary,
  "7": octal,
  "9": base10,
  f: { decode: base16.decode, fold: "upper" },
  F: base16,
  b: { decode: base32nopad.decode, fold: "upper" },
  B: base32nopad,
  c: { decode: base32.decode, fold: "upper" },
  C: base32,
  v: { decode: base32hexnopad.decode, fold: "upper" },
  V: base32hexnopad,
  t: { decode: base32hex.decode, fold: "upper" },
  T: base32hex,
  h: zBase32,
  k: base36,
  K: { decode: base36.decode, fold: "lower" },
  z: base58,
  Z: base58flickr,
  m: base64nopad,
  M: base64,
  u: base64urlnopad,
  U: base64url,
};
/** Longer texts are refused unread: decoding base 10, 36 and 58 takes time quadratic in the length. */
export const MAX_MULTIBASE_LENGTH = 1024;

/** The bytes of a multibase text; `undefined` when the prefix is unknown or the digits do not fit it. */
export function decodeMultibase(text: string): Uint8Array | undefined {
  const base = BASES[text[0] ?? ""];
  if (base === undefined || text.length > MAX_MULTIBASE_LENGTH) return undefined;
  const digits = text.slice(1);
  try {
    return base.decode(
      base.fold === "upper" ? digits.toUpperCase() : base.fold === "lower" ? digits.toLowerCase() : digits,
    );
  } catch {
    return undefined;
  }
}

/** Canonical multibase text of the bytes: `z` and base58btc. */
export function encodeMultibase(bytes: Uint8Array): string {
  return "z" + base58.encode(bytes);
}
