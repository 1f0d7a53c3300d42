/**
 * JSON without ambiguity (RFC 8259, with the restrictions of I-JSON, RFC 7493): every text has one meaning or none. JSON.parse does not do:
 * it keeps the last of several equal members and lets lone surrogates pass, so what was checked might not be what is stored.
 */
import { ApiError } from "../errors.ts";

/** Deepest nesting of arrays and objects; the bodies of the API need four. */
export const MAX_JSON_DEPTH = 128;
/** Most values in one text, members and items included: small ones take far more memory than their text. */
export const MAX_JSON_VALUES = 100_000;

/** Longest member name that an error repeats. */
const MAX_SHOWN_NAME = 64;

const WHITE_SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The value of a JSON text. Its objects have no prototype: a missing member is `undefined`, whatever its name.
 *
 * @throws {ApiError} `badRequest` for what is not JSON, text after the value, lone surrogates, numbers out of range, more than
 * {@link MAX_JSON_DEPTH} levels or {@link MAX_JSON_VALUES} values; `unprocessable` for JSON with two equal members in one object.
 */
export function parseStrictJson(text: string): unknown {
  return new JsonReader(text).document();
}

class JsonReader {
  readonly #text: string;
  #at = 0;
  #values = 0;
  #twice: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value(0);
    if (this.#at < this.#text.length) throw this.#unexpected();
    // Not before the end: a text that breaks off later is no JSON at all.
    if (this.#twice === undefined) return value;
    const name = this.#twice.slice(0, MAX_SHOWN_NAME);
    throw new ApiError("unprocessable", `Request body has the member "${name}" twice in one object`);
  }

  /** A value with the white space around it. */
  #value(depth: number): unknown {
    if (++this.#values > MAX_JSON_VALUES) throw notJson(`more than ${MAX_JSON_VALUES} values`);
    this.#take(WHITE_SPACE);
    const value = this.#bareValue(depth);
    this.#take(WHITE_SPACE);
    return value;
  }

  #bareValue(depth: number): unknown {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      case '"':
        return this.#string();
      case "t":
      case "f":
      case "n":
        return this.#literal();
      default:
        return this.#number();
    }
  }

  #object(depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = Object.create(null);
    if (this.#opensEmpty(depth, "}")) return object;
    do {
      this.#take(WHITE_SPACE);
      const name = this.#string();
      this.#take(WHITE_SPACE);
      this.#expect(":");
      if (name in object) this.#twice ??= name;
      object[name] = this.#value(depth);
    } while (this.#skip(","));
    this.#expect("}");
    return object;
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    if (this.#opensEmpty(depth, "]")) return items;
    do items.push(this.#value(depth)); while (this.#skip(","));
    this.#expect("]");
    return items;
  }

  /** Steps over the opening bracket, and over the closing one when there is nothing between them. */
  #opensEmpty(depth: number, end: string): boolean {
    if (depth > MAX_JSON_DEPTH) throw notJson(`more than ${MAX_JSON_DEPTH} levels of nesting`);
    this.#at++;
    this.#take(WHITE_SPACE);
    return this.#skip(end);
  }

  /** Only the end is found here: what may stand in a string JSON.parse knows. */
  #string(): string {
    const start = this.#at;
    this.#expect('"');
    for (let unit = 0; unit !== QUOTE; this.#at++) {
      unit = this.#text.charCodeAt(this.#at);
      if (Number.isNaN(unit)) throw this.#unexpected();
      if (unit === BACKSLASH) this.#at++;
    }
    const value = parseString(this.#text.slice(start, this.#at));
    if (value?.isWellFormed() !== true) throw notJson(`no valid string at position ${start}`);
    return value;
  }

  #literal(): boolean | null {
    const word = this.#take(LITERAL);
    if (word === "") throw this.#unexpected();
    return word === "null" ? null : word === "true";
  }

  #number(): number {
    const digits = this.#take(NUMBER);
    if (digits === "") throw this.#unexpected();
    const number = Number(digits);
    if (!Number.isFinite(number)) throw notJson(`number out of range before position ${this.#at}`);
    return number;
  }

  /** Steps over what the sticky pattern matches here, which may be nothing. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += token.length;
    return token;
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw this.#unexpected();
  }

  #unexpected(): ApiError {
    const isEnd = this.#at >= this.#text.length;
    return notJson(`unexpected ${isEnd ? "end" : "character"} at position ${this.#at}`);
  }
}

function parseString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}

function notJson(reason: string): ApiError {
  return new ApiError("badRequest", `Cannot read the request body as JSON: ${reason}`);
}
