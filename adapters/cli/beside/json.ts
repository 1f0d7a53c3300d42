/**
 * JSON of another service: read within limits, and compared. Nothing else waits for this process, so that
 * neither has to pause.
 */
import { JsonSyntaxError } from "../../../src/text/json_index.ts";
import { type JsonBuilder, readJson } from "../../../src/text/json_reader.ts";
import { MAX_COMPARED_DEPTH, MAX_COMPARED_VALUES, MAX_DIFFERENCES } from "./limits.ts";

/** Longest name of a member in a pointer, in UTF-16 units. */
const MAX_NAME = 128;
/** Longest set that is brought into an order, in items. */
const MAX_SORTED = 4096;

/** A value of JSON. Objects have no prototype. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [name: string]: Json | undefined };

/** Of members of the same name the last one counts. */
const BUILDER: JsonBuilder<Json> = {
  literal: (value) => value,
  number: Number,
  string: (text) => text,
  array: (items) => items,
  object: (members) => objectOf(members),
};

/**
 * An object without a prototype: names of strangers, such as `__proto__`, are names as all others, and no
 * member is there that was not given.
 */
export function objectOf(members: Iterable<readonly [name: string, value: Json | undefined]>): JsonObject {
  const object: Record<string, Json | undefined> = Object.create(null);
  for (const [name, value] of members) if (value !== undefined) object[name] = value;
  return object;
}

/**
 * Reads a text; `undefined` when it is no JSON.
 *
 * @throws {RangeError} when it has more values, or is nested more deeply, than is compared.
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

/** The members of an object; none of another value. */
export function membersOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : objectOf([]);
}

/** The items of a list; none of another value. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

/** Whether a value is an object; lists are none. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !isList(value);
}

/** Whether a value is an array. */
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** A member that two answers do not have in common. */
export interface Difference {
  /** JSON pointer (RFC 6901), in which long names are cut. */
  readonly pointer: string;
  /** Their value, and ours; `undefined` where there is none. */
  readonly theirs: Json | undefined;
  readonly ours: Json | undefined;
}

/**
 * Names of members that hold sets, whose order is random. They are compared in the order of their texts; all
 * other lists as they are.
 */
export const SETS: ReadonlySet<string> = new Set([
  "repositories",
  "connect",
  "inventory",
  "conflicts",
  "updated",
  "namespaces",
]);

/**
 * Compares two values of JSON, member by member; the order of members does not count. Lists of another length
 * are one difference, since nothing says which of their items belong together.
 *
 * @returns The first {@link MAX_DIFFERENCES} differences, in the order of their values.
 */
export function differencesOf(theirs: Json | undefined, ours: Json | undefined): readonly Difference[] {
  const found: Difference[] = [];
  compare("", "", theirs, ours, found);
  return found;
}

/** Adds the differences of two values. Nests no deeper than the answers, which are bounded. */
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

/** The pointer to a member of what a pointer leads to. */
function below(pointer: string, name: string): string {
  return `${pointer}/${name.slice(0, MAX_NAME).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The items in the order of their texts; as they are when they are very many. */
function sorted(items: readonly Json[]): readonly Json[] {
  if (items.length > MAX_SORTED) return items;
  return items.toSorted((one, other) => {
    const [left, right] = [textOf(one), textOf(other)];
    return left < right ? -1 : left === right ? 0 : 1;
  });
}

/** The text of a value that is one, else that of its JSON. */
function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
