/** Other nodes: what they are called and what they offer (4.5). */
import type { Call, Route } from "./call.ts";
import type { Answer } from "../http/answer.ts";
import { json } from "../http/respond.ts";

/** Routes of nodes. */
export const nodesRoutes: readonly Route[] = [
  ["GET", "/api/v1/nodes/:nid", showAlias],
  ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
];

/** Choice: as on the real service, the alias of an unknown node is null. */
async function showAlias(call: Call): Promise<Answer> {
  const nid = call.nid("nid");
  const aliases = await call.service.node.aliases([nid]);
  return json({ alias: aliases.get(nid) ?? null });
}

/** Choice: the repositories are ids, in the order of all lists, and as with policies only the owner of the node sees all of them. */
async function showInventory(call: Call): Promise<Answer> {
  const inventory = await call.service.node.inventory(call.nid("nid"));
  return json(await call.knownOf(inventory, (rid) => rid));
}
