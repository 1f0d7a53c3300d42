/**
 * The contract as an OpenAPI document (4.11). `node build/carry_contract.ts` generates it, except the parts
 * that differ between services: version, base path, and aliases of repositories.
 */
import type { Call } from "./call.ts";
import { toTemplate, usedComponents } from "../contract/openapi.ts";
import type { OpenApi } from "../contract/root.ts";
import type { AnswerOf } from "../http/answer.ts";
import { entityTag, unlessKnown } from "../http/conditional.ts";
import { jsonText } from "../http/respond.ts";
import type { Service } from "./service.ts";

/** Path of the document, relative to the base path. */
const PATH = "/api/v1/openapi.json";

/** The answer of each running service: one document of about 350 kB. */
const answers = new WeakMap<Service, AnswerOf<OpenApi>>();

/** Shows the document of a service. */
export async function showDocument(call: Call): Promise<AnswerOf<OpenApi>> {
  const { service, url, request } = call;
  // Loaded late, because only this request needs the documents.
  const documents = await import("../contract/carried/documents.ts");
  // The API has one base path, so this path is the same for all requests.
  const basePath = url.pathname.slice(0, -PATH.length);
  let answer = answers.get(service);
  if (answer === undefined) answers.set(service, answer = makeDocument(service, basePath, documents));
  return unlessKnown(request, answer);
}

/** Assembles the document of a service. */
function makeDocument(
  { version, walletRules, dialect, served, aliases }: Service,
  basePath: string,
  { DOCUMENTS, PARTS }: typeof import("../contract/carried/documents.ts"),
): AnswerOf<OpenApi> {
  const signIn = walletRules === undefined ? "key" : "wallet";
  const parts = DOCUMENTS[`${signIn} ${dialect} ${served.hasPage}`]!.map((part) => PARTS[part]);
  const own: Readonly<Record<string, string>> = {
    version,
    basePath: basePath || "/",
    aliases: aliases.names.map((name) => `|${name.replaceAll(".", "\\.")}`).join(""),
  };
  const whole = parts.join("").replace(/%(version|basePath|aliases)%/g, (_, name) => quoted(own[name]!));
  const text = ofServed(whole, served.patterns);
  return jsonText(text, { headers: { "cache-control": "no-cache", etag: entityTag(text) } });
}

/** Removes the paths that this service has no routes for, and the components that only they use. */
function ofServed(text: string, patterns: ReadonlySet<string>): string {
  const templates = new Set([...patterns].map(toTemplate));
  // Bounds of 64 bits become strings while they are parsed, because a JavaScript number would round them.
  const document = JSON.parse(text.replace(/:(-?\d{16,})(?=[,}])/g, ':"exactly $1"'));
  const absent = Object.keys(document.paths).filter((template) => !templates.has(template));
  if (absent.length === 0) return text;
  for (const template of absent) delete document.paths[template];
  const { securitySchemes, ...components } = document.components;
  document.components = { ...usedComponents(components, document.paths), securitySchemes };
  return JSON.stringify(document).replace(/"exactly (-?\d+)"/g, "$1");
}

/** Escapes a text for use within a JSON string. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
