/** Query, maximum size and properties of the routes of git (docs/api.md, 4.12). */
import * as v from "valibot";
import type { RouteTraits } from "../../src/mod.ts";

/** Query of a request for references. */
export const RefsQuery = v.object({ service: v.optional(v.string()) });

/**
 * Maximum size of the body of a request from a git client, in bytes, before and after decompression. The HTTP
 * service of git itself has the same maximum.
 */
export const MAX_GIT_REQUEST_BYTES = 10 * 1024 * 1024;

/** Properties of the routes for clones and fetches. */
export const OF_GIT = {
  need: "git",
  isExpensive: true,
  repository: "name",
  crossOrigin: { methods: "GET,POST", headers: "content-type,git-protocol" },
  hasTextErrors: true,
} as const satisfies RouteTraits;
