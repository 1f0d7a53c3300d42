/**
 * Parses the JSON of entries as the real programs do (serde_json): spelling of numbers, repeated members and
 * depth matter.
 */
import { decodeInSteps } from "../../text/utf8.ts";
import { indexJson, type JsonLimits, JsonNode, JsonSyntaxError } from "../../text/json_index.ts";
import type { Steps } from "../../scheduling/task.ts";

/** Deepest nesting of arrays and objects in an action (serde_json refuses the 128th level). */
export const MAX_ACTION_DEPTH = 127;
/** Largest unsigned integer of 64 bits that a double can represent; larger ones count as this one. */
export const MAX_COUNT = 2 ** 64 - 2048;
const MAX_U64 = 2n ** 64n - 1n;
/**
 * A double represents every integer of up to 15 digits exactly; integers of more than 20 do not fit in 64
 * bits.
 */
const [SAFE_DIGITS, MAX_DIGITS] = [15, 20];
/** Texts of up to so many bytes are tried with JSON.parse first, which is faster for them. */
const SHORT_BYTES = 16_384;

const ACTION_LIMITS: JsonLimits = { maxDepth: MAX_ACTION_DEPTH };
/** The real programs skip unknown members of a manifest without checking their content. */
const MANIFEST_LIMITS: JsonLimits = {
  maxDepth: Infinity,
  allowsLoneSurrogates: true,
  allowsHugeNumbers: true,
};

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * The JSON value of an action; `undefined` when the bytes are not JSON. The value is plain data if the text
 * is short and JSON.parse loses nothing of it. Otherwise it is a node.
 */
export function* readActionJson(bytes: Uint8Array): Steps<unknown> {
  const text = yield* decode(bytes);
  if (text === undefined) return undefined;
  return (bytes.length > SHORT_BYTES ? undefined : readCanonical(text)) ??
    (yield* tryIndex(text, ACTION_LIMITS));
}

/**
 * The JSON value of an action; `undefined` when the bytes are not JSON. The value is plain data if the text
 * is short and JSON.parse loses nothing of it. Otherwise it is a node.
 */
export function* readManifestJson(bytes: Uint8Array): Steps<unknown> {
  const text = yield* decode(bytes);
  return text === undefined ? undefined : yield* tryIndex(text, MANIFEST_LIMITS);
}

/**
 * The text, number or literal of a node. Arrays and objects stay nodes, and plain values are returned as they
 * are.
 */
export function* openNode(value: unknown): Steps<unknown> {
  if (!(value instanceof JsonNode)) return value;
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

/**
 * Parses a text that is spelled as JSON.stringify spells it, which all programs do; `undefined` for other
 * texts. Such a text has no repeated members, and spells every number as the integer that it is.
 */
function readCanonical(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isPlain(value, 0) && JSON.stringify(value) === text ? value : undefined;
}

/** Whether the value contains nothing that the real programs refuse or read differently. */
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

/** An integer of 64 bits, or NaN for every other number, however it is spelled. */
function toNumber(digits: string): number {
  if (!/^(0|-?[1-9][0-9]*)$/.test(digits) || digits.length > MAX_DIGITS) return NaN;
  if (digits.length <= SAFE_DIGITS) return Number(digits);
  const integer = BigInt(digits);
  return integer >= -(2n ** 63n) && integer <= MAX_U64 ? Math.min(Number(integer), MAX_COUNT) : NaN;
}
