/** The description of a route: what is asked, what is answered, which errors there are. */
import type * as v from "valibot";
import type { ErrorCode } from "../http/errors.ts";
import { OF_CHANGES, OF_READS } from "./errors.ts";

/** Methods of routes; `HEAD` follows from `GET`, `OPTIONS` from all. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** An answer that is no JSON: the bytes of a file. */
export interface FileContent {
  readonly kind: "file";
  /** Media types; the last one stands for all others. */
  readonly mediaTypes: readonly string[];
  /** Of a stream of events: the data of each, which is JSON. */
  readonly events?: v.GenericSchema;
}

/** Content of a successful answer. */
export type Content = v.GenericSchema | FileContent;

/**
 * Period for which caches may store an answer (11): for ever, as long as its tag is the same, for an hour,
 * not at all, or unspecified. Of immutable answers caches have to check the tag when the path or the query
 * names a commit by a reference.
 */
export type Caching = "immutable" | "revalidated" | "hour" | "none" | "unspecified";

/** A text with a schema of its own in the document: see `parameters.ts`. */
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

/** A parameter of a path: its description, and its form. */
export type PathParameter = readonly [description: string, form?: TextForm];

/** A route. */
export interface Endpoint {
  readonly method: Method;
  /** `:name` is one segment, `*name` at the end is the rest, slashes included. */
  readonly path: string;
  /** Name of the operation, unique, for generated clients. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Section of docs/api.md. */
  readonly section: string;
  /** Parameters of the path, in place of the ones in `PATH_PARAMETERS`. */
  readonly parameters?: Readonly<Record<string, PathParameter>>;
  /** Schema of the query, as `readQuery` takes it. */
  readonly query?: v.ObjectSchema<v.ObjectEntries, undefined>;
  /** Descriptions of parameters of the query, in place of the ones in `QUERY_PARAMETERS`. */
  readonly queryParameters?: Readonly<Record<string, string>>;
  /** Schema of the body, as `readJson` takes it. */
  readonly body?: v.GenericSchema;
  /** A body that is not JSON. */
  readonly content?: FileContent;
  /** Whether a bearer token is needed. */
  readonly needsSession?: true;
  /** Content of each successful answer, by status. */
  readonly answers: Readonly<Record<number, Content>>;
  /** Whether clients that accept HTML get a page in place of the answer. */
  readonly hasPage?: true;
  /** Codes of errors, besides the codes that every route may have. */
  readonly errors: readonly ErrorCode[];
  readonly caching?: Caching;
  /** Whether parts of the answer can be asked for, by `Range`. */
  readonly takesRanges?: true;
  /** Header fields of successful answers, besides the fields that follow from all else here. */
  readonly fields?: readonly string[];
}

/** The parameter of paths of one issue. */
export const OF_ISSUE = { id: ["Object id of an issue.", "OidText"] } as const;
/** The parameter of paths of one patch. */
export const OF_PATCH = { id: ["Object id of a patch.", "OidText"] } as const;

/** Header field of a list that is always whole. */
export const OF_LISTS = ["X-Total-Count"] as const;

/** Members of a description that many routes leave out. */
type Rest = Partial<Omit<Endpoint, "method" | "path" | "section" | "name" | "summary" | "answers">>;

/** A route of the API, with its method, path and answers as types. */
export interface RouteOf<M extends Method, P extends string, A extends Endpoint["answers"]> extends Endpoint {
  readonly method: M;
  readonly path: P;
  readonly answers: A;
}

/** A route such as `GET /path`, without errors of its own where none are given. */
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

/** A route below `/api/v1` that is only read, by default with the errors of repositories. */
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

/** A change below `/api/v1` in a session, by default with the errors of repositories. */
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

/** Value of a successful answer: that of its schema, or bytes. */
export type ContentOf<C> = C extends v.GenericSchema ? v.InferOutput<C> : Uint8Array;

/** Values of all successful answers of a route. */
export type AnswerTo<E extends Endpoint> = ContentOf<E["answers"][keyof E["answers"]]>;

/** Whether content is a file. */
export function isFile(content: Content): content is FileContent {
  return content.kind === "file";
}
