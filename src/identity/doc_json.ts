/**
 * Parses the JSON of identity documents as the Radicle programs do, which keep the order of members,
 * duplicate members, and the spelling of numbers.
 */
import { DamagedError } from "../errors.ts";
import { JsonSyntaxError } from "../text/json_index.ts";
import { type JsonBuilder, readJson } from "../text/json_reader.ts";

/** A JSON value in a document. */
export type DocValue = null | boolean | string | DocNumber | readonly DocValue[] | DocMembers | Unreadable;

/**
 * A value that the Radicle programs accept only in members that they ignore: a number out of range, a text
 * with lone surrogates, or a value with too many levels of nesting.
 */
class Unreadable {
  readonly isReadable = false;
}

/** A number, with its spelling in the document. */
export class DocNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

export class DocMembers {
  /**
   * Members in the order of the text. A duplicate member has the position of its first value, and its last
   * value.
   */
  readonly values: ReadonlyMap<string, DocValue>;
  /** Names of duplicate members. */
  readonly repeated: ReadonlySet<string>;

  constructor(
    members: readonly (readonly [name: string, value: DocValue])[],
    repeated = findRepeated(members),
  ) {
    this.values = new Map(members);
    this.repeated = repeated;
  }
}

/**
 * Maximum number of nested levels in a document. serde_json, which the Radicle programs use, refuses the
 * 128th level.
 */
const MAX_DEPTH = 127;
/** Maximum size of a document, in bytes. A document with 255 delegates has less than a tenth of this size. */
export const MAX_DOC_BYTES = 256 * 1024;
/**
 * Maximum number of values in a document, including members and items. The number is limited because small
 * values take far more memory than their text.
 */
export const MAX_DOC_VALUES = 32_768;
/**
 * Maximum number of nested levels in a member that the Radicle programs ignore. The Radicle programs do not
 * limit these levels.
 */
const MAX_IGNORED_DEPTH = 1024;
const MAX_U64 = 2n ** 64n - 1n;
const UNREADABLE = new Unreadable();

/**
 * Parses a document. A member that cannot be read gets the value {@link Unreadable}.
 *
 * @throws {DamagedError} when the bytes are not JSON, or too large.
 */
export function parseDocJson(bytes: Uint8Array): DocValue {
  if (bytes.length > MAX_DOC_BYTES) throw new DamagedError("An identity document is too large");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return read(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof TypeError)) throw error;
    throw new DamagedError("An identity document is not JSON");
  }
}

/**
 * Parses all texts that have the syntax of JSON, because ignored members of a document may have any value.
 */
function read(text: string): DocValue {
  /** Objects with a member that cannot be read, even if a duplicate of the member has replaced it. */
  const unreadable = new WeakSet<DocMembers>();
  const isBad = (value: DocValue) =>
    value instanceof Unreadable || value instanceof DocMembers && unreadable.has(value);
  const builder: JsonBuilder<DocValue> = {
    literal: (value) => value,
    number: (digits) => Number.isFinite(Number(digits)) ? new DocNumber(digits) : UNREADABLE,
    string: (text) => text.isWellFormed() ? text : UNREADABLE,
    array: (items) => items.some(isBad) ? UNREADABLE : items,
    object(members) {
      if (!members.every(([name]) => name.isWellFormed())) return UNREADABLE;
      const object = new DocMembers(members);
      if (members.some(([, member]) => isBad(member))) unreadable.add(object);
      return object;
    },
  };
  const limits = {
    maxDepth: MAX_IGNORED_DEPTH,
    maxValues: MAX_DOC_VALUES,
    allowsLoneSurrogates: true,
    allowsHugeNumbers: true,
  };
  const value = readJson(text, builder, limits);
  if (!(value instanceof DocMembers)) return isBad(value) || levelsOf(value) > MAX_DEPTH ? UNREADABLE : value;
  const members = [...value.values].map(([name, member]) =>
    [name, isBad(member) || levelsOf(member) >= MAX_DEPTH ? UNREADABLE : member] as const
  );
  return new DocMembers(members, value.repeated);
}

function levelsOf(value: DocValue): number {
  const inner = value instanceof DocMembers ? [...value.values.values()] : isList(value) ? value : undefined;
  return inner === undefined
    ? 0
    : 1 + inner.reduce<number>((most, item) => Math.max(most, levelsOf(item)), 0);
}

function findRepeated(members: readonly (readonly [name: string, value: DocValue])[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(members.flatMap(([name]) => seen.size < seen.add(name).size ? [] : [name]));
}

/**
 * Returns the value of an unsigned whole number of 64 bits without fraction and exponent. Returns `undefined`
 * for all other values, and for numbers that a double cannot represent exactly.
 */
export function toCount(value: DocValue | undefined): number | undefined {
  if (!(value instanceof DocNumber) || !/^(0|[1-9][0-9]*)$/.test(value.digits)) return undefined;
  const count = Number(value.digits);
  return Number.isSafeInteger(count) && BigInt(value.digits) <= MAX_U64 ? count : undefined;
}

/**
 * Returns a text that is the same for equal values. Members are sorted by name, and numbers are spelled as in
 * the document.
 */
export function toComparable(value: DocValue): string {
  if (value instanceof DocNumber) return value.digits;
  if (value instanceof DocMembers) {
    const members = [...value.values].sort(([a], [b]) => a < b ? -1 : 1);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toComparable(member)}`).join()}}`;
  }
  return isList(value) ? `[${value.map(toComparable).join()}]` : JSON.stringify(value);
}

export function isList(value: DocValue | undefined): value is readonly DocValue[] {
  return Array.isArray(value);
}
