/** Aliases and inventories of nodes (4.5). */
import type { Call, Route } from "./call.ts";
import type { Answer } from "../http/answer.ts";
import { json } from "../http/respond.ts";

/** Routes of nodes. */
export const nodesRoutes: readonly Route[] = [
  ["GET", "/api/v1/nodes/:nid", showAlias],
  ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
];

/** Choice: the alias of an unknown node is null, as on the real service. */
async function showAlias(call: Call): Promise<Answer> {
  const nid = call.nid("nid");
  const aliases = await call.service.node.aliases([nid]);
  return json({ alias: aliases.get(nid) ?? null });
}

/** Choice: lists repository ids, sorted. A stranger sees only those of public repositories in the storage. */
async function showInventory(call: Call): Promise<Answer> {
  const inventory = await call.service.node.inventory(call.nid("nid"));
  return json(await call.visibleOf(inventory, (rid) => rid));
}
