/** Patches of a repository: list, one. */
import { tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { patches } from "../patches.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of patches. */
export const patchRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/patches", patches.list],
  ["GET", "/api/v1/repos/:rid/patches/:id", patches.show],
]);
