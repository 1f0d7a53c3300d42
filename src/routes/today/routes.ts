/** All routes of today's service. */
import { rawRoutesFor, TODAY_MAX_RAW_BYTES } from "../raw.ts";
import type { Route } from "../call.ts";
import { commitRoutes } from "./commits.ts";
import { delegateRoutes } from "./delegates.ts";
import { issueRoutes } from "./issues.ts";
import { jobRoutes } from "./jobs.ts";
import { nodeRoutes } from "./node.ts";
import { patchRoutes } from "./patches.ts";
import { policyRoutes } from "./policies.ts";
import { remoteRoutes } from "./remotes.ts";
import { repoRoutes } from "./repos.ts";
import { requireRid } from "../dialect.ts";
import { rootRoutes } from "./root.ts";
import { treeRoutes } from "./tree.ts";

/** Routes in the order in which a path is compared with their patterns. */
export const todayRoutes: readonly Route[] = [
  ...rootRoutes,
  ...nodeRoutes,
  ...policyRoutes,
  ...delegateRoutes,
  ...repoRoutes,
  ...commitRoutes,
  ...treeRoutes,
  ...remoteRoutes,
  ...issueRoutes,
  ...patchRoutes,
  ...jobRoutes,
  ...rawRoutesFor({ readRid: requireRid, maxBytes: TODAY_MAX_RAW_BYTES }),
];
