/** Types that describe a route: its parameters, its responses, and its errors. */
import type * as v from "valibot";
import type { ErrorCode } from "../http/errors.ts";
import { OF_CHANGES, OF_READS } from "./errors.ts";

/** HTTP methods of routes. `HEAD` is available for each `GET`, and `OPTIONS` for every path. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Describes a body that is not JSON, but the bytes of a file. */
export interface FileContent {
  readonly kind: "file";
  /** Media types. The last media type represents all other media types. */
  readonly mediaTypes: readonly string[];
  /** Schema of the JSON data of each event, if the body is a stream of events. */
  readonly events?: v.GenericSchema;
}

export type Content = v.GenericSchema | FileContent;

/**
 * How long caches may store a response (11). `immutable`: forever. `revalidated`: as long as its tag (`ETag`)
 * is the same. `hour`: for an hour. `none`: not at all. `unspecified`: the contract states no rule. Caches
 * must check the tag of an immutable response when the path or the query names a commit by a reference.
 */
export type Caching = "immutable" | "revalidated" | "hour" | "none" | "unspecified";

/** Name of a text that has its own schema in the document. See `parameters.ts`. */
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

/** Description of a route. */
export interface Endpoint {
  readonly method: Method;
  /**
   * Path pattern. `:name` matches one segment. `*name` at the end matches the rest of the path, including
   * slashes.
   */
  readonly path: string;
  /** Unique name of the operation, for generated clients. */
  readonly name: string;
  /** Description in one sentence. */
  readonly summary: string;
  /** Section of docs/api.md. */
  readonly section: string;
  /** Parameters of the path. They replace parameters of the same name in `PATH_PARAMETERS`. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  /** Schema of the query, for `readQuery`. */
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Descriptions of query parameters. They replace descriptions of the same name in `QUERY_PARAMETERS`. */
  readonly queryParameters?: Readonly<Record<string, string>>;
  /** Schema of the body, for `readJson`. */
  readonly body?: v.GenericSchema;
  /** Description of a body that is not JSON. */
  readonly content?: FileContent;
  /** Whether requests need the bearer token of a session. */
  readonly needsSession?: true;
  /** Content of each successful response, by status. */
  readonly answers: Readonly<Record<number, Content>>;
  /** Whether clients that accept HTML get a page instead of the response. */
  readonly hasPage?: true;
  /** Codes of errors, in addition to the codes that every route may have. */
  readonly errors: readonly ErrorCode[];
  readonly caching?: Caching;
  /** Whether clients may request parts of the response by `Range`. */
  readonly takesRanges?: true;
  /** Header fields of successful responses, in addition to the fields that follow from the other members. */
  readonly fields?: readonly string[];
}

export const OF_ISSUE = { id: ["Object id of an issue.", "OidText"] } as const;
export const OF_PATCH = { id: ["Object id of a patch.", "OidText"] } as const;

/** Header fields of lists that have no pages. */
export const OF_LISTS = ["X-Total-Count"] as const;

/** The optional members of a description. */
type Rest = Partial<Omit<Endpoint, "method" | "path" | "section" | "name" | "summary" | "answers">>;

/** A route whose method, path and responses are known as types. */
export interface RouteOf<M extends Method, P extends string, A extends Endpoint["answers"]> extends Endpoint {
  readonly method: M;
  readonly path: P;
  readonly answers: A;
}

/**
 * Describes a route such as `GET /path`. By default the route has only the errors that every route may have.
 */
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

/** Describes a read below `/api/v1`. By default the route has the errors of routes for repositories. */
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
 * Describes a change below `/api/v1`, which needs a session. By default the route has the errors of routes
 * for repositories.
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

/** Type of a successful response: the output of its schema, or bytes. */
export type ContentOf<C> = C extends v.GenericSchema ? v.InferOutput<C> : Uint8Array;

/** Union of the types of all successful responses of a route. */
export type AnswerTo<E extends Endpoint> = ContentOf<E["answers"][keyof E["answers"]]>;

export function isFile(content: Content): content is FileContent {
  return content.kind === "file";
}
