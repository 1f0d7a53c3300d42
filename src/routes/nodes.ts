/** Aliases and inventories of nodes (4.5). */
import type { Call, RoutesOf } from "./call.ts";
import type { Alias, nodesEndpoints } from "../contract/node.ts";
import type { OtherNode } from "../contract/today_schemas.ts";
import { type Members, showMembers } from "./dialect.ts";
import type { AnswerOf } from "../http/answer.ts";
import { countField } from "../http/paging.ts";
import { json } from "../http/respond.ts";
import type { RepoId } from "../ids/rid.ts";
import { toTodayOtherNode } from "../views/today/node.ts";

/** The members of any node. Choice: the alias of an unknown node is null, as on the real service. */
export const aliasMembers: Members<Alias, OtherNode> = {
  async v1(call) {
    const nid = call.nid("nid");
    const aliases = await call.service.node.aliases([nid]);
    return { alias: aliases.get(nid) ?? null };
  },
  async today(call) {
    const { alias } = await aliasMembers.v1(call);
    return toTodayOtherNode(call.nid("nid"), alias ?? undefined);
  },
};

/** Shows a node. */
export const showAlias = showMembers(aliasMembers);

/** Routes of nodes. */
export const nodesRoutes: RoutesOf<typeof nodesEndpoints> = [
  ["GET", "/api/v1/nodes/:nid", showAlias],
  ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
];

/** Choice: lists repository ids, sorted. A stranger sees only those of public repositories in the storage. */
export async function showInventory(call: Call): Promise<AnswerOf<readonly RepoId[]>> {
  const inventory = await call.service.node.inventory(call.nid("nid"));
  const visible = await call.visibleOfNode(inventory, (rid) => rid);
  return json(visible, { headers: countField(visible.length) });
}
