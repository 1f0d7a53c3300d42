/**
 * Routes that both dialects have, with answers that have the members of both. Lists of links are joined. Of
 * other members with the same name the values are equal, or those of version 1 contain the other ones.
 */
import type { Call, Handler, Route } from "./call.ts";
import { json } from "../http/respond.ts";
import { nodeMembers } from "./node.ts";
import { aliasMembers } from "./nodes.ts";
import { statsMembers, versionMembers } from "./root.ts";
import * as todayNode from "./today/node.ts";
import * as todayRoot from "./today/root.ts";

/** Routes with joined answers. */
export const bothRoutes: readonly Route[] = [
  ["GET", "/api/v1", joined(versionMembers, todayRoot.versionMembers)],
  ["GET", "/api/v1/", joined(versionMembers, todayRoot.versionMembers)],
  ["GET", "/api/v1/stats", joined(statsMembers, todayNode.statsMembers)],
  ["GET", "/api/v1/node", joined(nodeMembers, todayNode.nodeMembers)],
  ["GET", "/api/v1/nodes/:nid", joined(aliasMembers, todayNode.otherNodeMembers)],
];

type Members = (call: Call) => object | Promise<object>;

function joined(v1: Members, today: Members): Handler {
  return async (call) => {
    const [first, second] = [await v1(call), await today(call)];
    const links = [...linksOf(first), ...linksOf(second)];
    const once = new Map(links.map((link) => [JSON.stringify(link), link]));
    return json({ ...first, ...second, ...first, ...(links.length > 0 && { links: [...once.values()] }) });
  };
}

function linksOf(members: object): readonly unknown[] {
  return "links" in members && Array.isArray(members.links) ? members.links : [];
}
