/** JSON of identity documents, read as the real programs read it: the order of members, equal ones, and the spelling of numbers count. */
import { DamagedError } from "../errors.ts";
import { JsonSyntaxError } from "../text/json_index.ts";
import { type JsonBuilder, readJson } from "../text/json_reader.ts";

/** A value in a document. */
export type DocValue = null | boolean | string | DocNumber | readonly DocValue[] | DocMembers | Unreadable;

/** A value that the real programs only step over, where it is ignored: a number out of range, lone surrogates, too many levels. */
class Unreadable {
  readonly isReadable = false;
}

/** A number, as it is spelled. */
export class DocNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }
}

/** An object. */
export class DocMembers {
  /** In the order of the text; of equal members the last, in the place of the first. */
  readonly values: ReadonlyMap<string, DocValue>;
  /** Names of members that are there more than once. */
  readonly repeated: ReadonlySet<string>;

  constructor(
    members: readonly (readonly [name: string, value: DocValue])[],
    repeated = findRepeated(members),
  ) {
    this.values = new Map(members);
    this.repeated = repeated;
  }
}

/** Deepest nesting in a document (serde_json refuses the 128th level). */
const MAX_DEPTH = 127;
/** Largest document, in bytes; 255 delegates have less than a tenth of that. */
export const MAX_DOC_BYTES = 256 * 1024;
/** Most values in a document, members and items included: small ones take far more memory than their text. */
export const MAX_DOC_VALUES = 32_768;
/** Deepest nesting in a member that is ignored; the real programs have no limit there. */
const MAX_IGNORED_DEPTH = 1024;
const MAX_U64 = 2n ** 64n - 1n;
const UNREADABLE = new Unreadable();

/**
 * The value that a document is. Members of the document that hold something unreadable are there as such.
 *
 * @throws {DamagedError} when it is no JSON, or too large.
 */
export function parseDocJson(bytes: Uint8Array): DocValue {
  if (bytes.length > MAX_DOC_BYTES) throw new DamagedError("An identity document is too large");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const value = tryStrict(text);
    return value === undefined ? readLeniently(text) : value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof TypeError)) throw error;
    throw new DamagedError("An identity document is no JSON");
  }
}

function tryStrict(text: string): DocValue | undefined {
  try {
    return readJson(text, BUILDER, { maxDepth: MAX_DEPTH, maxValues: MAX_DOC_VALUES });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** Reads what only has the form of JSON: members of the document that nobody knows may be such. */
function readLeniently(text: string): DocValue {
  /** Objects that hold something unreadable, perhaps in a member that an equal one took the place of. */
  const unreadable = new WeakSet<DocMembers>();
  const isBad = (value: DocValue) =>
    value instanceof Unreadable || value instanceof DocMembers && unreadable.has(value);
  const builder: JsonBuilder<DocValue> = {
    ...BUILDER,
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
  if (!(value instanceof DocMembers)) throw new JsonSyntaxError("no object");
  const members = [...value.values].map(([name, member]) =>
    [name, isBad(member) || levelsOf(member) >= MAX_DEPTH ? UNREADABLE : member] as const
  );
  return new DocMembers(members, value.repeated);
}

/** How deep arrays and objects are nested. */
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

/** A whole number of 64 bits without a sign, spelled as such; `undefined` for everything else, and for more than a double holds exactly. */
export function toCount(value: DocValue | undefined): number | undefined {
  if (!(value instanceof DocNumber) || !/^(0|[1-9][0-9]*)$/.test(value.digits)) return undefined;
  const count = Number(value.digits);
  return Number.isSafeInteger(count) && BigInt(value.digits) <= MAX_U64 ? count : undefined;
}

/** A text that is the same for equal values: members in order of their names, numbers as they are spelled. */
export function toComparable(value: DocValue): string {
  if (value instanceof DocNumber) return value.digits;
  if (value instanceof DocMembers) {
    const members = [...value.values].sort(([a], [b]) => a < b ? -1 : 1);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toComparable(member)}`).join()}}`;
  }
  return isList(value) ? `[${value.map(toComparable).join()}]` : JSON.stringify(value);
}

/** Whether a value is an array. */
export function isList(value: DocValue | undefined): value is readonly DocValue[] {
  return Array.isArray(value);
}

const BUILDER: JsonBuilder<DocValue> = {
  literal: (value) => value,
  number: (digits) => new DocNumber(digits),
  string: (text) => text,
  array: (items) => items,
  object: (members) => new DocMembers(members),
};
