/** Traits of routes: properties that the service must know before a handler runs. */
import type { CrossOrigin } from "../http/answer.ts";

/** Dialect of paths and responses: `v1` below `/projects`, `today` below `/repos`. */
export type RouteDialect = "v1" | "today";

/** Properties of a route that the service must know before its handler runs. */
export interface RouteTraits {
  /** Dialect in which a handler for both dialects serves the route; `v1` by default. */
  readonly dialect?: RouteDialect;
  /**
   * A feature that the request needs and that only the service on the Radicle home has: `change`, or a name
   * such as `search`. Replicas forward such requests to that service. By default, a read needs no feature,
   * and any other request needs `change`.
   */
  readonly need?: string;
  /** Name of the path parameter with the repository; `undefined` for paths without a repository. */
  readonly repository?: string;
  /** Rights of web pages of other origins. The default depends on the dialect. */
  readonly crossOrigin?: CrossOrigin;
  /** Whether an error response is one line of text instead of JSON. */
  readonly hasTextErrors?: true;
  /** Whether a response lasts until its client disconnects. Replicas never forward such requests. */
  readonly isLasting?: true;
  /**
   * Whether responses are expensive, so that the number of requests per client is limited
   * (`ClientOptions.share`).
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

/** Traits of routes for files: web pages of any origin may read files, and responses are expensive. */
export const OF_FILES: RouteTraits = {
  repository: "rid",
  crossOrigin: READS_CROSS_ORIGIN,
  isExpensive: true,
};

/** Returns the feature that a request needs, from its method and the traits of its route. */
export function needOf(method: string, { need }: RouteTraits): string | undefined {
  return need ?? (method === "GET" || method === "HEAD" ? undefined : "change");
}
