/** Status and configuration of the local node (4.5). */
import type { Call, RoutesOf } from "./call.ts";
import type { Node, nodeEndpoints } from "../contract/node.ts";
import type { AnswerOf } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { completeNodeConfig } from "../profile/complete_config.ts";
import { toNodeView } from "../views/node.ts";

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
