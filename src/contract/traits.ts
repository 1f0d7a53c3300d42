/** Traits of routes, known before a handler runs. Loaded with the routes, so they need no schema. */
import type { CrossOrigin } from "../http/answer.ts";

/** Need of an answer that only the service beside the home can meet: a replica passes such requests on. */
export type RouteNeed = "change" | "search" | "git";

/** Dialects of paths and answers: that of version 1, below `/projects`, and today's, below `/repos`. */
export type RouteDialect = "v1" | "today";

/** Traits of a route; each has a default. */
export interface RouteTraits {
  /** Dialect of a handler that serves both; `v1` by default. */
  readonly dialect?: RouteDialect;
  /** By default a request that is no read is a change, and a read needs nothing. */
  readonly need?: RouteNeed;
  /** Parameter of the path that names the repository, where the path has it. */
  readonly repository?: string;
  /** By default what all routes of the dialect allow. */
  readonly crossOrigin?: CrossOrigin;
  /** Whether errors are a line of text; JSON by default. */
  readonly hasTextErrors?: true;
  /** Whether an answer lasts until its client leaves: a replica never passes such a request on. */
  readonly isLasting?: true;
  /** Whether browsers get a page in place of the answer. */
  readonly hasPage?: true;
  /** Whether its answers cost much, so that each client gets a share of them (`ApiOptions.share`). */
  readonly isExpensive?: true;
}

/** Rights of pages of other origins where there are changes. */
export const CHANGES_CROSS_ORIGIN: CrossOrigin = {
  methods: "GET,POST,PATCH,PUT,DELETE",
  headers: "content-type,authorization",
};
/** Their rights where there are reads alone. */
export const READS_CROSS_ORIGIN: CrossOrigin = { methods: "GET", headers: "content-type" };

/** The need of a request, by its method and the traits of its route. */
export function needOf(method: string, { need }: RouteTraits): RouteNeed | undefined {
  return need ?? (method === "GET" || method === "HEAD" ? undefined : "change");
}
