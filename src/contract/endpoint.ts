/** The description of a route: its parameters, its answers, and its errors. */
import type * as v from "valibot";
import type { ErrorCode } from "../http/errors.ts";
import { OF_CHANGES, OF_READS } from "./errors.ts";

/** Methods of routes; `HEAD` follows from `GET`, `OPTIONS` from all. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An answer that is not JSON: the bytes of a file. */
export interface FileContent {
  readonly kind: "file";
  /** Media types; the last one stands for all others. */
  readonly mediaTypes: readonly string[];
  /** For a stream of events: the data of each event, which is JSON. */
  readonly events?: v.GenericSchema;
}

export type Content = v.GenericSchema | FileContent;

/**
 * Period for which caches may store an answer (11): forever, while its tag is the same, for an hour, not at
 * all, or unspecified. Caches must check the tag of an immutable answer when the path or the query names a
 * commit by a reference.
 */
export type Caching = "immutable" | "revalidated" | "hour" | "none" | "unspecified";

/** A text with its own schema in the document: see `parameters.ts`. */
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

/** A route. */
export interface Endpoint {
  readonly method: Method;
  /** `:name` is one segment, `*name` at the end is the rest, slashes included. */
  readonly path: string;
  /** Unique name of the operation, for generated clients. */
  readonly name: string;
  /** Must be one sentence. */
  readonly summary: string;
  /** Section of docs/api.md. */
  readonly section: string;
  /** Parameters of the path. They replace the ones in `PATH_PARAMETERS`. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  /** Schema of the query, for `readQuery`. */
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Descriptions of query parameters. They replace the ones in `QUERY_PARAMETERS`. */
  readonly queryParameters?: Readonly<Record<string, string>>;
  /** Schema of the body, for `readJson`. */
  readonly body?: v.GenericSchema;
  /** A body that is not JSON. */
  readonly content?: FileContent;
  /** Whether a bearer token is needed. */
  readonly needsSession?: true;
  /** Content of each successful answer, by status. */
  readonly answers: Readonly<Record<number, Content>>;
  /** Whether clients that accept HTML get a page instead of the answer. */
  readonly hasPage?: true;
  /** Codes of errors, in addition to the codes that every route may have. */
  readonly errors: readonly ErrorCode[];
  readonly caching?: Caching;
  /** Whether clients may request parts of the answer by `Range`. */
  readonly takesRanges?: true;
  /** Header fields of successful answers, in addition to the fields that follow from the other members. */
  readonly fields?: readonly string[];
}

export const OF_ISSUE = { id: ["Object id of an issue.", "OidText"] } as const;
export const OF_PATCH = { id: ["Object id of a patch.", "OidText"] } as const;

/** Header field of lists without pages. */
export const OF_LISTS = ["X-Total-Count"] as const;

/** The optional members of a description. */
type Rest = Partial<Omit<Endpoint, "method" | "path" | "section" | "name" | "summary" | "answers">>;

/** A route with its method, path and answers as types. */
export interface RouteOf<M extends Method, P extends string, A extends Endpoint["answers"]> extends Endpoint {
  readonly method: M;
  readonly path: P;
  readonly answers: A;
}

/** Describes a route such as `GET /path`. By default it has no errors of its own. */
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

/** Describes a read below `/api/v1`. By default it has the errors of repositories. */
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

/** Describes a change below `/api/v1` in a session. By default it has the errors of repositories. */
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

/** Type of a successful answer: the output of its schema, or bytes. */
export type ContentOf<C> = C extends v.GenericSchema ? v.InferOutput<C> : Uint8Array;

/** Union of the types of all successful answers of a route. */
export type AnswerTo<E extends Endpoint> = ContentOf<E["answers"][keyof E["answers"]]>;

export function isFile(content: Content): content is FileContent {
  return content.kind === "file";
}
