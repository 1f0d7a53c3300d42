/**
 * Parses a JSON text (RFC 8259) of any length in steps. Validates the text first, and stores the position of
 * each value in eight bytes. JavaScript values are created only on request. Therefore the memory depends on
 * the length of the text, and not on its contents.
 */
import type { Steps } from "../scheduling/task.ts";
import { releaseBytes } from "../bytes/bytes.ts";

export interface JsonLimits {
  /** Maximum nesting depth of arrays and objects. */
  readonly maxDepth: number;
  /**
   * Maximum number of values in one text, including property names. Small values take far more memory than
   * their text, so a limit of the length is not enough.
   */
  readonly maxValues?: number;
  /** Whether strings and property names may contain lone surrogates. */
  readonly allowsLoneSurrogates?: boolean;
  /** Whether numbers may exceed the range of a double. */
  readonly allowsHugeNumbers?: boolean;
}

/** Thrown when the text is invalid or exceeds the limits. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Number of values processed in one step. */
const STEP_TOKENS = 1024;
/** Number of UTF-16 units of a string processed in one step. */
const STEP_UNITS = 32_768;
/** Maximum length of the strings that V8 interns when it parses them, in UTF-16 units. */
const MAX_NAME_UNITS = 10;

const WHITE_SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;
/** Matches a number whose parts have at most 64 digits each. */
const SHORT_NUMBER = /-?(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?(?:[eE][+-]?[0-9]{1,64})?(?![0-9.eE])/y;
/** Matches at most {@link STEP_UNITS} digits of a longer number. */
const DIGITS = /[0-9]{1,32768}/y;
/** Matches a string without escapes, control characters and surrogates. */
// deno-lint-ignore no-control-regex
const PLAIN_STRING = /"[^"\\\u0000-\u001f\ud800-\udfff]*"/y;
/**
 * Matches a part of a string without escapes, control characters and surrogates. The part has at most
 * {@link STEP_UNITS}.
 */
// deno-lint-ignore no-control-regex
const PLAIN_PART = /[^"\\\u0000-\u001f\ud800-\udfff]{0,32768}/y;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SMALL_F = 0x66;
const SMALL_N = 0x6e;
const SMALL_T = 0x74;
const SMALL_U = 0x75;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const SPACE = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const LARGE_E = 0x45;
const SMALL_E = 0x65;
/** Length of the shortest number beyond the range of a double, such as `9e999`. */
const SMALL_NUMBER = 5;

export type JsonKind = "array" | "object" | "string" | "number" | "literal";

export class JsonNode {
  readonly #index: JsonIndex;
  readonly #place: number;
  readonly kind: JsonKind;

  constructor(index: JsonIndex, place: number) {
    this.#index = index;
    this.#place = place;
    this.kind = index.kindOf(place);
  }

  /** Source text of a number, a literal, or a string with its quotes. */
  get token(): string {
    return this.#index.token(this.#place);
  }

  /** Returns the content of a string of at most {@link STEP_UNITS}, or `undefined` for any other value. */
  shortText(): string | undefined {
    return this.kind === "string" ? this.#index.shortText(this.#place) : undefined;
  }

  /**
   * Checks whether another value of the same text has the same source text. Always returns `false` for long
   * values ({@link STEP_UNITS}), and for values that end in an empty array or object.
   */
  isLike(other: JsonNode): boolean {
    return this.#index.areAlike(this.#place, other.#place);
  }

  *string(): Steps<string> {
    return yield* this.#index.string(this.#place);
  }

  /** Frees the positions of all values of the text. Values of the text cannot be read afterwards. */
  release(): void {
    this.#index.release();
  }

  /**
   * Yields the items of an array, or the names and values of an object alternately, including duplicate
   * names. Must be called only for arrays and objects.
   */
  *children(): Generator<JsonNode, void> {
    const index = this.#index;
    const end = index.endOf(this.#place);
    for (let place = this.#place + 1; place < end; place = index.after(place)) {
      yield new JsonNode(index, place);
    }
  }
}

/**
 * Parses a JSON text.
 *
 * @returns The root value.
 * @throws {JsonSyntaxError} when the text is invalid, has text after the value, or is beyond the limits.
 */
export function* indexJson(text: string, limits: JsonLimits): Steps<JsonNode> {
  const index = new JsonIndex(text);
  yield* new Scanner(text, limits, index).scan();
  return new JsonNode(index, 0);
}

class JsonIndex {
  readonly #text: string;
  #starts = new Int32Array(16);
  /**
   * For each array or object, the index after its last descendant. For each other value, the position at
   * which its text ends.
   */
  #ends = new Int32Array(16);
  /** Indexes of long strings whose content is equal to the source text between the quotes. */
  readonly #plain = new Set<number>();
  length = 0;

  constructor(text: string) {
    this.#text = text;
  }

  add(start: number, end = 0, isPlain = false): number {
    if (isPlain) this.#plain.add(this.length);
    if (this.length === this.#starts.length) {
      // A text of n characters has at most n / 2 + 1 values and names.
      const length = Math.min(2 * this.length, (this.#text.length >> 1) + 2);
      this.#starts = grown(this.#starts, length);
      this.#ends = grown(this.#ends, length);
    }
    this.#starts[this.length] = start;
    this.#ends[this.length] = end;
    return this.length++;
  }

  close(place: number): void {
    this.#ends[place] = this.length;
  }

  isObject(place: number): boolean {
    return this.#text.charCodeAt(this.#starts[place]!) === OBJECT;
  }

  kindOf(place: number): JsonKind {
    switch (this.#text[this.#starts[place]!]) {
      case "{":
        return "object";
      case "[":
        return "array";
      case '"':
        return "string";
      case "t":
      case "f":
      case "n":
        return "literal";
      default:
        return "number";
    }
  }

  token(place: number): string {
    return this.#text.slice(this.#starts[place], this.#ends[place]);
  }

  shortText(place: number): string | undefined {
    const start = this.#starts[place]!;
    const end = this.#ends[place]!;
    if (end - start > STEP_UNITS) return undefined;
    return copyOfName(this.#text, start + 1, end - 1) ?? JSON.parse(this.#text.slice(start, end));
  }

  areAlike(a: number, b: number): boolean {
    const last = this.after(a) - 1;
    const lastOfOther = this.after(b) - 1;
    if (last - a !== lastOfOther - b || this.#isNested(last)) return false;
    // Only closing brackets follow the last value.
    const start = this.#starts[a]!;
    const end = this.#ends[last]!;
    const startOfOther = this.#starts[b]!;
    return end - start === this.#ends[lastOfOther]! - startOfOther && end - start <= STEP_UNITS &&
      this.#text.startsWith(this.#text.slice(startOfOther, startOfOther + end - start), start);
  }

  *string(place: number): Steps<string> {
    const short = this.shortText(place);
    if (short !== undefined) return short;
    const start = this.#starts[place]!;
    const end = this.#ends[place]!;
    // A slice keeps the whole text in memory. That is acceptable, because the caller limits the text.
    if (this.#plain.has(place)) return this.#text.slice(start + 1, end - 1);
    const parts: string[] = [];
    for (let at = start + 1; at < end - 1;) {
      const next = contentEnd(this.#text, at);
      parts.push(JSON.parse(`"${this.#text.slice(at, next)}"`));
      at = next;
      yield undefined;
    }
    return parts.join("");
  }

  release(): void {
    for (const places of [this.#starts, this.#ends]) releaseBytes(new Uint8Array(places.buffer));
  }

  endOf(place: number): number {
    return this.#ends[place]!;
  }

  #isNested(place: number): boolean {
    const unit = this.#text.charCodeAt(this.#starts[place]!);
    return unit === OBJECT || unit === ARRAY;
  }

  after(place: number): number {
    return this.#isNested(place) ? this.#ends[place]! : place + 1;
  }
}

/**
 * Returns a copy of a short string; `undefined` for other strings. JSON.parse would intern short strings in a
 * table of V8, which becomes slow with a million strings. A substring would keep the whole text in memory.
 */
function copyOfName(text: string, start: number, end: number): string | undefined {
  if (end - start > MAX_NAME_UNITS) return undefined;
  const units: number[] = [];
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) return undefined;
    units.push(unit);
  }
  return String.fromCharCode(...units);
}

/** Grows an array, in place where possible. The old array must not be used afterwards. */
function grown(places: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  return new Int32Array(places.buffer.transfer(length * Int32Array.BYTES_PER_ELEMENT));
}

class Scanner {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #index: JsonIndex;
  #at = 0;
  #values = 0;

  constructor(text: string, limits: JsonLimits, index: JsonIndex) {
    this.#text = text;
    this.#limits = limits;
    this.#index = index;
  }

  *scan(): Steps<void> {
    const around: number[] = [];
    for (;;) {
      if (this.#values % STEP_TOKENS === STEP_TOKENS - 1) yield undefined;
      this.#skipBlanks();
      let start = this.#at;
      const isOpened = this.#begin(around);
      if (!isOpened) {
        const isUnread = this.#at === start;
        const isString = this.#text.charCodeAt(start) === QUOTE;
        const isPlain = isUnread && isString && (yield* this.#longString());
        if (isUnread && !isString) yield* this.#longNumber();
        this.#index.add(start, this.#at, isPlain);
      }
      if (!this.#goToNext(around, isOpened)) break;
      if (!this.#isInObject(around)) continue;
      this.#skipBlanks();
      start = this.#at;
      if (this.#text.charCodeAt(start) !== QUOTE) throw this.#unexpected();
      if (!this.#shortString()) yield* this.#longString();
      this.#index.add(start, this.#at);
      this.#skipBlanks();
      this.#expect(COLON);
    }
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  /**
   * Reads a short number, a literal, a short plain string, or an opening bracket. Returns `true` for an
   * opening bracket, and `false` otherwise. Leaves other strings and numbers unread, for {@link #longString}
   * and {@link #longNumber}.
   */
  #begin(around: number[]): boolean {
    const { maxValues = Infinity, maxDepth } = this.#limits;
    if (++this.#values > maxValues) throw new JsonSyntaxError(`more than ${maxValues} values`);
    const unit = this.#text.charCodeAt(this.#at);
    switch (unit) {
      case OBJECT:
      case ARRAY:
        if (around.length === maxDepth) {
          throw new JsonSyntaxError(`more than ${maxDepth} levels of nesting`);
        }
        around.push(this.#index.add(this.#at++));
        return true;
      case QUOTE:
        this.#shortString();
        return false;
      case SMALL_T:
      case SMALL_F:
      case SMALL_N:
        this.#match(LITERAL);
        return false;
      default:
        this.#shortNumber();
        return false;
    }
  }

  #shortNumber(): void {
    const start = this.#at;
    SHORT_NUMBER.lastIndex = start;
    if (!SHORT_NUMBER.test(this.#text)) return;
    this.#at = SHORT_NUMBER.lastIndex;
    this.#checkRange(start);
  }

  *#longNumber(): Steps<void> {
    const start = this.#at;
    this.#skip(MINUS);
    if (!this.#skip(ZERO)) yield* this.#digits();
    if (this.#skip(POINT)) yield* this.#digits();
    if (this.#skip(SMALL_E) || this.#skip(LARGE_E)) {
      if (!this.#skip(PLUS)) this.#skip(MINUS);
      yield* this.#digits();
    }
    this.#checkRange(start);
  }

  *#digits(): Steps<void> {
    for (this.#match(DIGITS); DIGITS.test(this.#text); this.#at = DIGITS.lastIndex) yield undefined;
  }

  #checkRange(start: number): void {
    if (this.#limits.allowsHugeNumbers || this.#at - start < SMALL_NUMBER) return;
    if (Number.isFinite(Number(this.#text.slice(start, this.#at)))) return;
    throw new JsonSyntaxError(`number out of range before position ${this.#at}`);
  }

  /**
   * Reads closing brackets, and the comma before the next value or property name. Returns `false` at the end
   * of the root value.
   *
   * @param isFirst Whether an array or object has just been opened, so that no comma may follow.
   */
  #goToNext(around: number[], isFirst: boolean): boolean {
    for (let place = around.at(-1); place !== undefined; place = around.at(-1)) {
      this.#skipBlanks();
      if (this.#skip(this.#isInObject(around) ? OBJECT_END : ARRAY_END)) {
        this.#index.close(place);
        around.pop();
        isFirst = false;
      } else {
        if (!isFirst) this.#expect(COMMA);
        return true;
      }
    }
    return false;
  }

  #isInObject(around: readonly number[]): boolean {
    const place = around.at(-1);
    return place !== undefined && this.#index.isObject(place);
  }

  /**
   * Reads a string that is plain and no longer than {@link STEP_UNITS}. Returns `false` for any other string.
   */
  #shortString(): boolean {
    const end = this.#text.indexOf('"', this.#at + 1);
    if (end < 0 || end - this.#at > STEP_UNITS) return false;
    PLAIN_STRING.lastIndex = this.#at;
    if (!PLAIN_STRING.test(this.#text)) return false;
    this.#at = end + 1;
    return true;
  }

  /**
   * Reads any string in steps, with its escapes and surrogates. Returns whether its content is equal to the
   * source text between the quotes.
   */
  *#longString(): Steps<boolean> {
    const start = this.#at++;
    let isAllPlain = true;
    /** The high surrogate at the end of the previous part of the string. Its low surrogate must follow. */
    let half = "";
    for (;;) {
      const plain = half === "" ? plainEnd(this.#text, this.#at) : this.#at;
      const isPlain = plain - this.#at === STEP_UNITS || this.#text.charCodeAt(plain) === QUOTE;
      const end = isPlain ? plain : contentEnd(this.#text, this.#at);
      isAllPlain &&= isPlain;
      const part = isPlain ? "" : parseContent(this.#text.slice(this.#at, end));
      if (part === undefined) throw this.#invalidString(start);
      if (!this.#limits.allowsLoneSurrogates) {
        const content = half + part;
        half = /[\ud800-\udbff]$/.test(content.slice(-1)) ? content.slice(-1) : "";
        if (!(half === "" ? content : content.slice(0, -1)).isWellFormed()) throw this.#invalidString(start);
      }
      this.#at = end;
      if (end >= this.#text.length) throw this.#unexpected();
      if (this.#skip(QUOTE)) break;
      yield undefined;
    }
    if (half !== "") throw this.#invalidString(start);
    return isAllPlain;
  }

  #match(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) throw this.#unexpected();
    this.#at = pattern.lastIndex;
  }

  #skipBlanks(): void {
    if (this.#text.charCodeAt(this.#at) <= SPACE) this.#match(WHITE_SPACE);
  }

  #skip(unit: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== unit) return false;
    this.#at++;
    return true;
  }

  #expect(unit: number): void {
    if (!this.#skip(unit)) throw this.#unexpected();
  }

  #unexpected(): JsonSyntaxError {
    const isEnd = this.#at >= this.#text.length;
    return new JsonSyntaxError(`unexpected ${isEnd ? "end" : "character"} at position ${this.#at}`);
  }

  #invalidString(start: number): JsonSyntaxError {
    return new JsonSyntaxError(`no valid string at position ${start}`);
  }
}

/**
 * Returns the end of the unescaped characters that start at `at`. Skips at most {@link STEP_UNITS}
 * characters.
 */
function plainEnd(text: string, at: number): number {
  PLAIN_PART.lastIndex = at;
  return PLAIN_PART.test(text) ? PLAIN_PART.lastIndex : at;
}

/**
 * Returns the end of the string content that starts at `at`, or the end of a part that can be decoded
 * separately.
 */
function contentEnd(text: string, at: number): number {
  const limit = Math.min(at + STEP_UNITS, text.length);
  let i = at;
  for (; i < limit; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) return i;
    if (unit === BACKSLASH) i += text.charCodeAt(i + 1) === SMALL_U ? 5 : 1;
  }
  return Math.min(i, text.length);
}

function parseContent(content: string): string | undefined {
  try {
    return JSON.parse(`"${content}"`) as string;
  } catch {
    return undefined;
  }
}
