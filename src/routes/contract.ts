/**
 * The contract as a document of OpenAPI (4.11). `node build/carry_contract.ts` has made it, apart from what
 * differs between services: version, base path, and names of repositories.
 */
import type { Call } from "./call.ts";
import type { OpenApi } from "../contract/root.ts";
import type { AnswerOf } from "../http/answer.ts";
import { entityTag, holdsTag, isAnyTag, notModified } from "../http/conditional.ts";
import { jsonText } from "../http/respond.ts";
import type { Service } from "./service.ts";

/** Path of the document, below that of the API. */
const PATH = "/api/v1/openapi.json";

/** The answer of each running service: one document of about 350 kB. */
const answers = new WeakMap<Service, Promise<AnswerOf<OpenApi>>>();

/** Shows the document of a service. */
export async function showDocument(call: Call): Promise<AnswerOf<OpenApi>> {
  const { service, url, request } = call;
  // The API is mounted in one place: all requests have the same path.
  const basePath = url.pathname.slice(0, -PATH.length);
  let made = answers.get(service);
  if (made === undefined) answers.set(service, made = makeDocument(call, basePath));
  const answer = await made.catch((error) => {
    answers.delete(service);
    throw error;
  });
  const asked = request.headers.get("if-none-match");
  const isKnown = asked !== null && (isAnyTag(asked) || holdsTag(asked, answer.headers["etag"]));
  return isKnown ? notModified(answer.headers) : answer;
}

/** Makes the document of a service from its parts, which no other request needs. */
async function makeDocument({ service }: Call, basePath: string): Promise<AnswerOf<OpenApi>> {
  const { version, walletRules, dialect, page, aliases } = service;
  const { DOCUMENTS, PARTS } = await import("../contract/carried/documents.ts");
  const signIn = walletRules === undefined ? "key" : "wallet";
  const parts = DOCUMENTS[`${signIn} ${dialect} ${page}`]!.map((part) => PARTS[part]);
  const own: Readonly<Record<string, string>> = {
    version,
    basePath: basePath || "/",
    aliases: aliases.names.map((name) => `|${name.replaceAll(".", "\\.")}`).join(""),
  };
  const text = parts.join("").replace(/%(version|basePath|aliases)%/g, (_, name) => quoted(own[name]!));
  return jsonText(text, { headers: { "cache-control": "no-cache", etag: entityTag(text) } });
}

/** A text as it is within a string of JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
