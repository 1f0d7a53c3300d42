/**
 * Builds the OpenAPI 3.1 document of the contract (4.11). Parameters with the same name have the same
 * description, unless a route has its own.
 */
import { allEndpoints, type DescribedRoute, type Dialect } from "./all.ts";
import { type Content, type FileContent, isFile } from "../../src/contract/endpoint.ts";
import type { ErrorCode } from "../../src/http/errors.ts";
import { ERRORS, EVERYWHERE, Failure, OF_EXPENSIVE, ParameterFailure } from "./errors.ts";
import { EXAMPLES } from "./examples.ts";
import { HEADERS, headersOf, headersOfError, isTagged, NUMBERS } from "./headers.ts";
import { pathParameters, queryParameters, textSchemas } from "./parameters.ts";
import { type ContractSchemas, type JsonSchema, schemasFor } from "./schemas.ts";

/** Facts about a service that its document shows, besides the routes. */
export interface ServiceFacts {
  readonly version: string;
  /** Path below which the service is mounted. Empty for none. */
  readonly basePath: string;
  /** Names that the host gives to repositories. Default: none. */
  readonly names?: readonly string[];
  /** Whether to include components that nothing refers to, such as the error 405. Default: no. */
  readonly withUnused?: boolean;
}

/** Options of {@link openApiDocument}. */
export interface DocumentOptions extends ServiceFacts {
  readonly signIn: "key" | "wallet";
  readonly dialect: Dialect;
  /** Whether the service has the page for browsers. Default: no. */
  readonly page?: boolean;
}

/** Descriptions of header fields of requests. */
const REQUEST_FIELDS = {
  ifNoneMatch: [
    "If-None-Match",
    "Tags of answers that the client has. If the present answer has one of them, the status is 304.",
  ],
  range: ["Range", "The requested bytes, as one range: `bytes=0-99`, `bytes=100-`, `bytes=-100`."],
  ifRange: [
    "If-Range",
    "Tag of the answer that the client has a part of. If it differs, `Range` is ignored.",
  ],
} as const;
/** Header fields of routes that serve byte ranges. */
const RANGE_FIELDS = ["range", "ifRange"] as const;

/** Groups of routes, by the first digits of the section that describes them. */
const TAGS: readonly (readonly [section: string, name: string, description: string])[] = [
  ["4.2", "projects", "Repositories with their history, files and branches."],
  ["4.3", "issues", "Issues of a repository."],
  ["4.4", "patches", "Patches of a repository."],
  ["4.5", "node", "The node, its seeding policies, and other nodes."],
  ["4.6", "projects", ""],
  ["4.7", "node", ""],
  ["4.8", "sessions", "Sign-in, for changes."],
  ["4.9", "service", "The service itself."],
  ["4.10", "raw", "Files, byte for byte."],
  ["4.11", "service", ""],
  ["4.12", "git", "Clones and fetches by git."],
  ["4.13", "raw", ""],
  ["4.14", "service", ""],
  ["4.15", "search", "Full-text search."],
  ["4.16", "events", "Live changes."],
  ["today", "today", "Repositories for clients of the `/repos` dialect of `radicle-httpd`."],
];

/** The document for one kind of service, with all extensions. */
export function openApiDocument({ signIn, dialect, page, ...facts }: DocumentOptions): JsonSchema {
  return documentOf(allEndpoints(signIn, dialect, page), facts);
}

/** The document of a service with these routes. */
export function documentOf(
  endpoints: readonly DescribedRoute[],
  { version, basePath, names = [], withUnused = false }: ServiceFacts,
): JsonSchema {
  const schemas = schemasFor(endpoints);
  const byPath = Map.groupBy(endpoints, ({ path }) => toTemplate(path));
  const paths = Object.fromEntries([...byPath].map(([path, ofPath]) => [path, pathItem(ofPath, schemas)]));
  const components = {
    schemas: { ...schemas.named, ...textSchemas(names) },
    responses: errorResponses(schemas),
    headers: Object.fromEntries(
      Object.entries(HEADERS).map(([name, description]) => [
        name,
        { description, schema: { type: NUMBERS.includes(name) ? "integer" : "string" } },
      ]),
    ),
    parameters: Object.fromEntries(
      Object.entries(REQUEST_FIELDS).map(([key, [name, description]]) => [
        key,
        { name, in: "header", description, schema: { type: "string" } },
      ]),
    ),
  };
  const hasSessions = endpoints.some(({ needsSession }) => needsSession);
  return {
    openapi: "3.1.0",
    info: {
      title: "Xylem",
      version,
      summary: "The HTTP/JSON API of a Radicle node",
      description: DESCRIPTION,
      license: { name: "MIT OR Apache-2.0", identifier: "MIT OR Apache-2.0" },
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    tags: TAGS.filter(([, , description]) => description !== "")
      .map(([, name, description]) => ({ name, description })),
    paths,
    components: {
      ...(withUnused ? components : usedComponents(components, paths)),
      ...(hasSessions && {
        securitySchemes: {
          session: {
            type: "http",
            scheme: "bearer",
            description: "Id of an authorized session, in the header field `Authorization`.",
          },
        },
      }),
    },
  };
}

const DESCRIPTION =
  "Paths are exact. Each path supports `OPTIONS`, and each path with `GET` also supports `HEAD`. " +
  "Clients should ignore unknown members. If two templates match a path, the one with fewer parameters " +
  "counts: `api`, `raw` and `page`, with which most paths of this document begin, are never names of " +
  "repositories.";

/**
 * Converts a path to the notation of OpenAPI. Paths that differ only in a final slash share one description.
 */
export function toTemplate(path: string): string {
  const whole = path.endsWith("/:sha/") ? `${path}*path` : path === "/" ? path : path.replace(/\/$/, "");
  return whole.replace(/[:*](\w+)/g, "{$1}");
}

/** The components of a document, by kind and name. */
type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The components that paths refer to, directly or through other components. */
function usedComponents(
  components: Components,
  paths: object,
): Record<string, Record<string, unknown>> {
  const used = new Set<string>();
  const parts: unknown[] = Object.values(paths);
  for (const part of parts) {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (used.has(`${kind}/${name}`)) continue;
      used.add(`${kind}/${name}`);
      parts.push(components[kind!]![name!]);
    }
  }
  return Object.fromEntries(
    Object.entries(components).map(([kind, named]) => [
      kind,
      Object.fromEntries(Object.entries(named).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  );
}

/** The operations of a path. A route that ends with a slash is described with the route without the slash. */
function pathItem(endpoints: readonly DescribedRoute[], schemas: ContractSchemas): JsonSchema {
  const slashed = endpoints.filter((one) => hasOtherForm(one.path));
  return Object.fromEntries(
    endpoints.filter((one) => !slashed.includes(one)).map((one) => {
      const other = slashed.find(({ method }) => method === one.method);
      const description = other === undefined
        ? undefined
        : one.path.endsWith("*path")
        ? "Without `path`, and with the slash before it: the root folder."
        : "Same, with a slash at the end.";
      return [one.method.toLowerCase(), {
        ...operation(one, schemas),
        ...(description !== undefined && { description }),
      }];
    }),
  );
}

/** Whether a path is described together with another one. */
export function hasOtherForm(path: string): boolean {
  return path !== "/" && path.endsWith("/");
}

function operation(endpoint: DescribedRoute, schemas: ContractSchemas): JsonSchema {
  const { name, summary, section, query, body, content, needsSession, caching, takesRanges, isExpensive } =
    endpoint;
  const tag = TAGS.find(([start]) => section === start || section.startsWith(`${start}.`));
  if (tag === undefined) throw new TypeError(`No tag for section ${section}`);
  const example = EXAMPLES[name]?.request;
  return {
    operationId: name,
    tags: [tag[1]],
    summary,
    security: needsSession ? [{ session: [] }] : [],
    parameters: [
      ...pathParameters(endpoint),
      ...queryParameters(endpoint),
      ...(isTagged(caching) ? [{ $ref: "#/components/parameters/ifNoneMatch" }] : []),
      ...(takesRanges ? RANGE_FIELDS.map((field) => ({ $ref: `#/components/parameters/${field}` })) : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: schemas.of(body),
            ...(example !== undefined && { example: JSON.parse(example) }),
          },
        },
      },
    }),
    ...(content && {
      requestBody: {
        required: true,
        content: Object.fromEntries(content.mediaTypes.map((type) => [type, {}])),
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(endpoint.answers).map(([status, content]) => [
          status,
          success(endpoint, content, schemas),
        ]),
      ),
      ...(isTagged(caching) && {
        304: {
          description: "The client already has the answer.",
          headers: headerReferences([
            "Access-Control-Allow-Origin",
            "Access-Control-Expose-Headers",
            "Cache-Control",
            "ETag",
            "Vary",
            ...(isExpensive ? ["X-Robots-Tag"] : []),
          ]),
        },
      }),
      ...(query !== undefined && "path" in query.entries && {
        431: { description: "The path is longer than the host accepts." },
      }),
      ...Object.fromEntries(
        [...statusesOf(endpoint)].map((status) => [
          status,
          { $ref: `#/components/responses/${errorForm(endpoint)}${status}` },
        ]),
      ),
    },
  };
}

function success(endpoint: DescribedRoute, content: Content, schemas: ContractSchemas): JsonSchema {
  const answer = EXAMPLES[endpoint.name]?.answer;
  const isBytes = isFile(content) && content.events === undefined;
  return {
    description: endpoint.summary,
    headers: headerReferences(headersOf(endpoint, isBytes)),
    content: isFile(content) ? fileContent(content, schemas, answer) : {
      "application/json": {
        schema: schemas.of(content),
        ...(answer !== undefined && { example: JSON.parse(answer) }),
      },
      ...(endpoint.hasPage && { "text/html": {} }),
    },
  };
}

/** Content that is not JSON. For a stream of events, OpenAPI 3.1 describes the data of one event. */
function fileContent(
  { mediaTypes, events }: FileContent,
  schemas: ContractSchemas,
  text?: string,
): JsonSchema {
  const shown = mediaTypes.find((type) => type.startsWith("text/"));
  const contents = mediaTypes.map((type) => [type, {
    ...(events !== undefined && { schema: schemas.of(events) }),
    ...(type === shown && text !== undefined && { example: text }),
  }]);
  return Object.fromEntries(contents);
}

/** Statuses of a route's errors, ascending. */
export function statusesOf({ errors, isExpensive }: DescribedRoute): Set<number> {
  const codes = [...errors, ...EVERYWHERE, ...(isExpensive ? OF_EXPENSIVE : [])];
  return new Set(codes.map((code) => ERRORS[code].status).sort((a, b) => a - b));
}

/** Start of the names of a route's errors. All routes that answer errors as text are expensive. */
function errorForm({ hasTextErrors, isExpensive }: DescribedRoute): "text" | "expensive" | "" {
  return hasTextErrors ? "text" : isExpensive ? "expensive" : "";
}

/** Answers for each error status in each form. Several codes may have the same status. */
function errorResponses(schemas: ContractSchemas): JsonSchema {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].flatMap(([status, codes]) => {
    const forms = codes.map((code) => schemas.of(code === "badParameter" ? ParameterFailure : Failure));
    const examples = codes.map((code) => [
      code,
      {
        summary: ERRORS[code].description,
        value: {
          ...(code === "badParameter" && { success: false }),
          error: ERRORS[code].message,
          code: status,
        },
      },
    ]);
    const description = codes.map((code) => `\`${code}\`: ${ERRORS[code].description}`).join(" ");
    const headersOf = (isExpensive: boolean) => headerReferences(headersOfError(status, isExpensive));
    const texts = { "text/plain; charset=utf-8": { example: `${ERRORS[codes[0]!].message}\n` } };
    const content = {
      "application/json": {
        schema: forms.length === 1 ? forms[0] : { anyOf: forms },
        examples: Object.fromEntries(examples),
      },
    };
    return [
      [`text${status}`, { description, headers: headersOf(true), content: texts }],
      [`expensive${status}`, { description, headers: headersOf(true), content }],
      ...(codes.some((code) => !OF_EXPENSIVE.includes(code))
        ? [[status, { description, headers: headersOf(false), content }]]
        : []),
    ];
  }));
}

function headerReferences(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
