/** JSON of entries, read as the real programs read it (serde_json): the spelling of numbers, equal members and the depth count. */
import { type JsonBuilder, type JsonLimits, JsonSyntaxError, readJson } from "../text/json_reader.ts";

/** An object with its members in the order of the text, equal ones included. Objects that JSON.parse made are plain ones: they had no member twice. */
export class StoredMembers {
  readonly pairs: readonly (readonly [name: string, value: unknown])[];

  constructor(pairs: readonly (readonly [string, unknown])[]) {
    this.pairs = pairs;
  }
}

/** Deepest nesting of arrays and objects in an action (serde_json refuses the 128th level). */
export const MAX_ACTION_DEPTH = 127;
/**
 * Most values in the actions of one entry, members and items included: small ones take far more memory and time than their text. What one request
 * may ask for has fewer; an entry with more is not understood.
 */
export const MAX_ENTRY_VALUES = 5_000;
/** Deepest nesting in a manifest; what it has besides the known members is ignored at any depth by the real programs. */
const MAX_MANIFEST_DEPTH = 1024;

/** Largest unsigned integer of 64 bits that a double holds; larger ones count as this one. */
export const MAX_COUNT = 2 ** 64 - 2048;
const MAX_U64 = 2n ** 64n - 1n;
/** Integers of so few digits are held by a double exactly; those of more than the latter have more than 64 bits. */
const [SAFE_DIGITS, MAX_DIGITS] = [15, 20];
/** Digits of an integer beyond which it is out of range for a double, too. */
const MAX_DOUBLE_DIGITS = 309;
/** Texts of so many characters are left to JSON.parse first, which is quicker then. */
const SHORT_TEXT = 16_384;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the actions of one entry. */
export class ActionReader {
  /** Values that may still be read. */
  #left = MAX_ENTRY_VALUES;

  /** The value of the next action; `undefined` when the bytes are no JSON, or the entry has more than {@link MAX_ENTRY_VALUES} values by then. */
  read(bytes: Uint8Array): unknown {
    const text = decode(bytes);
    if (text === undefined || this.#left < 0) return undefined;
    const value = text.length > SHORT_TEXT ? undefined : this.#readCanonical(text);
    if (value !== undefined) return value;
    const builder = new StoredBuilder(true);
    const limits = { maxDepth: MAX_ACTION_DEPTH, maxValues: Math.max(this.#left, 0) };
    const read = tryRead(text, builder, limits);
    this.#left -= builder.values;
    return read;
  }

  /**
   * What JSON.parse makes of a text that is written as JSON.stringify writes: then no member was there twice, and every number is spelled as the
   * integer that it is. `undefined` for other texts. All programs write such texts.
   */
  #readCanonical(text: string): unknown {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    const left = this.#left;
    if (this.#isPlain(value, 0) && JSON.stringify(value) === text) return value;
    this.#left = left;
    return undefined;
  }

  /** Whether the value has nothing that the real programs refuse, or read otherwise, wherever it is. */
  #isPlain(value: unknown, depth: number): boolean {
    if (--this.#left < 0) return false;
    switch (typeof value) {
      case "string":
        return value.isWellFormed();
      case "number":
        return Number.isSafeInteger(value);
      case "object":
        if (value === null) return true;
        if (depth === MAX_ACTION_DEPTH) return false;
        if (Array.isArray(value)) return value.every((item) => this.#isPlain(item, depth + 1));
        for (const [name, member] of Object.entries(value)) {
          if (!name.isWellFormed() || !this.#isPlain(member, depth + 1)) return false;
        }
        return true;
      default:
        return true;
    }
  }
}

/** The value of a manifest. What ignored members hold need only look like JSON: numbers may be too large, strings hold lone surrogates. */
export function parseManifestJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  return text === undefined ? undefined : tryRead(text, new StoredBuilder(false), {
    maxDepth: MAX_MANIFEST_DEPTH,
    maxValues: MAX_ENTRY_VALUES,
    allowsLoneSurrogates: true,
  });
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function tryRead(text: string, builder: StoredBuilder, limits: JsonLimits): unknown {
  try {
    return readJson(text, builder, limits);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Makes stored values. */
class StoredBuilder implements JsonBuilder<unknown> {
  /** Values made so far. */
  values = 0;
  readonly #refusesInfinity: boolean;

  constructor(refusesInfinity: boolean) {
    this.#refusesInfinity = refusesInfinity;
  }

  literal(value: boolean | null): unknown {
    this.values++;
    return value;
  }

  /** An integer of 64 bits, or NaN for every other number, however it is spelled. */
  number(digits: string): number {
    this.values++;
    const isInteger = /^(0|-?[1-9][0-9]*)$/.test(digits);
    if (isInteger && digits.length <= SAFE_DIGITS) return Number(digits);
    if (isInteger && digits.length <= MAX_DIGITS) {
      const integer = BigInt(digits);
      if (integer >= -(2n ** 63n) && integer <= MAX_U64) return Math.min(Number(integer), MAX_COUNT);
    }
    const isFinite = isInteger && digits.length > MAX_DOUBLE_DIGITS + 1
      ? false
      : Number.isFinite(Number(digits));
    if (this.#refusesInfinity && !isFinite) throw new JsonSyntaxError("number out of range");
    return NaN;
  }

  string(text: string): string {
    this.values++;
    return text;
  }

  array(items: unknown[]): unknown {
    this.values++;
    return items;
  }

  object(members: [string, unknown][]): StoredMembers {
    this.values++;
    return new StoredMembers(members);
  }
}
