/** Remotes of a repository: list, one. */
import { tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { showRemote, showRemotes } from "../remotes.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of remotes. */
export const remoteRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/remotes", showRemotes],
  ["GET", "/api/v1/repos/:rid/remotes/:peer", showRemote],
]);
