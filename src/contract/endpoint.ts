/** Types that describe a route: its parameters, its responses, and its errors. */
import type * as v from "valibot";
import type { ErrorCode } from "../http/errors.ts";
import { OF_CHANGES, OF_READS } from "./errors.ts";

/** HTTP methods of routes. Each `GET` route also accepts `HEAD`, and every path accepts `OPTIONS`. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A body with the bytes of a file instead of JSON. */
export interface FileContent {
  readonly kind: "file";
  /** Possible media types. The last media type stands for all other media types. */
  readonly mediaTypes: readonly string[];
  /** Schema of the JSON data of each event, if the body is a stream of events. */
  readonly events?: v.GenericSchema;
}

export type Content = v.GenericSchema | FileContent;

/**
 * How long caches may store a response (specification, 11). `immutable`: forever, unless the request names a
 * commit by a reference. `revalidated`: as long as its `ETag` is the same. `hour`: for an hour. `none`: not
 * at all. `unspecified`: the contract states no rule.
 */
export type Caching = "immutable" | "revalidated" | "hour" | "none" | "unspecified";

/** Name of a text format that has a schema in the OpenAPI document (see `parameters.ts`). */
export type TextForm =
  | "RepoIdText"
  | "GitNameText"
  | "NodeIdText"
  | "DidText"
  | "NodeOrDidText"
  | "OidText"
  | "CommitText"
  | "ArchiveText"
  | "SignatureText";

export type PathParameter = readonly [description: string, form?: TextForm];

/** A route of the API, for documents, types and tests. */
export interface Endpoint {
  readonly method: Method;
  /**
   * Path pattern. `:name` matches one segment. `*name` at the end matches the rest of the path, including
   * slashes.
   */
  readonly path: string;
  /** Unique name of the operation, for generated clients. */
  readonly name: string;
  readonly summary: string;
  /** Section of docs/api.md. */
  readonly section: string;
  /** Parameters of the path, which replace parameters in `PATH_PARAMETERS`. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  /** Schema of the query, for `readQuery`. */
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Descriptions of query parameters, which replace descriptions in `QUERY_PARAMETERS`. */
  readonly queryParameters?: Readonly<Record<string, string>>;
  /** Schema of the body, for `readJson`. */
  readonly body?: v.GenericSchema;
  readonly content?: FileContent;
  /** Whether requests need the bearer token of a session. */
  readonly needsSession?: true;
  /** Content of each successful response, by status. */
  readonly answers: Readonly<Record<number, Content>>;
  /** Whether clients that accept HTML get a web page instead of the response. */
  readonly hasPage?: true;
  /** Codes of errors, in addition to the errors of every route. */
  readonly errors: readonly ErrorCode[];
  readonly caching?: Caching;
  /** Whether clients may request a part of the response with `Range`. */
  readonly takesRanges?: true;
  /** Additional header fields of successful responses. */
  readonly fields?: readonly string[];
}

export const OF_ISSUE = { id: ["Object id of an issue.", "OidText"] } as const;
export const OF_PATCH = { id: ["Object id of a patch.", "OidText"] } as const;

export const OF_LISTS = ["X-Total-Count"] as const;

type Rest = Partial<Omit<Endpoint, "method" | "path" | "section" | "name" | "summary" | "answers">>;

/** A route with a known method, path and response types. */
export interface RouteOf<M extends Method, P extends string, A extends Endpoint["answers"]> extends Endpoint {
  readonly method: M;
  readonly path: P;
  readonly answers: A;
}

/** Describes a route such as `GET /path`, with the errors of every route. */
export function route<const M extends Method, const P extends string, A extends Endpoint["answers"]>(
  section: string,
  route: `${M} ${P}`,
  name: string,
  summary: string,
  answers: A,
  rest: Rest = {},
): RouteOf<M, P, A> {
  const [method, path] = route.split(" ") as [M, P];
  return { method, path, name, summary, section, answers, errors: [], ...rest };
}

/** Describes a `GET` route below `/api/v1`, with the errors of routes for repositories. */
export function read<const P extends string, C extends Content>(
  section: string,
  path: P,
  name: string,
  summary: string,
  content: C,
  rest: Rest = {},
): RouteOf<"GET", `/api/v1${P}`, { readonly 200: C }> {
  return route(section, `GET /api/v1${path}`, name, summary, { 200: content }, { errors: OF_READS, ...rest });
}

/**
 * Describes a route below `/api/v1` that changes data and needs a session, with the errors of routes for
 * repositories.
 */
export function change<const M extends Method, const P extends string, A extends Endpoint["answers"]>(
  section: string,
  changed: `${M} ${P}`,
  name: string,
  summary: string,
  answers: A,
  rest: Rest = {},
): RouteOf<M, `/api/v1${P}`, A> {
  const below = changed.replace(" ", " /api/v1") as `${M} /api/v1${P}`;
  const common = { needsSession: true, errors: OF_CHANGES } as const;
  return route<M, `/api/v1${P}`, A>(section, below, name, summary, answers, { ...common, ...rest });
}

export type ContentOf<C> = C extends v.GenericSchema ? v.InferOutput<C> : Uint8Array;

/** Type of the successful responses of a route. */
export type AnswerTo<E extends Endpoint> = ContentOf<E["answers"][keyof E["answers"]]>;

export function isFile(content: Content): content is FileContent {
  return content.kind === "file";
}
