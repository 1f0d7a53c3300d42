/**
 * Traits of routes: properties that the service must know before a handler runs. They are plain objects
 * without a schema, because they are loaded together with the routes.
 */
import type { CrossOrigin } from "../http/answer.ts";

/** Dialect of paths and responses: `v1` below `/projects`, `today` below `/repos`. */
export type RouteDialect = "v1" | "today";

/** Traits of a route. Each trait has a default. */
export interface RouteTraits {
  /** Dialect in which a handler for both dialects serves the route; `v1` by default. */
  readonly dialect?: RouteDialect;
  /**
   * A capability that only the service on the Radicle home has: `change`, or a name such as `search`.
   * Replicas forward requests that need a capability to that service. By default, a read needs no capability,
   * and any other request needs `change`.
   */
  readonly need?: string;
  /** Name of the path parameter that contains the repository; `undefined` for paths without a repository. */
  readonly repository?: string;
  /** Rights of web pages of other origins. By default, the rights that the dialect gives for all routes. */
  readonly crossOrigin?: CrossOrigin;
  /** Whether an error response is one line of text. By default, an error response is JSON. */
  readonly hasTextErrors?: true;
  /** Whether a response lasts until its client disconnects. Replicas never forward such requests. */
  readonly isLasting?: true;
  /**
   * Whether responses are expensive, so that each client gets only a share of them (`ClientOptions.share`).
   */
  readonly isExpensive?: true;
}

/** Rights of web pages of other origins on services that allow changes. */
export const CHANGES_CROSS_ORIGIN: CrossOrigin = {
  methods: "GET,POST,PATCH,PUT,DELETE",
  headers: "content-type,authorization",
};
/** Rights of web pages of other origins on services that allow only reads. */
export const READS_CROSS_ORIGIN: CrossOrigin = { methods: "GET", headers: "content-type" };

/**
 * Traits of routes for files of a repository. Web pages of any origin may read files. Responses with files
 * are expensive.
 */
export const OF_FILES: RouteTraits = {
  repository: "rid",
  crossOrigin: READS_CROSS_ORIGIN,
  isExpensive: true,
};

/** Returns the capability that a request needs, from its method and the traits of its route. */
export function needOf(method: string, { need }: RouteTraits): string | undefined {
  return need ?? (method === "GET" || method === "HEAD" ? undefined : "change");
}
