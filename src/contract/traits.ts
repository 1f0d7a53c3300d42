/**
 * Traits of routes, which are known before a handler runs. They are loaded with the routes, so they have no
 * schema.
 */
import type { CrossOrigin } from "../http/answer.ts";

/** Dialects of paths and answers: `v1` below `/projects`, `today` below `/repos`. */
export type RouteDialect = "v1" | "today";

/** Traits of a route; each has a default. */
export interface RouteTraits {
  /** Dialect of a handler that serves both; `v1` by default. */
  readonly dialect?: RouteDialect;
  /**
   * A function that only the service on the home has: `change`, or a name such as `search`. Replicas pass
   * such requests on. By default, a read needs none, and any other request is a change.
   */
  readonly need?: string;
  /** Path parameter that names the repository, for the paths that have it. */
  readonly repository?: string;
  /** Rights of pages of other origins. By default, what all routes of the dialect allow. */
  readonly crossOrigin?: CrossOrigin;
  /** Whether errors are a line of text; JSON by default. */
  readonly hasTextErrors?: true;
  /** Whether an answer lasts until its client disconnects. Replicas never pass such requests on. */
  readonly isLasting?: true;
  /** Whether answers are costly, so that each client only gets a share of them (`ClientOptions.share`). */
  readonly isExpensive?: true;
}

/** Rights of pages of other origins on services that allow changes. */
export const CHANGES_CROSS_ORIGIN: CrossOrigin = {
  methods: "GET,POST,PATCH,PUT,DELETE",
  headers: "content-type,authorization",
};
/** Rights of pages of other origins on services that only allow reads. */
export const READS_CROSS_ORIGIN: CrossOrigin = { methods: "GET", headers: "content-type" };

/** Files of a repository: any page may read them, and they cost much. */
export const OF_FILES: RouteTraits = {
  repository: "rid",
  crossOrigin: READS_CROSS_ORIGIN,
  isExpensive: true,
};

/** The need of a request, from its method and the traits of its route. */
export function needOf(method: string, { need }: RouteTraits): string | undefined {
  return need ?? (method === "GET" || method === "HEAD" ? undefined : "change");
}
