/** Integers of 64 bits: numbers as far as these are exact, else bigints. */

/** A number that is exact, or a bigint beyond. Both kinds can be compared with `<` and `>`. */
export type Integer = number | bigint;

const MIN = -(2n ** 63n);
const MAX = 2n ** 64n - 1n;
/** Digits of an integer that a number always holds. */
const SHORT_DIGITS = 15;
/** Digits from which on an integer is beyond {@link MAX}. */
const LONG_DIGITS = 21;

/** Reads a sign and digits. As in git, an integer beyond 64 bits becomes the nearest one within. */
export function parseInteger(text: string): Integer {
  const sign = text.startsWith("-") ? -1n : 1n;
  const digits = text.replace(/^[+-]?0*/, "");
  if (digits.length <= SHORT_DIGITS) return Number(`${sign < 0n ? "-" : ""}${digits || "0"}`) + 0;
  const value = digits.length >= LONG_DIGITS ? sign * (MAX + 1n) : sign * BigInt(digits);
  const held = value < MIN ? MIN : value > MAX ? MAX : value;
  return Number.isSafeInteger(Number(held)) ? Number(held) : held;
}

/** `JSON` with what runtimes have beyond the types of this compiler (ECMAScript, JSON.rawJSON). */
const json = JSON as JSON & { rawJSON(text: string): unknown };

/** The value that `JSON.stringify` writes as exactly this integer. Its type is that of what clients read. */
export function toJsonInteger(value: Integer): number {
  return typeof value === "number" ? value : json.rawJSON(String(value)) as number;
}
