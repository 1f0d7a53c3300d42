/** The local node as clients see it (2.14). */
import type { Node as NodeView } from "../contract/node.ts";
import type { NodeId } from "../ids/nid.ts";
import type { NodeStatus } from "../ports/radicle_node.ts";

/** Shows the node; `version` is the service's. */
export function toNodeView(id: NodeId, version: string, status: NodeStatus): NodeView {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, version, config, state: status.state };
}
