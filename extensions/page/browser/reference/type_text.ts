/** Formats schemas as types in the notation of TypeScript. */
import { referredName, type Schema } from "./document.ts";

/** A part of a type's text: plain text or the name of another schema. */
export type TypePart = string | { readonly name: string };

export function typeParts(schema: Schema, indent: string = ""): readonly TypePart[] {
  const { $ref, type, items, prefixItems, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) return [{ name: referredName($ref) }];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum !== undefined) return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return joined(options.map((option) => typeParts(option, indent)), " | ");
  if (prefixItems !== undefined) {
    return ["[", ...joined(prefixItems.map((item) => typeParts(item, indent)), ", "), "]"];
  }
  if (type === "array") return typeof items === "object" ? listOf(typeParts(items, indent)) : ["unknown[]"];
  if (properties !== undefined) {
    const deeper = `${indent}  `;
    const members = Object.entries(properties).flatMap(([name, member]): TypePart[] => [
      ...(member.description === undefined ? [] : [`${deeper}/** ${member.description} */\n`]),
      `${deeper}${name}${required.includes(name) ? "" : "?"}: `,
      ...typeParts(member, deeper),
      ";\n",
    ]);
    return ["{\n", ...members, `${indent}}`];
  }
  if (typeof additionalProperties === "object") {
    return ["Record<string, ", ...typeParts(additionalProperties, indent), ">"];
  }
  return [type ?? "unknown"];
}

function listOf(item: readonly TypePart[]): readonly TypePart[] {
  const isSimple = item.length === 1 && (typeof item[0] === "object" || /^\w+$/.test(item[0]!));
  return isSimple ? [...item, "[]"] : ["(", ...item, ")[]"];
}

function joined(texts: readonly (readonly TypePart[])[], separator: string): readonly TypePart[] {
  return texts.flatMap((text, i) => i === 0 ? text : [separator, ...text]);
}
