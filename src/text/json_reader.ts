/**
 * JSON reader (RFC 8259) that preserves what `JSON.parse` discards: duplicate members of an object, and the
 * spelling of numbers. The caller builds the values.
 */
import { runSync } from "../scheduling/task.ts";
import { indexJson, type JsonLimits, type JsonNode } from "./json_index.ts";

/** Builds values from the parts of a JSON text, innermost first. */
export interface JsonBuilder<T> {
  literal(value: boolean | null): T;
  number(digits: string): T;
  string(text: string): T;
  array(items: T[]): T;
  /** Builds an object from its members in the order of the text, duplicates included. */
  object(members: [name: string, value: T][]): T;
}

/**
 * Reads a JSON text.
 *
 * @throws {JsonSyntaxError} when it is invalid, has text after the value, or is beyond the limits.
 */
export function readJson<T>(text: string, builder: JsonBuilder<T>, limits: JsonLimits): T {
  return build(runSync(indexJson(text, limits)), builder);
}

function build<T>(node: JsonNode, builder: JsonBuilder<T>): T {
  switch (node.kind) {
    case "array":
      return builder.array(Array.from(node.children(), (item) => build(item, builder)));
    case "object": {
      const members: [string, T][] = [];
      let name: string | undefined;
      for (const child of node.children()) {
        if (name === undefined) name = runSync(child.string());
        else {
          members.push([name, build(child, builder)]);
          name = undefined;
        }
      }
      return builder.object(members);
    }
    case "string":
      return builder.string(runSync(node.string()));
    case "number":
      return builder.number(node.token);
    case "literal":
      return builder.literal(node.token === "null" ? null : node.token === "true");
  }
}
