/** The local node and other nodes. */
import type { Call } from "../call.ts";
import { withHeaders } from "../../http/answer.ts";
import { showInventory } from "../node.ts";
import { json } from "../../http/respond.ts";
import type { AgentNode } from "../../contract/today_schemas.ts";
import { toTodayNode, toTodayOtherNode, type WebProfile } from "../../views/today/node.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of nodes. */
export const nodeRoutes: readonly TodayRow[] = [
  ["GET", "/api/v1/info", showInfo],
  ["GET", "/api/v1/node", showNode],
  ["GET", "/api/v1/nodes/:nid", showOtherNode],
  ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
  ["GET", "/api/v1/stats", showStats],
];

const CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/**
 * Choice: with both dialects, search is available where there is a full-text index. Clients then offer a
 * field that asks `repos/search`. With today's dialect alone the answer is as recorded, of a service without
 * index.
 */
async function showInfo(call: Call) {
  const { dialect, isSearchable } = call.service;
  const searchAvailable = dialect === "both" && isSearchable;
  const info = { node: await nodeMembers(call), httpd: { searchAvailable } };
  return withHeaders(json(info), CACHING);
}

async function showNode(call: Call) {
  return withHeaders(json(await nodeMembers(call)), CACHING);
}

async function showOtherNode(call: Call) {
  return json(await otherNodeMembers(call));
}

async function showStats(call: Call) {
  return json(await statsMembers(call));
}

/** The members of the local node. */
export async function nodeMembers({ service: { node, profile } }: Call): Promise<AgentNode> {
  const agent = await node.agent?.(profile.nodeId);
  return toTodayNode(profile.nodeId, agent, await node.status(), webProfile(await profile.config?.()));
}

/** The members of any node. */
export async function otherNodeMembers(call: Call) {
  const nid = call.nid("nid");
  const aliases = await call.service.node.aliases([nid]);
  return toTodayOtherNode(nid, aliases.get(nid));
}

/** Number of repositories that the node offers. Choice: public ones only, for the owner as for strangers. */
export async function statsMembers(call: Call) {
  const { node, profile } = call.service;
  const offered = await node.inventory(profile.nodeId);
  return { repos: { total: (await call.asStranger().visibleOfNode(offered, (rid) => rid)).length } };
}

/** The owner's settings for web pages. */
function webProfile(config: Readonly<Record<string, unknown>> = {}): WebProfile {
  const web = (config["web"] ?? {}) as Readonly<Record<string, unknown>>;
  const names = ["avatarUrl", "bannerUrl", "description"];
  return Object.fromEntries(
    names.map((name) => [name, web[name]]).filter(([, value]) => typeof value === "string"),
  );
}
