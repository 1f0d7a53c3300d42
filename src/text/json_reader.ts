/**
 * A JSON reader (RFC 8259) that preserves information that `JSON.parse` discards: duplicate properties of an
 * object, and the notation of numbers. The caller builds the values.
 */
import { runSync, type Steps } from "../scheduling/task.ts";
import { indexJson, type JsonLimits, type JsonNode } from "./json_index.ts";

/** Number of items of one array, or properties of one object, that are built in one step. */
const STEP_ITEMS = 1024;

/** Builds values from the parts of a JSON text, innermost first. */
export interface JsonBuilder<T> {
  literal(value: boolean | null): T;
  number(digits: string): T;
  string(text: string): T;
  array(items: T[]): T;
  /** Builds an object from its properties in the order of the text, including duplicates. */
  object(members: [name: string, value: T][]): T;
}

/**
 * Reads a JSON text.
 *
 * @throws {JsonSyntaxError} when the text is invalid, has text after the value, or exceeds the limits.
 */
export function readJson<T>(text: string, builder: JsonBuilder<T>, limits: JsonLimits): T {
  return runSync(readJsonInSteps(text, builder, limits));
}

/** Does the same as {@link readJson}, in steps. */
export function* readJsonInSteps<T>(text: string, builder: JsonBuilder<T>, limits: JsonLimits): Steps<T> {
  return yield* build(yield* indexJson(text, limits), builder);
}

function* build<T>(node: JsonNode, builder: JsonBuilder<T>): Steps<T> {
  switch (node.kind) {
    case "array": {
      const items: T[] = [];
      for (const item of node.children()) {
        if (items.push(yield* build(item, builder)) % STEP_ITEMS === 0) yield;
      }
      return builder.array(items);
    }
    case "object": {
      const members: [string, T][] = [];
      let name: string | undefined;
      for (const child of node.children()) {
        if (name === undefined) name = yield* child.string();
        else {
          if (members.push([name, yield* build(child, builder)]) % STEP_ITEMS === 0) yield;
          name = undefined;
        }
      }
      return builder.object(members);
    }
    case "string":
      return builder.string(yield* node.string());
    case "number":
      return builder.number(node.token);
    case "literal":
      return builder.literal(node.token === "null" ? null : node.token === "true");
  }
}
