/** Changes of issues and patches by today's clients, with the actions of today's programs (13.7). */
import { type ChangeDialect, issueChanges, patchChanges } from "../changes.ts";
import { type RoutesOf, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import type { todayChangeEndpoints } from "../../contract/today_changes.ts";
import { requireRepo, requireRid } from "./requests.ts";

/**
 * Changes below `/repos`. A name that is no repository is 404 as late as a repository that the client may not
 * know of: otherwise strangers could tell aliases of private repositories from names that nobody has given.
 */
const TODAY_CHANGES: ChangeDialect = {
  actions: "all",
  repository: (call) => () => requireRepo(call, requireRid(call)),
};

const issues = issueChanges(TODAY_CHANGES);
const patches = patchChanges(TODAY_CHANGES);

/** Routes of changes. */
export const todayChangeRoutes: RoutesOf<typeof todayChangeEndpoints> = tableOf(OF_REPO, [
  ["POST", "/api/v1/repos/:rid/issues", issues.open],
  ["PATCH", "/api/v1/repos/:rid/issues/:id", issues.change],
  ["POST", "/api/v1/repos/:rid/patches", patches.open],
  ["PATCH", "/api/v1/repos/:rid/patches/:id", patches.change],
]);
