/** Changes of issues and patches by today's clients, with the actions of today's programs (13.7). */
import { changeIssue, changePatch, openIssue, openPatch } from "../changes.ts";
import { type RoutesOf, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import type { todayChangeEndpoints } from "../../contract/today_changes.ts";

/** Routes of changes. */
export const todayChangeRoutes: RoutesOf<typeof todayChangeEndpoints> = tableOf(OF_REPO, [
  ["POST", "/api/v1/repos/:rid/issues", openIssue],
  ["PATCH", "/api/v1/repos/:rid/issues/:id", changeIssue],
  ["POST", "/api/v1/repos/:rid/patches", openPatch],
  ["PATCH", "/api/v1/repos/:rid/patches/:id", changePatch],
]);
