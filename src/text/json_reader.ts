/**
 * Reads JSON text (RFC 8259) without losing what JSON.parse loses: equal members of one object, and how numbers are spelled. Values are made by
 * whoever reads.
 */

/** Makes values of the parts of a JSON text, innermost first. */
export interface JsonBuilder<T> {
  literal(value: boolean | null): T;
  /** `end` is the position after the digits. */
  number(digits: string, end: number): T;
  string(text: string): T;
  array(items: T[]): T;
  /** Members in the order of the text, equal ones included. */
  object(members: [name: string, value: T][]): T;
}

/** Limits of what is read. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects. */
  readonly maxDepth: number;
  /** Most values in one text, members and items included: small ones take far more memory than their text. */
  readonly maxValues: number;
  /** Whether strings and names may hold lone surrogates. */
  readonly allowsLoneSurrogates?: boolean;
}

/** A text that is no JSON, or beyond the limits; its message says where. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

const WHITE_SPACE = /[ \t\n\r]*/y;
const LITERAL = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reads a JSON text.
 *
 * @throws {JsonSyntaxError} when it is none, has text after the value, or is beyond the limits.
 */
export function readJson<T>(text: string, builder: JsonBuilder<T>, limits: JsonLimits): T {
  return new JsonReader(text, builder, limits).document();
}

class JsonReader<T> {
  readonly #text: string;
  readonly #builder: JsonBuilder<T>;
  readonly #limits: JsonLimits;
  #at = 0;
  #values = 0;

  constructor(text: string, builder: JsonBuilder<T>, limits: JsonLimits) {
    this.#text = text;
    this.#builder = builder;
    this.#limits = limits;
  }

  document(): T {
    const value = this.#value(0);
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  /** A value with the white space around it. */
  #value(depth: number): T {
    const { maxValues } = this.#limits;
    if (++this.#values > maxValues) throw new JsonSyntaxError(`more than ${maxValues} values`);
    this.#take(WHITE_SPACE);
    const value = this.#bareValue(depth);
    this.#take(WHITE_SPACE);
    return value;
  }

  #bareValue(depth: number): T {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      case '"':
        return this.#builder.string(this.#string());
      case "t":
      case "f":
      case "n":
        return this.#literal();
      default:
        return this.#number();
    }
  }

  #object(depth: number): T {
    const members: [string, T][] = [];
    if (this.#opensEmpty(depth, "}")) return this.#builder.object(members);
    do {
      this.#take(WHITE_SPACE);
      const name = this.#string();
      this.#take(WHITE_SPACE);
      this.#expect(":");
      members.push([name, this.#value(depth)]);
    } while (this.#skip(","));
    this.#expect("}");
    return this.#builder.object(members);
  }

  #array(depth: number): T {
    const items: T[] = [];
    if (this.#opensEmpty(depth, "]")) return this.#builder.array(items);
    do items.push(this.#value(depth)); while (this.#skip(","));
    this.#expect("]");
    return this.#builder.array(items);
  }

  /** Steps over the opening bracket, and over the closing one when there is nothing between them. */
  #opensEmpty(depth: number, end: string): boolean {
    const { maxDepth } = this.#limits;
    if (depth > maxDepth) throw new JsonSyntaxError(`more than ${maxDepth} levels of nesting`);
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
    if (value === undefined || !(this.#limits.allowsLoneSurrogates || value.isWellFormed())) {
      throw new JsonSyntaxError(`no valid string at position ${start}`);
    }
    return value;
  }

  #literal(): T {
    const word = this.#take(LITERAL);
    if (word === "") throw this.#unexpected();
    return this.#builder.literal(word === "null" ? null : word === "true");
  }

  #number(): T {
    const digits = this.#take(NUMBER);
    if (digits === "") throw this.#unexpected();
    return this.#builder.number(digits, this.#at);
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

  #unexpected(): JsonSyntaxError {
    const isEnd = this.#at >= this.#text.length;
    return new JsonSyntaxError(`unexpected ${isEnd ? "end" : "character"} at position ${this.#at}`);
  }
}

function parseString(token: string): string | undefined {
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
