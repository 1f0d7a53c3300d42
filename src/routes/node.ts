/** Status and configuration of the local node; aliases and inventories of nodes (4.5). */
import type { Call, RoutesOf } from "./call.ts";
import type { Alias, Node, nodeEndpoints, nodesEndpoints } from "../contract/node.ts";
import type { AnswerOf } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { completeNodeConfig } from "../profile/complete_config.ts";
import { toNodeView } from "../views/node.ts";
import { countField } from "../http/paging.ts";
import type { RepoId } from "../ids/rid.ts";

/** Routes of the local node itself. */
export const nodeRoutes: RoutesOf<typeof nodeEndpoints> = [
  ["GET", "/api/v1/node", showNode],
];

async function showNode(call: Call): Promise<AnswerOf<Node>> {
  return json(await nodeMembers(call));
}

/** The members of the local node. */
export async function nodeMembers({ service: { node, profile, version } }: Call): Promise<Node> {
  const status = await node.status();
  const isTold = status.state === "running" && status.config !== undefined;
  const shown = isTold ? { ...status, config: completeNodeConfig(status.config) } : status;
  return toNodeView(profile.nodeId, version, shown);
}

/** Routes of nodes. */
export const nodesRoutes: RoutesOf<typeof nodesEndpoints> = [
  ["GET", "/api/v1/nodes/:nid", showAlias],
  ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
];

/** Choice: the alias of an unknown node is null, as on the real service. */
async function showAlias(call: Call): Promise<AnswerOf<Alias>> {
  return json(await aliasMembers(call));
}

/** The members of a node. */
export async function aliasMembers(call: Call): Promise<Alias> {
  const nid = call.nid("nid");
  const aliases = await call.service.node.aliases([nid]);
  return { alias: aliases.get(nid) ?? null };
}

/** Choice: lists repository ids, sorted. A stranger sees only those of public repositories in the storage. */
export async function showInventory(call: Call): Promise<AnswerOf<readonly RepoId[]>> {
  const inventory = await call.service.node.inventory(call.nid("nid"));
  const visible = await call.visibleOfNode(inventory, (rid) => rid);
  return json(visible, { headers: countField(visible.length) });
}
