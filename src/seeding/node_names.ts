/** Looks up the aliases of nodes for responses (specification, 2.9). */
import type { Profile } from "../ports/profile.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";

export type NodeNames = Pick<RadicleNode, "aliases">;

/**
 * Returns a function that looks up the aliases of nodes. A node that never ran does not know its own alias.
 * In this case, the alias comes from the profile.
 */
export function createNodeNames(node: NodeNames, profile: Pick<Profile, "nodeId" | "alias">): NodeNames {
  return {
    async aliases(nodes) {
      const known = await node.aliases(nodes);
      const { nodeId, alias } = profile;
      if (alias === undefined || known.has(nodeId) || !nodes.includes(nodeId)) return known;
      return new Map([...known, [nodeId, alias]]);
    },
  };
}
