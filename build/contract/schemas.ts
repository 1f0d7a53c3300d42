/** Converts the schemas of the contract to JSON Schema (draft 2020-12), which OpenAPI 3.1 uses. */
import { type ConversionConfig, toJsonSchemaDefs } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { DidText } from "../../src/cob/entry/fields.ts";
import { IssueRequest } from "../../src/cob/issue/issue.ts";
import { emojiPattern, SentEmoji } from "../../src/cob/issue/reaction.ts";
import { isEarlyType, type PatchAction, SentPatchAction } from "../../src/cob/patch/patch_action.ts";
import { NewIssue } from "../../src/cob/write/issue_request.ts";
import { LaterPatchRequest, NewPatch, PatchRequest } from "../../src/cob/write/patch_request.ts";
import { SignedInteger, UnsignedInteger } from "../../src/http/parameters.ts";
import * as bodies from "../../src/contract/bodies.ts";
import * as commits from "../../src/contract/commits.ts";
import * as diff from "../../src/contract/diff.ts";
import { type Endpoint, isFile } from "../../src/contract/endpoint.ts";
import * as errors from "./errors.ts";
import * as events from "../../extensions/events/contract.ts";
import * as issues from "../../src/contract/issues.ts";
import * as node from "../../src/contract/node.ts";
import * as patches from "../../src/contract/patches.ts";
import * as projects from "../../src/contract/projects.ts";
import * as root from "../../src/contract/root.ts";
import * as sessions from "../../src/contract/sessions.ts";
import * as today from "../../src/contract/today_schemas.ts";
import * as thread from "../../src/contract/thread.ts";
import * as tree from "../../src/contract/tree.ts";
import { Did, NodeId, Oid, RepoId, Time } from "../../src/contract/values.ts";

/** A schema, or another part of the document. */
export type JsonSchema = { readonly [keyword: string]: unknown };

type Schemas = Readonly<Record<string, v.GenericSchema>>;

/** Modules whose exported schemas are schemas of answers. Each gets its own name in the document. */
const MODULES = [
  errors,
  root,
  projects,
  commits,
  diff,
  tree,
  thread,
  issues,
  patches,
  node,
  sessions,
  events,
  today,
];
const ANSWERS: Schemas = { RepoId, NodeId, Did, Oid, Time, ...Object.assign({}, ...MODULES.map(schemasOf)) };
const REQUESTS: Schemas = { NewIssue, IssueAction: IssueRequest, NewPatch, ...schemasOf(bodies) };

/** Path of named schemas in the document. */
export const COMPONENTS = "#/components/schemas/";

const COMMON = {
  target: "draft-2020-12",
  overrideRef: ({ referenceId }: { referenceId: string }) => COMPONENTS + referenceId,
} as const;

/**
 * Options for schemas of requests. JSON Schema cannot express their checks and the order of sets, except for
 * sets of texts.
 */
function ofRequests(emojis: string): Partial<ConversionConfig> {
  return {
    ...COMMON,
    typeMode: "input",
    errorMode: "ignore",
    ignoreActions: ["metadata", "check"],
    overrideSchema({ valibotSchema }) {
      if (valibotSchema === DidText.pipe[0]) return { $ref: `${COMPONENTS}DidText` };
      return valibotSchema === SentEmoji.pipe[0] ? { type: "string", pattern: emojis } : undefined;
    },
  };
}

/** Schemas for the contents of answers and bodies. */
export interface ContractSchemas {
  /** Schemas with a name. */
  readonly named: Readonly<Record<string, JsonSchema>>;
  /** The schema of an answer or a body of these routes. */
  of(schema: v.GenericSchema): JsonSchema;
}

const FIRST_EMOJIS = emojiPattern("early");
const ALL_EMOJIS = emojiPattern("all");

export function schemasFor(endpoints: readonly Endpoint[]): ContractSchemas {
  const contents = endpoints.flatMap(({ answers }) => Object.values(answers)).filter((one) => !isFile(one));
  const unnamed = [...new Set(contents as readonly v.GenericSchema[])].filter((schema) =>
    !Object.values(ANSWERS).includes(schema)
  );
  const numbered = Object.fromEntries(unnamed.map((schema, i) => [`#${i}`, schema]));
  const answers = toJsonSchemaDefs({ ...ANSWERS, ...numbered }, COMMON);
  const requests = toJsonSchemaDefs(REQUESTS, ofRequests(FIRST_EMOJIS));
  Object.assign(requests["KeyProof"]!.properties!, {
    sig: { $ref: `${COMPONENTS}SignatureText` },
    pk: { $ref: `${COMPONENTS}NodeIdText` },
  });
  Object.assign(requests["NewIssue"]!, ON_ONE_LINE);
  narrow(requests["IssueAction"]!.oneOf as readonly ActionJson[]);
  const named: Record<string, unknown> = {
    ...answers,
    ...requests,
    PatchAction: patchActions(isEarlyType, FIRST_EMOJIS),
    RepoPatchAction: patchActions(() => true, ALL_EMOJIS),
  };
  const byNumber = unnamed.map((_, i) => {
    const schema = named[`#${i}`] as JsonSchema;
    delete named[`#${i}`];
    return schema;
  });
  const names = new Map(
    Object.entries({
      ...ANSWERS,
      ...REQUESTS,
      PatchAction: PatchRequest,
      RepoPatchAction: LaterPatchRequest,
    }).map(([name, schema]) => [schema as v.GenericSchema, name]),
  );
  return {
    named: named as Record<string, JsonSchema>,
    of(schema) {
      const name = names.get(schema);
      if (name !== undefined) return { $ref: COMPONENTS + name };
      return byNumber[unnamed.indexOf(schema)] ?? fail("A schema of a body needs a name in the contract");
    },
  };
}

/** Bounds of integers with 64 bits, as near as JSON numbers come to them. */
const UNSIGNED = { minimum: 0, maximum: 2 ** 64 - 2 ** 11 };
const SIGNED = { minimum: 2 ** 10 - 2 ** 63, maximum: 2 ** 63 - 2 ** 10 };
/** The near bounds, and the exact ones, which only JSON text can contain. */
const EXACT_BOUNDS: readonly (readonly [close: number, exact: bigint])[] = [
  [UNSIGNED.maximum, 2n ** 64n - 1n],
  [SIGNED.minimum, -(2n ** 63n)],
  [SIGNED.maximum, 2n ** 63n - 1n],
];

/** Puts the exact bounds into the text of a document, for readers that support larger numbers. */
export function withExactBounds(text: string): string {
  return EXACT_BOUNDS.reduce(
    (text, [close, exact]) => text.replaceAll(`imum":${close}`, `imum":${exact}`),
    text,
  );
}

/** The schema of a query parameter. Numbers are texts there. */
export function parameterSchema(entry: v.GenericSchema): JsonSchema {
  const { wrapped, default: value } = entry as unknown as {
    readonly wrapped: v.GenericSchema;
    readonly default: unknown;
  };
  const isNumber = wrapped as unknown === UnsignedInteger || wrapped as unknown === SignedInteger;
  const schema: JsonSchema = isNumber
    ? { type: "integer", ...(wrapped as unknown === UnsignedInteger ? UNSIGNED : SIGNED) }
    : toJsonSchemaDefs({ wrapped }, { ...COMMON, typeMode: "input" })["wrapped"] as JsonSchema;
  return { ...schema, ...(value !== undefined && { default: isNumber ? Number(value) : value }) };
}

interface ActionJson {
  readonly properties: Record<string, unknown>;
}

/** A title without line breaks. */
const ON_ONE_LINE = { allOf: [{ properties: { title: { pattern: "^[^\\n\\r]*$" } } }] };
const given = (name: string) => ({ required: [name], properties: { [name]: { type: "string" } } });
const WITH_BODY = { properties: { body: { minLength: 1 } } };
/** Further requirements of the handler for actions of issues, by type. */
const ISSUES: Readonly<Record<string, JsonSchema>> = {
  edit: ON_ONE_LINE,
  comment: { allOf: [given("replyTo"), WITH_BODY] },
  "comment.edit": { allOf: [WITH_BODY] },
};
/** Further requirements for actions of patches, by type. */
const PATCHES: Readonly<Record<string, JsonSchema>> = {
  ...ofEach(["review", "review.edit"], { anyOf: [given("summary"), given("verdict")] }),
  ...ofEach(
    ["revision.comment", "revision.comment.edit", "review.comment", "review.comment.edit"],
    WITH_BODY,
  ),
};

function ofEach(types: readonly string[], schema: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(types.map((type) => [type, { allOf: [schema] }]));
}

/** Adds the requirements of a handler to the schemas of actions. */
function narrow(actions: readonly ActionJson[], rules = ISSUES): void {
  for (const action of actions) {
    const { const: type } = action.properties["type"] as { readonly const: string };
    Object.assign(action, rules[type]);
  }
}

/** Actions of patches that requests may contain. */
function patchActions(isServed: (type: PatchAction["type"]) => boolean, emojis: string): JsonSchema {
  const actions = SentPatchAction.options.filter(({ entries }) => isServed(entries.type.literal));
  const converted = toJsonSchemaDefs(
    Object.fromEntries(actions.map((action, i) => [String(i), action as unknown as v.GenericSchema])),
    ofRequests(emojis),
  );
  const schemas = Object.values(converted) as ActionJson[];
  narrow(schemas, PATCHES);
  for (const { properties } of schemas) {
    if ("reply_to" in properties) properties["replyTo"] = properties["reply_to"];
  }
  return { oneOf: schemas };
}

function schemasOf(module: object): Schemas {
  return Object.fromEntries(Object.entries(module).filter(([, value]) => value?.kind === "schema"));
}

function fail(message: string): never {
  throw new TypeError(message);
}
