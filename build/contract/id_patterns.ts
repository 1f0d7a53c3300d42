/**
 * Regular expressions for ids in each base of multibase (`src/ids/multibase.ts`), in the form that JSON
 * Schema needs: ECMA-262 patterns without the anchors at their start and end.
 */
import { SIGNATURE_BYTES } from "../../src/keys/ed25519.ts";

/** The bytes that a text encodes. */
interface ByteForm {
  readonly length: number;
  /** Bytes with which all of them begin. */
  readonly start: readonly number[];
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DECIMAL = "0123456789";
const BASE64 = UPPER + LOWER + DECIMAL;
const BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BASE58_FLICKR = "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";

/**
 * Bases of 2^bits: prefix, digits, whether upper and lower case are equal, and the number of digits to which
 * padding fills.
 */
const POWERS: readonly (readonly [prefix: string, alphabet: string, isFolded?: boolean, block?: number])[] = [
  ["0", "01"],
  ["7", "01234567"],
  ["f", DECIMAL + "abcdef", true],
  ["F", DECIMAL + "ABCDEF"],
  ["b", LOWER + "234567", true],
  ["B", UPPER + "234567"],
  ["c", LOWER + "234567", true, 8],
  ["C", UPPER + "234567", false, 8],
  ["v", DECIMAL + LOWER.slice(0, 22), true],
  ["V", DECIMAL + UPPER.slice(0, 22)],
  ["t", DECIMAL + LOWER.slice(0, 22), true, 8],
  ["T", DECIMAL + UPPER.slice(0, 22), false, 8],
  ["h", "ybndrfg8ejkmcpqxot1uwisza345h769"],
  ["m", BASE64 + "+/"],
  ["M", BASE64 + "+/", false, 4],
  ["u", BASE64 + "-_"],
  ["U", BASE64 + "-_", false, 4],
];

/** Bases that write the bytes as one number, after a digit for each zero byte at the start. */
const NUMBERS: readonly (readonly [prefix: string, alphabet: string, isFolded?: boolean])[] = [
  ["z", BASE58],
  ["Z", BASE58_FLICKR],
  ["9", DECIMAL],
  ["k", DECIMAL + LOWER],
  ["K", DECIMAL + LOWER, true],
];

/**
 * Bits at the start of a number that are compared with its bounds. So a pattern misses two ranges of ids,
 * next to its first and its last id, each with less than one id in 2^24. The first and the last id themselves
 * match. A pattern with all bits would be ten times as long.
 */
const BOUND_BITS = 24;
/** The same after zero bytes at the start, at least. */
const LEAST_BITS = 11;
/**
 * Most zero bytes at the start that patterns accept. Ids with more are one in 2^40; of these, patterns accept
 * only the id of zeros.
 */
const MAX_ZEROS = 4;

/**
 * A pattern for the bytes in all bases, canonical ones first. Plain text has only US-ASCII, because a regular
 * expression cannot count bytes.
 */
function textsOf(form: ByteForm): string {
  const isPlain = form.start.every((byte) => byte < 128);
  return either([
    ...NUMBERS.map(([prefix, alphabet, isFolded = false]) => prefix + numbers(form, alphabet, isFolded)),
    ...POWERS.map((base) => base[0] + digits(form, base)),
    ...(isPlain ? [`\\u0000[\\u0000-\\u007f]{${form.length}}`] : []),
  ]);
}

/** A pattern for bytes in a base of 2^bits. Bits after the last byte are zero. */
function digits(
  { length, start }: ByteForm,
  [, alphabet, isFolded, block = 1]: typeof POWERS[number],
): string {
  const bits = Math.log2(alphabet.length);
  const count = Math.ceil(8 * length / bits);
  const known = start.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const any = oneOf(alphabet, isFolded);
  let pattern = "";
  for (let at = 0, repeated = 1; at < count; at += repeated, repeated = 1) {
    const digit = digitAt(at);
    while (at + repeated < count && digitAt(at + repeated) === digit) repeated++;
    pattern += times(digit, repeated);
  }
  return pattern + times("=", Math.ceil(count / block) * block - count);

  function digitAt(at: number): string {
    if (at * bits >= known.length && (at + 1) * bits <= 8 * length) return any;
    const form = Array.from({ length: bits }, (_, i) => {
      const place = at * bits + i;
      return place >= 8 * length ? "0" : known[place] ?? ".";
    }).join("");
    const fitting = new RegExp(`^${form}$`);
    return oneOf(
      [...alphabet].filter((_, value) => fitting.test(value.toString(2).padStart(bits, "0"))).join(""),
      isFolded,
    );
  }
}

/** A pattern for bytes that are written as a number. */
function numbers({ length, start }: ByteForm, alphabet: string, isFolded: boolean): string {
  const zero = alphabet[0]!;
  if (start.length > 0) return numbersFrom(boundsOf(length, start), BOUND_BITS);
  const zeros = Array.from({ length: MAX_ZEROS + 1 }, (_, count) => {
    const bounds = boundsOf(length - count, [1], [255]);
    return times(zero, count) + numbersFrom(bounds, Math.max(BOUND_BITS - 8 * count, LEAST_BITS));
  });
  return either([...zeros, times(zero, length)]);

  function numbersFrom([low, high]: readonly [bigint, bigint], bits: number): string {
    const [first, last] = [digitsOf(low, alphabet), digitsOf(high, alphabet)];
    const depth = Math.ceil(bits / Math.log2(alphabet.length));
    const any = oneOf(alphabet, isFolded);
    const bound = { alphabet, isFolded, any };
    if (first.length === last.length) return within(first, last, { ...bound, depth });
    const between = Array.from({ length: last.length - first.length - 1 }, (_, i) => {
      const rest = first.length + i;
      return oneOf(alphabet.slice(1), isFolded) + times(any, rest);
    });
    const largest = alphabet.at(-1)!.repeat(first.length);
    const smallest = alphabet[1]! + zero.repeat(last.length - 1);
    return either([
      within(first, largest, { ...bound, depth }),
      ...between,
      within(smallest, last, { ...bound, depth }),
    ]);
  }
}

interface Bound {
  readonly alphabet: string;
  readonly isFolded: boolean;
  /** The pattern of any digit. */
  readonly any: string;
  /** Digits that are compared after the first different one. */
  readonly depth: number;
}

/** A pattern for numbers of equal length between two bounds, inclusive. */
function within(first: string, last: string, bound: Bound): string {
  const { alphabet, isFolded, any, depth } = bound;
  // Digits of numbers are letters and digits, which need no escape in a pattern.
  const literal = (text: string) =>
    isFolded ? [...text].map((digit) => oneOf(digit, isFolded)).join("") : text;
  if (first === last) return literal(first);
  const rest = first.length - 1;
  if (first[0] === last[0]) return literal(first[0]!) + within(first.slice(1), last.slice(1), bound);
  const [zero, highest] = [alphabet[0]!, alphabet.at(-1)!];
  let [from, to] = [alphabet.indexOf(first[0]!), alphabet.indexOf(last[0]!)];
  const parts: string[] = [];
  if (first.slice(1) !== zero.repeat(rest)) {
    from++;
    parts.push(atBound(first, highest.repeat(rest)));
  }
  if (last.slice(1) !== highest.repeat(rest)) {
    to--;
    parts.push(atBound(last, zero.repeat(rest)));
  }
  if (from <= to) {
    parts.push(oneOf(alphabet.slice(from, to + 1), isFolded) + times(any, rest));
  }
  return either(parts);

  /** Numbers that share the first digit with a bound and go up to `end`. */
  function atBound(text: string, end: string): string {
    const [one, other] = end[0] === highest ? [text.slice(1), end] : [end, text.slice(1)];
    return depth === 0
      ? literal(text)
      : literal(text[0]!) + within(one, other, { ...bound, depth: depth - 1 });
  }
}

/** The first and the last number whose bytes begin with `start`. */
function boundsOf(
  length: number,
  first: readonly number[],
  last = first,
): readonly [low: bigint, high: bigint] {
  const number = (start: readonly number[], rest: number) =>
    Array.from({ length }, (_, i) => start[i] ?? rest)
      .reduce((value, byte) => value << 8n | BigInt(byte), 0n);
  return [number(first, 0), number(last, 255)];
}

function digitsOf(value: bigint, alphabet: string): string {
  const base = BigInt(alphabet.length);
  let text = "";
  for (let left = value; left > 0n; left /= base) text = alphabet[Number(left % base)] + text;
  return text;
}

/** A character class of the given characters, in any order. */
function oneOf(characters: string, isFolded = false): string {
  const all = isFolded ? characters.toLowerCase() + characters.toUpperCase() : characters;
  const points = [...new Set(all)].map((one) => one.codePointAt(0)!).sort((a, b) => a - b);
  if (points.length === 1) return escaped(points[0]!);
  let set = "";
  for (let at = 0, end = 0; at < points.length; at = ++end) {
    while (points[end + 1] === points[end]! + 1) end++;
    const [first, last] = [points[at]!, points[end]!];
    set += end - at > 1
      ? `${escaped(first)}-${escaped(last)}`
      : points.slice(at, end + 1).map(escaped).join("");
  }
  return `[${set}]`;
}

function escaped(point: number): string {
  const text = String.fromCodePoint(point);
  return /[\w=]/.test(text) ? text : `\\${text}`;
}

function times(pattern: string, count: number): string {
  return count === 0 ? "" : count === 1 ? pattern : `${pattern}{${count}}`;
}

function either(patterns: readonly string[]): string {
  return patterns.length === 1 ? patterns[0]! : `(?:${patterns.join("|")})`;
}

export const RID: string = textsOf({ length: 20, start: [] });

export const NID: string = textsOf({ length: 34, start: [0xed, 0x01] });

export const SIGNATURE: string = textsOf({ length: SIGNATURE_BYTES, start: [] });
