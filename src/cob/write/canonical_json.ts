/**
 * Canonical JSON, in which each value has exactly one text. Actions of issues and patches, and identity
 * documents, are stored as canonical JSON.
 */
import { compareUtf8 } from "../../text/utf8.ts";

/** Maximum nesting depth of arrays and objects. The Radicle programs have the same limit. */
export const MAX_JSON_DEPTH = 128;

/**
 * Returns the canonical text of a JSON value. The text has no white space. Strings and names are in Unicode
 * normalization form C, properties are ordered by the bytes of their quoted names, and numbers must be
 * integers. As in `JSON.stringify`, properties that are `undefined` are omitted.
 *
 * @throws {TypeError} for fractions, integers that a double cannot represent, lone surrogates, values that
 *   are not JSON, and values that are nested more deeply than {@link MAX_JSON_DEPTH}.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_JSON_DEPTH) throw new TypeError("Cannot write JSON: the value is nested too deeply");
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" && Number.isSafeInteger(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  if (typeof value === "object") return writeObject(value, depth + 1);
  throw new TypeError(`Cannot write JSON: ${typeof value} "${String(value)}" has no canonical form`);
}

/**
 * Encodes an object. If normalization makes two names equal, only the last property with that name is
 * encoded.
 */
function writeObject(object: object, depth: number): string {
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(object)) {
    if (value !== undefined) members.set(quote(name), write(value, depth));
  }
  return `{${
    [...members].sort(([a], [b]) => compareUtf8(a, b)).map(([name, value]) => `${name}:${value}`).join(",")
  }}`;
}

function quote(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("Cannot write JSON: a string holds a lone surrogate");
  return JSON.stringify(text.normalize("NFC"));
}
