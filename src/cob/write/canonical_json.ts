/** Canonical JSON, in which each value has exactly one text. Actions and identity documents use it. */
import { compareUtf8 } from "../../text/utf8.ts";

/** Greatest depth of a value, as in the real programs. */
export const MAX_JSON_DEPTH = 128;

/**
 * The canonical text of a JSON value: no white space, strings and names in Unicode normalization form C,
 * members ordered by the bytes of their quoted names, integers only. Members that are `undefined` are
 * omitted, as in `JSON.stringify`.
 *
 * @throws {TypeError} for fractions, integers that a double cannot represent, lone surrogates, and values
 * that are not JSON.
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

/** Writes the members. If two names become equal by normalization, the last member counts. */
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
