/** Views with the names of nodes, which are looked up all at once. */
import type { NodeId } from "../ids/nid.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { AliasOf } from "./author.ts";

/**
 * Makes a view of something: first without aliases, to see of which nodes it shows one, then with those that are known. Views are pure, so the
 * first attempt costs little beside a question to a database for each node.
 */
export async function aliased<View>(
  names: Pick<RadicleNode, "aliases">,
  view: (aliasOf: AliasOf) => View,
): Promise<View> {
  const nodes = new Set<NodeId>();
  const first = view((node) => void nodes.add(node));
  if (nodes.size === 0) return first;
  const aliases = await names.aliases([...nodes]);
  return aliases.size === 0 ? first : view((node) => aliases.get(node));
}
