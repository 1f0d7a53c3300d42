/**
 * JSON of another service: parsed within limits, and compared. Nothing else waits for this process, so neither
 * pauses.
 */
import { JsonSyntaxError } from "../../src/text/json_index.ts";
import { type JsonBuilder, readJson } from "../../src/text/json_reader.ts";
import { MAX_COMPARED_DEPTH, MAX_COMPARED_VALUES, MAX_DIFFERENCES } from "./limits.ts";

/** Longest name of a member in a pointer, in UTF-16 units. */
const MAX_NAME = 128;
/** Longest set that is sorted, in items. */
const MAX_SORTED = 4096;

/** A value of JSON. Objects have no prototype. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json | undefined };

/** The last of several members of the same name counts. */
const BUILDER: JsonBuilder<Json> = {
  literal: (value) => value,
  number: Number,
  string: (text) => text,
  array: (items) => items,
  object: (members) => objectOf(members),
};

/**
 * An object without a prototype, so that foreign names such as `__proto__` are ordinary names, and it has only the
 * given members.
 */
export function objectOf(members: Iterable<readonly [name: string, value: Json | undefined]>): JsonObject {
  const object: Record<string, Json | undefined> = Object.create(null);
  for (const [name, value] of members) if (value !== undefined) object[name] = value;
  return object;
}

/**
 * Parses a text; `undefined` when it is not JSON.
 *
 * @throws {RangeError} when it has more values or levels of nesting than the limits allow.
 */
export function readAnswerJson(text: string): Json | undefined {
  const limits = {
    maxDepth: MAX_COMPARED_DEPTH,
    maxValues: MAX_COMPARED_VALUES,
    allowsLoneSurrogates: true,
    allowsHugeNumbers: true,
  };
  try {
    return readJson(text, BUILDER, limits);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    if (/^more than/.test(error.message)) throw new RangeError(`it has ${error.message}`);
    return undefined;
  }
}

/** The members of an object; an empty object for any other value. */
export function membersOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : objectOf([]);
}

/** The items of a list; an empty list for any other value. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Whether a value is an object and not a list. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A member whose value differs. */
export interface Difference {
  /** JSON pointer (RFC 6901), in which long names are cut. */
  readonly pointer: string;
  /** `undefined` when the member is absent. */
  readonly theirs: Json | undefined;
  readonly ours: Json | undefined;
}

/** Names of members that hold sets in random order. They are sorted before they are compared. */
export const SETS: ReadonlySet<string> = new Set([
  "repositories",
  "connect",
  "inventory",
  "conflicts",
  "updated",
  "namespaces",
]);

/**
 * Compares two JSON values member by member, in any order of members. Lists of different lengths are one
 * difference, because nothing says which items belong together.
 *
 * @returns The first {@link MAX_DIFFERENCES} differences, in the order of their values.
 */
export function differencesOf(theirs: Json | undefined, ours: Json | undefined): readonly Difference[] {
  const found: Difference[] = [];
  compare("", "", theirs, ours, found);
  return found;
}

/** Adds the differences of two values. The recursion is bounded by the nesting of the answers. */
function compare(
  pointer: string,
  name: string,
  theirs: Json | undefined,
  ours: Json | undefined,
  found: Difference[],
): void {
  if (found.length === MAX_DIFFERENCES) return;
  if (isList(theirs) && isList(ours) && theirs.length === ours.length) {
    const [left, right] = SETS.has(name) ? [sorted(theirs), sorted(ours)] : [theirs, ours];
    for (let i = 0; i < left.length; i++) compare(`${pointer}/${i}`, "", left[i], right[i], found);
  } else if (isObject(theirs) && isObject(ours)) {
    for (const name in { ...theirs, ...ours }) {
      compare(below(pointer, name), name, theirs[name], ours[name], found);
    }
  } else if (theirs !== ours) found.push({ pointer, theirs, ours });
}

/** The pointer to a member of the object at a pointer. */
function below(pointer: string, name: string): string {
  return `${pointer}/${name.slice(0, MAX_NAME).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The items sorted by their texts; unsorted beyond {@link MAX_SORTED}. */
function sorted(items: readonly Json[]): readonly Json[] {
  if (items.length > MAX_SORTED) return items;
  return items.toSorted((one, other) => {
    const left = textOf(one);
    const right = textOf(other);
    return left < right ? -1 : left === right ? 0 : 1;
  });
}

/** A string itself; the JSON of any other value. */
function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
