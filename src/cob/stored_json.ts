/** JSON of entries, read as the real programs read it (serde_json): the spelling of numbers, equal members and the depth count. */
import { type JsonBuilder, JsonSyntaxError, readJson } from "../text/json_reader.ts";

/** An object with its members in the order of the text, equal ones included. Objects that JSON.parse made are plain ones: they had no member twice. */
export class StoredMembers {
  readonly pairs: readonly (readonly [name: string, value: unknown])[];

  constructor(pairs: readonly (readonly [string, unknown])[]) {
    this.pairs = pairs;
  }
}

/** Deepest nesting of arrays and objects in an action (serde_json refuses the 128th level). */
export const MAX_ACTION_DEPTH = 127;
/** Most values in one action: small ones take far more memory and time than their text. Actions with more are not understood. */
export const MAX_ACTION_VALUES = 100_000;
/** Deepest nesting in a manifest; what it has besides the known members is ignored at any depth by the real programs. */
const MAX_MANIFEST_DEPTH = 1024;

/** Largest unsigned integer of 64 bits that a double holds; larger ones count as this one. */
export const MAX_COUNT = 2 ** 64 - 2048;
const MAX_U64 = 2n ** 64n - 1n;
/** Texts of which every number that a double holds exactly has fewer digits. */
const SAFE_DIGITS = 15;
/** Bytes from which on the values in a text are counted before it is read. */
const COUNTED_BYTES = 2 * MAX_ACTION_VALUES;

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];

/** The value of an action; `undefined` when the bytes are no JSON, or have more than {@link MAX_ACTION_VALUES} values. */
export function parseStoredJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  if (text === undefined || bytes.length > COUNTED_BYTES && countValues(bytes) > MAX_ACTION_VALUES) {
    return undefined;
  }
  const value = parseCanonical(text);
  return value !== undefined
    ? value
    : tryRead(text, new StoredBuilder(true), { maxDepth: MAX_ACTION_DEPTH, maxValues: MAX_ACTION_VALUES });
}

/** The value of a manifest. What ignored members hold need only look like JSON: numbers may be too large, strings hold lone surrogates. */
export function parseManifestJson(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  return text === undefined ? undefined : tryRead(text, new StoredBuilder(false), {
    maxDepth: MAX_MANIFEST_DEPTH,
    maxValues: MAX_ACTION_VALUES,
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

/**
 * What JSON.parse makes of a text that is written as JSON.stringify writes: then no member was there twice, and every number is spelled as the integer
 * that it is. `undefined` for other texts. All programs write such texts.
 */
function parseCanonical(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isPlain(value, 0) && JSON.stringify(value) === text ? value : undefined;
}

/** Whether the value has nothing that the real programs refuse, or read otherwise, wherever it is. */
function isPlain(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isSafeInteger(value);
    case "object":
      if (value === null) return true;
      if (depth === MAX_ACTION_DEPTH) return false;
      if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
      for (const [name, member] of Object.entries(value)) {
        if (!name.isWellFormed() || !isPlain(member, depth + 1)) return false;
      }
      return true;
    default:
      return true;
  }
}

/** Values that a JSON text has at most, one for each comma and colon outside its strings; strings are stepped over. */
function countValues(bytes: Uint8Array): number {
  let count = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === COLON) count++;
    else if (byte === QUOTE) at = endOfString(bytes, at);
    if (count > MAX_ACTION_VALUES) break;
  }
  return count;
}

function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let slash = end;
    while (bytes[slash - 1] === BACKSLASH) slash--;
    if ((end - slash) % 2 === 0) return end;
  }
  return bytes.length;
}

function tryRead(
  text: string,
  builder: StoredBuilder,
  limits: Parameters<typeof readJson>[2],
): unknown {
  try {
    return readJson(text, builder, limits);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Makes stored values. */
class StoredBuilder implements JsonBuilder<unknown> {
  readonly #refusesInfinity: boolean;

  constructor(refusesInfinity: boolean) {
    this.#refusesInfinity = refusesInfinity;
  }

  literal(value: boolean | null): unknown {
    return value;
  }

  /** An integer of 64 bits, or NaN for every other number, however it is spelled. */
  number(digits: string): number {
    if (/^(0|-?[1-9][0-9]*)$/.test(digits)) {
      if (digits.length <= SAFE_DIGITS) return Number(digits);
      const integer = BigInt(digits);
      if (integer >= -(2n ** 63n) && integer <= MAX_U64) return Math.min(Number(integer), MAX_COUNT);
    }
    if (this.#refusesInfinity && !Number.isFinite(Number(digits))) {
      throw new JsonSyntaxError("number out of range");
    }
    return NaN;
  }

  string(text: string): string {
    return text;
  }

  array(items: unknown[]): unknown {
    return items;
  }

  object(members: [string, unknown][]): StoredMembers {
    return new StoredMembers(members);
  }
}
