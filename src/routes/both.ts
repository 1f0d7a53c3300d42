/**
 * Routes that both dialects have, with answers that have the members of both. Lists of links are joined. Of
 * other members with the same name the values are equal, or those of version 1 contain the other ones.
 */
import type { Call, Handler, RoutesOf } from "./call.ts";
import type { bothEndpoints } from "../contract/today.ts";
import { json } from "../http/respond.ts";
import { aliasMembers, nodeMembers } from "./node.ts";
import { statsMembers, versionMembers } from "./root.ts";
import * as todayNode from "./today/node.ts";
import * as todayRoot from "./today/root.ts";

/** Routes with joined answers. */
export const bothRoutes: RoutesOf<typeof bothEndpoints> = [
  ["GET", "/api/v1", joined(versionMembers, todayRoot.versionMembers)],
  ["GET", "/api/v1/", joined(versionMembers, todayRoot.versionMembers)],
  ["GET", "/api/v1/stats", joined(statsMembers, todayNode.statsMembers)],
  ["GET", "/api/v1/node", joined(nodeMembers, todayNode.nodeMembers)],
  ["GET", "/api/v1/nodes/:nid", joined(aliasMembers, todayNode.otherNodeMembers)],
];

type Members<T extends object> = (call: Call) => T | Promise<T>;

function joined<A extends object, B extends object>(v1: Members<A>, today: Members<B>): Handler<A & B> {
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
