/** The contract as a document of OpenAPI (4.11): made for the first client that asks. */
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

/** Makes the document of a service. What it needs is loaded now: no other request needs it. */
async function makeDocument({ service, task }: Call, basePath: string): Promise<AnswerOf<OpenApi>> {
  const { version, walletRules, dialect, page, aliases } = service;
  // One after the other: a runtime may link a module and all that it imports at once.
  await import("../contract/examples.ts");
  await task.yield();
  const { withExactBounds } = await import("../contract/schemas.ts");
  await task.yield();
  const { openApiDocument } = await import("../contract/document.ts");
  await task.yield();
  const signIn = walletRules === undefined ? "key" : "wallet";
  const text = withExactBounds(JSON.stringify(
    await task.run(openApiDocument({ version, basePath, signIn, dialect, page, names: aliases.names })),
  ));
  return jsonText(text, { headers: { "cache-control": "no-cache", etag: entityTag(text) } });
}
