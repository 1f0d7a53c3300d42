/** Projects by delegate (4.6). */
import * as v from "valibot";
import type { Call, Route } from "./call.ts";
import type { Answer } from "../http/answer.ts";
import { pagingEntries } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json } from "../http/respond.ts";
import { parseDid } from "../ids/did.ts";
import { pageOfProjects } from "./projects.ts";

/** Routes of delegates. */
export const delegateRoutes: readonly Route[] = [
  ["GET", "/api/v1/delegates/:delegate/projects", listProjects],
];

/** Choice: values and default as on the real service. */
const DelegateQuery = v.object({
  ...pagingEntries,
  show: v.optional(v.picklist(["all", "pinned"]), "pinned"),
});

/** Choice: omits pinned repositories that are not in the storage. */
async function listProjects(call: Call): Promise<Answer> {
  const delegate = parseDid(call.param("delegate"));
  const { show, ...paging } = readQuery(call.url, DelegateQuery);
  const { storage, profile } = call.service;
  const rids = show === "pinned" ? await profile.pinned() : await storage.repositoryIds();
  return json(await pageOfProjects(call, rids, paging, (doc) => doc.delegates.includes(delegate)));
}
