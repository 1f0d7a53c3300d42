/** Issues of a repository: list, one. */
import { tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { issues } from "../issues.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of issues. */
export const issueRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/issues", issues.list],
  ["GET", "/api/v1/repos/:rid/issues/:id", issues.show],
]);
