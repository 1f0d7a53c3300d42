/** Status and configuration of the local node (4.5). */
import type { Call, RoutesOf } from "./call.ts";
import { type Members, showMembers } from "./dialect.ts";
import type { Node, nodeEndpoints } from "../contract/node.ts";
import type { AgentNode } from "../contract/today_schemas.ts";
import { withHeaders } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { completeNodeConfig } from "../profile/complete_config.ts";
import { toNodeView } from "../views/node.ts";
import { toTodayNode, type WebProfile } from "../views/today/node.ts";

/** Routes of the local node itself. */
export const nodeRoutes: RoutesOf<typeof nodeEndpoints> = [
  ["GET", "/api/v1/node", showNode],
];

const TODAY_CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/** Shows the local node. */
export async function showNode(call: Call) {
  const answer = await showMembers(nodeMembers)(call);
  return call.dialect === "today" ? withHeaders(answer, TODAY_CACHING) : answer;
}

/**
 * Shows the local node, and what the service can do, to today's clients. Choice: with both dialects, search
 * is available where there is a full-text index. Clients then offer a field that asks `repos/search`. With
 * today's dialect alone the answer is as recorded, of a service without index.
 */
export async function showInfo(call: Call) {
  const { dialect, isSearchable } = call.service;
  const searchAvailable = dialect === "both" && isSearchable;
  const info = { node: await nodeMembers.today(call), httpd: { searchAvailable } };
  return withHeaders(json(info), TODAY_CACHING);
}

/** The members of the local node. */
export const nodeMembers: Members<Node, AgentNode> = {
  async v1({ service: { node, profile, version } }) {
    const status = await node.status();
    const isTold = status.state === "running" && status.config !== undefined;
    const shown = isTold ? { ...status, config: completeNodeConfig(status.config) } : status;
    return toNodeView(profile.nodeId, version, shown);
  },
  async today({ service: { node, profile } }) {
    const agent = await node.agent?.(profile.nodeId);
    return toTodayNode(profile.nodeId, agent, await node.status(), webProfile(await profile.config?.()));
  },
};

/** The owner's settings for web pages. */
function webProfile(config: Readonly<Record<string, unknown>> = {}): WebProfile {
  const web = (config["web"] ?? {}) as Readonly<Record<string, unknown>>;
  const names = ["avatarUrl", "bannerUrl", "description"];
  return Object.fromEntries(
    names.map((name) => [name, web[name]]).filter(([, value]) => typeof value === "string"),
  );
}
