/**
 * Parses the JSON of entries in the same way as the Radicle programs, which use serde_json. Unlike
 * `JSON.parse`, the parser distinguishes notations of numbers, and limits the nesting depth.
 */
import { decodeInSteps } from "../../text/utf8.ts";
import { indexJson, type JsonLimits, type JsonNode, JsonSyntaxError } from "../../text/json_index.ts";
import type { Steps } from "../../scheduling/task.ts";

/** Maximum nesting depth of arrays and objects in an action (serde_json refuses the 128th level). */
export const MAX_ACTION_DEPTH = 127;
/**
 * Largest unsigned integer of 64 bits that a double can represent. Larger integers are read as this integer.
 */
export const MAX_COUNT = 2 ** 64 - 2048;
const MAX_U64 = 2n ** 64n - 1n;
/**
 * A double represents every integer of up to 15 digits exactly. Integers of more than 20 digits do not fit in
 * 64 bits.
 */
const [SAFE_DIGITS, MAX_DIGITS] = [15, 20];
const ACTION_LIMITS: JsonLimits = { maxDepth: MAX_ACTION_DEPTH };
/**
 * The Radicle programs skip unknown properties of a manifest without checking the content of these
 * properties.
 */
const MANIFEST_LIMITS: JsonLimits = {
  maxDepth: Infinity,
  allowsLoneSurrogates: true,
  allowsHugeNumbers: true,
};

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Parses the JSON value of an action. Returns `undefined` when the bytes are not JSON. */
export function* readActionJson(bytes: Uint8Array): Steps<JsonNode | undefined> {
  const text = yield* decode(bytes);
  return text === undefined ? undefined : yield* tryIndex(text, ACTION_LIMITS);
}

/**
 * Converts an action that is not stored yet to the JSON value that reading the stored action would return.
 * Returns `undefined` if `value` cannot be stored.
 */
export function* toStoredJson(value: unknown): Steps<JsonNode | undefined> {
  return yield* tryIndex(JSON.stringify(value) ?? "", ACTION_LIMITS);
}

/** Parses the JSON value of a manifest. Returns `undefined` when the bytes are not JSON. */
export function* readManifestJson(bytes: Uint8Array): Steps<JsonNode | undefined> {
  const text = yield* decode(bytes);
  return text === undefined ? undefined : yield* tryIndex(text, MANIFEST_LIMITS);
}

/** Returns the text, number, boolean or null of a JSON node. Arrays and objects are returned as nodes. */
export function* openNode(value: JsonNode): Steps<unknown> {
  switch (value.kind) {
    case "string":
      return yield* value.string();
    case "number":
      return toNumber(value.token);
    case "literal":
      return value.token === "null" ? null : value.token === "true";
    default:
      return value;
  }
}

function* decode(bytes: Uint8Array): Steps<string | undefined> {
  try {
    return yield* decodeInSteps(bytes, strictUtf8);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function* tryIndex(text: string, limits: JsonLimits): Steps<JsonNode | undefined> {
  try {
    return yield* indexJson(text, limits);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/**
 * Converts digits to a number. Returns NaN for everything except integers of 64 bits without fraction or
 * exponent.
 */
function toNumber(digits: string): number {
  if (!/^(0|-?[1-9][0-9]*)$/.test(digits) || digits.length > MAX_DIGITS) return NaN;
  if (digits.length <= SAFE_DIGITS) return Number(digits);
  const integer = BigInt(digits);
  return integer >= -(2n ** 63n) && integer <= MAX_U64 ? Math.min(Number(integer), MAX_COUNT) : NaN;
}
