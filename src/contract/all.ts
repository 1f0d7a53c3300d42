/** All routes of the contract, in the order in which the service has them. */
import { archiveEndpoints } from "./archives.ts";
import { commitEndpoints } from "./commits.ts";
import type { Endpoint } from "./endpoint.ts";
import { gitEndpoints } from "./git.ts";
import { issueEndpoints } from "./issues.ts";
import { nodeEndpoints, nodesEndpoints, policyEndpoints, profileEndpoints } from "./node.ts";
import { patchEndpoints } from "./patches.ts";
import { delegateEndpoints, projectEndpoints } from "./projects.ts";
import { rawEndpoints } from "./raw.ts";
import { remoteEndpoints } from "./remotes.ts";
import { documentEndpoints, rootEndpoints } from "./root.ts";
import { keySessionEndpoints, walletSessionEndpoints } from "./sessions.ts";
import { treeEndpoints } from "./tree.ts";

/** Routes of a service, by the way in which clients sign in. */
export function allEndpoints(signIn: "key" | "wallet"): readonly Endpoint[] {
  return [
    ...archiveEndpoints,
    ...rootEndpoints,
    ...documentEndpoints,
    ...projectEndpoints,
    ...commitEndpoints,
    ...treeEndpoints,
    ...remoteEndpoints,
    ...issueEndpoints,
    ...patchEndpoints,
    ...nodeEndpoints,
    ...policyEndpoints,
    ...nodesEndpoints,
    ...delegateEndpoints,
    ...profileEndpoints,
    ...(signIn === "wallet" ? walletSessionEndpoints : keySessionEndpoints),
    ...rawEndpoints,
    ...gitEndpoints,
  ];
}
