/** Stored JSON values: reads arrays and objects alike whether they are plain data or nodes of a longer text. */
import { JsonNode } from "../../text/json_index.ts";
import type { Steps } from "../../time/turns.ts";
import { openNode } from "./stored_json.ts";

/** Thrown inside this module alone: the value has none of the forms. */
export class Misshapen extends Error {}

export function misshapen(): never {
  throw new Misshapen();
}

/** The name of a variant, or its number, in plain data. */
export function plainTag(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value[0];
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : misshapen();
}

export function isList(value: unknown): boolean {
  return value instanceof JsonNode ? value.kind === "array" : Array.isArray(value);
}

export function itemsOf(value: unknown): Iterable<unknown> {
  if (!isList(value)) return misshapen();
  return value instanceof JsonNode ? value.children() : value as unknown[];
}

/** All items, if there are no more than `count`. */
export function atMost(items: Iterable<unknown>, count: number): unknown[] {
  const found: unknown[] = [];
  for (const item of items) if (found.push(item) > count) misshapen();
  return found;
}

export function pairsOf(value: unknown): Iterable<readonly [name: unknown, value: unknown]> {
  if (value instanceof JsonNode) return value.kind === "object" ? nodePairs(value) : misshapen();
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : misshapen();
}

function* nodePairs(object: JsonNode): Generator<readonly [JsonNode, JsonNode]> {
  let name: JsonNode | undefined;
  for (const child of object.children()) {
    if (name === undefined) name = child;
    else {
      yield [name, child];
      name = undefined;
    }
  }
}

export function* onlyPair(value: unknown): Steps<readonly [string, unknown]> {
  const [pair, second] = atMost(pairsOf(value), 1) as (readonly [unknown, unknown])[];
  if (pair === undefined || second !== undefined) return misshapen();
  return [(yield* openNode(pair[0])) as string, pair[1]];
}

export function isEmptyObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || isList(value)) return false;
  for (const _ of pairsOf(value)) return false;
  return true;
}
