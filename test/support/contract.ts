/**
 * Compares answers with the contract, as strictly as possible: every member and every header field must be
 * described.
 */
import { normalizeBasePath } from "../../src/http/base_path.ts";
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { allEndpoints, type DescribedRoute, type Dialect } from "../../build/contract/all.ts";
import { openApiDocument, statusesOf, toTemplate } from "../../build/contract/document.ts";
import { isFile } from "../../src/contract/endpoint.ts";
import { inMatchingOrder } from "../../src/routes/table.ts";
import { headersOf, headersOfError, isTagged } from "../../build/contract/headers.ts";

/** An answer and its request. */
export interface Exchange {
  readonly method: string;
  /** Path below the base path, without the query. */
  readonly path: string;
  readonly status: number;
  /** Header fields, without the fields that servers add. */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** The body of a JSON answer, parsed; otherwise `undefined`. */
  readonly json: unknown;
}

/** Schemas to which nodes may add members. */
const OPEN = ["FetchResult", "OpenApi"];

/** A contract that answers are compared with. */
class Judge {
  readonly #endpoints: readonly { readonly endpoint: DescribedRoute; readonly pattern: RegExp }[];
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false });

  constructor(signIn: "key" | "wallet", dialect: Dialect, page: boolean) {
    const endpoints = inMatchingOrder(allEndpoints(signIn, dialect, page), ({ path }) => path);
    this.#endpoints = endpoints.map((endpoint) => ({
      endpoint,
      pattern: patternOf(endpoint.path),
    }));
    const document = openApiDocument({ version: "", basePath: "", signIn, dialect, page, withUnused: true });
    this.#ajv.addSchema(close(JSON.parse(JSON.stringify(document))) as object, "contract");
  }

  /** The faults of an answer. */
  faults(exchange: Exchange): string[] {
    const { method, path, status, headers, json } = exchange;
    // The first match is the route, as in the router.
    const first = this.#endpoints.find(({ pattern }) => pattern.test(path))?.endpoint.path;
    const asked = method === "HEAD" ? "GET" : method;
    const endpoint = this.#endpoints.find(({ endpoint }) =>
      endpoint.path === first && endpoint.method === asked
    )?.endpoint;
    if (method === "OPTIONS" && first !== undefined) return status === 200 ? [] : [`status ${status}`];
    const content = endpoint?.answers[status];
    if (endpoint === undefined || content === undefined) {
      const isKnown = status === (first === undefined ? 404 : 405) || status === 503 ||
        endpoint !== undefined &&
          (statusesOf(endpoint).has(status) || isTagged(endpoint.caching) && status === 304);
      if (!isKnown) return [`status ${status} is not described`];
      const isExpensive = this.#endpoints.some(({ endpoint }) =>
        endpoint.path === first && endpoint.isExpensive === true
      );
      const known = status === 304 ? headersOf(endpoint!, true) : headersOfError(status, isExpensive);
      const name = `${isExpensive ? "expensive" : ""}${status}`;
      return [
        ...unknownFields(headers, known),
        ...(json === undefined ? [] : this.#differences(`/components/responses/${name}`, json)),
      ];
    }
    const fields = unknownFields(headers, headersOf(endpoint, isFile(content)));
    if (json === undefined || isFile(content)) return fields;
    const place = `/paths/${escape(toTemplate(endpoint.path))}/${asked.toLowerCase()}/responses/${status}`;
    return [...fields, ...this.#differences(place, json)];
  }

  #differences(place: string, json: unknown): string[] {
    const validate = this.#ajv.getSchema(`contract#${place}/content/application~1json/schema`);
    if (validate === undefined) return [`${place} is not described`];
    return validate(json) ? [] : [this.#ajv.errorsText(validate.errors, { dataVar: "answer" })];
  }
}

const judges = new Map<string, Judge>();

/** The service that answers. */
export interface Answering {
  readonly wallets?: object | undefined;
  readonly api?: Dialect | undefined;
  readonly basePath?: string | undefined;
  readonly page?: boolean | undefined;
}

/** Returns the faults of an answer by the contract. Usually there are none. */
export function faultsOf(
  exchange: Exchange,
  { wallets, api = "both", page = false }: Answering = {},
): string[] {
  const signIn = wallets === undefined ? "key" : "wallet";
  const key = `${signIn} ${api} ${page}`;
  let judge = judges.get(key);
  if (judge === undefined) judges.set(key, judge = new Judge(signIn, api, page));
  return judge.faults(exchange);
}

/**
 * Fails unless the answer fits the contract.
 *
 * @param text Its body.
 */
export function checkAnswer(
  request: Request,
  response: Response,
  text: string,
  answering: Answering = {},
): void {
  const { pathname } = new URL(request.url);
  const base = normalizeBasePath(answering.basePath ?? "");
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : "outside";
  const isJson = response.headers.get("content-type") === "application/json" && text !== "";
  const exchange = {
    method: request.method,
    path,
    status: response.status,
    headers: response.headers,
    json: isJson ? JSON.parse(text) : undefined,
  };
  assert.deepEqual(faultsOf(exchange, answering), [], `${request.method} ${path}: ${text.slice(0, 500)}`);
}

/** Fields that each answer describes by its content. */
const OF_CONTENT = ["content-type"];

function unknownFields(headers: Exchange["headers"], known: readonly string[]): string[] {
  const names = [...OF_CONTENT, ...known.map((name) => name.toLowerCase())];
  return [...headers].filter(([name]) => !names.includes(name)).map(([name]) => `header field ${name}`);
}

/** A path as the router reads it. */
function patternOf(path: string): RegExp {
  const source = path.replace(/[.]/g, "\\$&").replace(/:\w+$/, "[^/]+").replace(/:\w+/g, "[^/]*")
    .replace(/\*\w+$/, ".+");
  return new RegExp(`^${source}$`);
}

/** Forbids members without a description in all objects. */
function close(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => close(item));
  if (typeof value !== "object" || value === null || OPEN.includes(name)) return value;
  const closed = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, close(member, name)]),
  );
  const isShape = closed["type"] === "object" && "properties" in closed &&
    !("additionalProperties" in closed);
  return isShape ? { ...closed, additionalProperties: false } : closed;
}

function escape(path: string): string {
  return encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** Requests an answer from an API, and fails unless it fits the contract. */
export async function askChecked(
  api: { fetch(request: Request, client?: unknown): Promise<Response> },
  request: Request,
  client?: unknown,
  answering?: Answering,
): Promise<Response> {
  const response = await api.fetch(request, client);
  const isText = /json|^text\/(?!event-stream)/.test(response.headers.get("content-type") ?? "");
  checkAnswer(request, response, isText ? await response.clone().text() : "", answering);
  return response;
}
