/** 64-bit integers. Each integer is a number if a number can represent it exactly, otherwise a bigint. */

/**
 * An integer: a number if a number can represent it exactly, otherwise a bigint. Numbers and bigints can be
 * compared with `<` and `>`.
 */
export type Integer = number | bigint;

const MIN = -(2n ** 63n);
const MAX = 2n ** 64n - 1n;
/** Integers with this number of digits or less are always exact as numbers. */
const SHORT_DIGITS = 15;
/** Integers with this number of digits or more exceed {@link MAX}. */
const LONG_DIGITS = 21;

/** Parses a sign and digits. An integer beyond 64 bits becomes the nearest 64-bit integer, as in git. */
export function parseInteger(text: string): Integer {
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length <= SHORT_DIGITS) return Number(`${sign < 0n ? "-" : ""}${digits || "0"}`) + 0;
  const value = digits.length >= LONG_DIGITS ? sign * (MAX + 1n) : sign * BigInt(digits);
  const held = value < MIN ? MIN : value > MAX ? MAX : value;
  return Number.isSafeInteger(Number(held)) ? Number(held) : held;
}

/** `JSON` with `rawJSON` (ECMAScript), which the type definitions of this compiler lack. */
const json = JSON as JSON & { rawJSON(text: string): unknown };

/**
 * Returns the value that `JSON.stringify` writes as exactly this integer. The declared type is `number`,
 * because clients read a number.
 */
export function toJsonInteger(value: Integer): number {
  return typeof value === "number" ? value : json.rawJSON(String(value)) as number;
}
