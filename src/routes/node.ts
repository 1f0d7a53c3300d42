/**
 * Shows the status, configuration and profile of the local node, and aliases and inventories of nodes (4.5,
 * 4.7).
 */
import type { Call } from "./call.ts";
import { type Members, showMembers } from "./dialect.ts";
import type { Alias, Node, Profile } from "../contract/node.ts";
import type { AgentNode, OtherNode } from "../contract/today_schemas.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { completeNodeConfig } from "../profile/config.ts";
import { toNodeView, toTodayNode, toTodayOtherNode, type WebProfile } from "../views/node.ts";
import { countField } from "../http/paging.ts";
import type { RepoId } from "../ids/rid.ts";
import { NotFoundError, UnauthorizedError } from "../errors.ts";

const TODAY_CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/** Shows the local node. */
export async function showNode(call: Call) {
  const answer = await showMembers(nodeMembers)(call);
  return call.dialect === "today" ? withHeaders(answer, TODAY_CACHING) : answer;
}

/**
 * Shows the local node, and the features of the service, in the `/repos` dialect. Choice: A service with both
 * dialects reports the feature search if it has a full-text index. Clients then request `repos/search`. A
 * service with only the `/repos` dialect responds as a `radicle-httpd` without an index.
 */
export async function showInfo(call: Call) {
  const { dialect, additions } = call.service;
  const searchAvailable = dialect === "both" && additions.isSearchable;
  const info = { node: await nodeMembers.today(call), httpd: { searchAvailable } };
  return withHeaders(json(info), TODAY_CACHING);
}

/** Creates the members of the local node in each dialect. */
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

/** Returns the settings for web pages from the owner's configuration. */
function webProfile(config: Readonly<Record<string, unknown>> = {}): WebProfile {
  const web = (config["web"] ?? {}) as Readonly<Record<string, unknown>>;
  const names = ["avatarUrl", "bannerUrl", "description"];
  return Object.fromEntries(
    names.map((name) => [name, web[name]]).filter(([, value]) => typeof value === "string"),
  );
}

/**
 * Creates the JSON members of a node in each dialect. Choice: The alias of an unknown node is null, as in
 * `radicle-httpd`.
 */
export const aliasMembers: Members<Alias, OtherNode> = {
  async v1(call) {
    const nid = call.nid("nid");
    const aliases = await call.service.names.aliases([nid]);
    return { alias: aliases.get(nid) ?? null };
  },
  async today(call) {
    const { alias } = await aliasMembers.v1(call);
    return toTodayOtherNode(call.nid("nid"), alias ?? undefined);
  },
};

export const showAlias = showMembers(aliasMembers);

/**
 * Lists the ids of the repositories that a node offers. Choice: The ids are sorted. Clients other than the
 * owner see only public repositories in the storage.
 */
export async function showInventory(call: Call): Promise<AnswerOf<readonly RepoId[]>> {
  const inventory = await call.service.node.inventory(call.nid("nid"));
  const visible = await call.repositories.visibleOfNode(inventory, (rid) => rid);
  return json(visible, { headers: countField(visible.length) });
}

/** Header fields of responses that only the owner may see. */
const NO_STORE = { "cache-control": "no-store" };

/**
 * Shows the profile of the local node to the owner. Choice: The response is 404 on a host without a Radicle
 * home.
 */
export async function showProfile(call: Call): Promise<AnswerOf<Profile>> {
  if (!call.isPrivileged) throw new UnauthorizedError("Profile data is only shown for localhost");
  const { profile } = call.service;
  const config = await profile.config?.();
  if (config === undefined || profile.home === undefined) throw new NotFoundError("Not Found");
  return json({ config, home: profile.home }, { headers: NO_STORE });
}
