/** Projects by delegate (4.6). */
import type { Call, RoutesOf } from "./call.ts";
import type { delegateEndpoints, Project } from "../contract/projects.ts";
import { DelegateQuery } from "../contract/queries.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readQuery } from "../http/parameters.ts";
import { parseDid } from "../ids/nid.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import { pageOfListed, pageOfProjects } from "./projects.ts";

/** Routes of delegates. */
export const delegateRoutes: RoutesOf<typeof delegateEndpoints> = [
  ["GET", "/api/v1/delegates/:delegate/projects", listProjects],
];

/** Choice: omits pinned repositories that are not in the storage. */
async function listProjects(call: Call): Promise<AnswerOf<readonly Project[]>> {
  const delegate = parseDid(call.param("delegate"));
  const { show, ...paging } = readQuery(call.url, DelegateQuery);
  const { storage, profile } = call.service;
  if (show !== "pinned" && storage.listings !== undefined) {
    return await pageOfListed(call, await storage.listings(), { show, ...paging }, delegate);
  }
  const isWanted = (doc: IdentityDoc) => doc.delegates.includes(delegate);
  const rids = show === "pinned" ? await profile.pinned() : await storage.repositoryIds();
  return await pageOfProjects(call, rids, { show, ...paging }, isWanted);
}
