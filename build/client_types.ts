/**
 * Makes the client's types from the contract: `node build/client_types.ts` writes `src/client/contract.ts`.
 * The types are written out because JSR and users' compilers are slow with inferred ones.
 */
import { writeFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { allEndpoints } from "./contract/all.ts";
import { openApiDocument, toTemplate } from "./contract/document.ts";
import { type Endpoint, isFile } from "../src/contract/endpoint.ts";
import { ERRORS } from "./contract/errors.ts";
import { textSchemas } from "./contract/parameters.ts";
import { schemasFor } from "./contract/schemas.ts";

/** A schema in the document. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

/** Descriptions of named types, where their schemas have none. */
const NAMED: Readonly<Record<string, string>> = {
  Failure: "An error.",
  ParameterFailure: "An error in the path or the query.",
};

export function clientTypes(): string {
  const documents = (["key", "wallet"] as const).map((signIn) => ({
    // git has its own protocol, so the client has no types for its routes.
    endpoints: allEndpoints(signIn, "both").filter(({ hasTextErrors }) => hasTextErrors !== true),
    document: JSON.parse(
      JSON.stringify(openApiDocument({ version: "", basePath: "", signIn, dialect: "both" })),
    ),
  }));
  const schemas = JSON.parse(JSON.stringify(schemasFor(documents[0]!.endpoints).named)) as Record<
    string,
    Schema
  >;
  const routes = new Map<string, { endpoint: Endpoint; forms: string[][] }>();
  for (const { endpoints, document } of documents) {
    for (const endpoint of endpoints) {
      const { method, path, name } = endpoint;
      const operation = document.paths[toTemplate(path)][method.toLowerCase()];
      const key = `${method} ${path}`;
      const route = routes.get(key) ?? { endpoint, forms: [] };
      if (!routes.has(key)) routes.set(key, route);
      if (!route.forms.some(([known]) => known === name)) {
        route.forms.push([name, ...formsOf(endpoint, operation)]);
      }
    }
  }
  return [
    HEADER,
    ...Object.entries(schemas).map(([name, schema]) => {
      const text = NAMED[name] ?? schema.description ?? `Schema \`${name}\` of the contract.`;
      return `/** ${text} */\nexport type ${name} = ${typeOf({ ...schema, description: "" } as Schema)};\n`;
    }),
    errorCodes(),
    "/** All routes: parameters of path and query, body, and answer. */",
    "export interface Routes {",
    ...[...routes].map(([key, { endpoint, forms }]) => {
      const union = (at: number) => [...new Set(forms.map((form) => form[at]))].join(" | ");
      const section = endpoint.section === "today" ? "`/repos` dialect" : endpoint.section;
      return `  /** ${endpoint.summary} (${section}) */\n  readonly ${JSON.stringify(key)}: {\n` +
        `    readonly params: ${forms[0]![1]};\n    readonly body: ${union(2)};\n` +
        `    readonly answer: ${union(3)};\n  };`;
    }),
    "}\n",
  ].join("\n");
}

const HEADER = `/**
 * Types of all requests and answers. Made from the contract by \`node build/client_types.ts\`; never edited.
 */
`;

/** Types of parameters, body and answer. */
function formsOf(
  { answers, path }: Endpoint,
  { parameters, requestBody, responses }: {
    readonly parameters: readonly Parameter[];
    readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
    readonly responses: Readonly<
      Record<string, { readonly content: { readonly "application/json": { readonly schema: Schema } } }>
    >;
  },
): string[] {
  const members = parameters.filter(({ name, in: place }) =>
    name !== undefined && place !== "header" &&
    (place !== "path" || new RegExp(`[:*]${name}(?:/|$)`).test(path))
  )
    .map(({ name, required, description, schema }) =>
      `/** ${description} */\nreadonly ${name}${required === true ? "" : "?"}: ${typeOf(schema!)}${
        required === true ? "" : " | undefined"
      };`
    );
  const contents = Object.entries(answers).map(([status, content]) =>
    isFile(content) ? "Uint8Array" : typeOf(responses[status]!.content["application/json"].schema)
  );
  return [
    members.length === 0 ? "Readonly<Record<never, never>>" : `{\n${members.join("\n")}\n}`,
    requestBody === undefined ? "undefined" : typeOf(requestBody.content["application/json"].schema),
    contents.join(" | "),
  ];
}

/** Types of the error codes, and of the code that belongs to a status. */
function errorCodes(): string {
  const codes = Object.entries(ERRORS);
  const byStatus = new Map(codes.toReversed().map(([code, { status }]) => [status, code]));
  return [
    "/** Codes of errors. */",
    `export type ErrorCode =\n${
      codes.map(([code, { description }]) => `  /** ${description} */\n  | ${JSON.stringify(code)}`).join(
        "\n",
      )
    };\n`,
    "/** The code of a status; of 400 it may also be `badParameter`. */",
    `export const ERROR_CODES: Readonly<Record<number, ErrorCode>> = ${
      JSON.stringify(Object.fromEntries([...byStatus].sort(([a], [b]) => a - b)), undefined, 2)
    };\n`,
  ].join("\n");
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, prefixItems, properties, required = [], additionalProperties } = schema;
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1)!;
    return TEXTS.includes(name) ? "string" : name;
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(typeOf))].join(" | ");
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(typeOf).join(", ")}]`;
  if (type === "array") return listOf(typeOf(items as Schema));
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => {
      const { description } = member;
      const comment = description === undefined ? "" : `/** ${description} */\n`;
      return `${comment}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(member)};`;
    });
    return `{\n${members.join("\n")}\n}`;
  }
  if (typeof additionalProperties === "object") {
    return `Readonly<Record<string, ${typeOf(additionalProperties)}>>`;
  }
  return type === "integer" ? "number" : type ?? "unknown";
}

/** Names of text schemas in the document. */
const TEXTS = Object.keys(textSchemas([]));

function listOf(item: string): string {
  return /^[\w.]+$/.test(item) ? `readonly ${item}[]` : `readonly (${item})[]`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL("../src/client/contract.ts", import.meta.url), clientTypes());
}
