/**
 * Sends the contract as an OpenAPI document (docs/api.md, 4.11), which consists of generated parts of the
 * core and of the extensions (`node build/carry_contract.ts`). This module adds the version, the base path,
 * and the aliases of repositories.
 */
import type { Call } from "./call.ts";
import type { DocumentPart, JsonTexts } from "../contract/openapi.ts";
import type { OpenApi } from "../contract/root.ts";
import type { AnswerOf } from "../http/answer.ts";
import { entityTag, unlessKnown } from "../http/conditional.ts";
import { jsonText } from "../http/respond.ts";
import type { Service } from "./service.ts";

/** Path of the document, relative to the base path. */
const PATH = "/api/v1/openapi.json";

/** The document of each running service. A document takes about 350 kB. */
const answers = new WeakMap<Service, Promise<AnswerOf<OpenApi>>>();

export async function showDocument({ service, url, request }: Call): Promise<AnswerOf<OpenApi>> {
  let answer = answers.get(service);
  if (answer === undefined) {
    // The API has one base path, so the path of the document is the same for all requests.
    answer = makeDocument(service, url.pathname.slice(0, -PATH.length));
    answers.set(service, answer);
    // After a failure, the next request tries again.
    answer.catch(() => answers.delete(service));
  }
  return unlessKnown(request, await answer);
}

async function makeDocument(
  { version, walletRules, dialect, additions, aliases }: Service,
  basePath: string,
): Promise<AnswerOf<OpenApi>> {
  // The module is loaded late, because only this request needs it.
  const { DOCUMENT, HEAD } = await import("../contract/carried/document.ts");
  const signIn = walletRules === undefined ? "key" : "wallet";
  // A service with only the `/repos` dialect has no route for the document.
  const served = dialect === "v1" ? "v1" : "both";
  const parts = [DOCUMENT[`${signIn} ${served}`], ...await additions.documentParts(served)];
  const whole = joined([HEAD, {
    paths: joined(parts.map(({ paths }) => paths)),
    components: componentsOf(parts),
  }]);
  const own: Readonly<Record<string, string>> = {
    version,
    basePath: basePath || "/",
    aliases: aliases.names.map((name) => `|${name.replaceAll(".", "\\.")}`).join(""),
  };
  const text = whole.replace(/%(version|basePath|aliases)%/g, (_, name) => quoted(own[name]!));
  return jsonText(text, { headers: { "cache-control": "no-cache", etag: entityTag(text) } });
}

function componentsOf(parts: readonly DocumentPart[]): string {
  const kinds = new Set(parts.flatMap(({ components }) => Object.keys(components)));
  const texts = [...kinds].map((kind) => [kind, joined(parts.map(({ components }) => components[kind]))]);
  return joined([Object.fromEntries(texts)]);
}

/**
 * Returns one JSON object with all members of several objects. A later member replaces an earlier member with
 * the same name.
 */
function joined(objects: readonly (JsonTexts | undefined)[]): string {
  const members = Object.entries<string>(Object.assign({}, ...objects));
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/** Escapes a text so that it can be inserted into a JSON string. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
