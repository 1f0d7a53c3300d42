/** The members of an OpenAPI 3.1 document that the reference shows. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
  readonly default?: unknown;
}

/** A parameter in a path, a query or a header, or a reference to a named parameter. */
export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

/** Contents of a body, by media type. */
export type Contents = Readonly<
  Record<string, { readonly schema?: Schema; readonly example?: unknown }>
>;

/** A response, or a reference to a named response. */
export interface DocumentedAnswer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Contents;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** An operation with its method and path. */
export interface Entry {
  readonly method: string;
  readonly template: string;
  readonly operation: Operation;
}

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Components;
}

/** Returns the name at the end of a reference. */
export function referredName(reference: string): string {
  return reference.split("/").at(-1)!;
}

/** Follows a reference to a named component. Returns any other component unchanged. */
export function resolve<Part extends { readonly $ref?: string }>(
  part: Part,
  named: Readonly<Record<string, Part>>,
): Part {
  return part.$ref === undefined ? part : named[referredName(part.$ref)] ?? part;
}
