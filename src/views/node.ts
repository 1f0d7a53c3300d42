/** The local node as clients see it (2.14). */
import type { NodeId } from "../ids/nid.ts";
import type { NodeStatus } from "../ports/radicle_node.ts";

/** Wire form of the node. */
export interface NodeView {
  readonly id: NodeId;
  readonly version: string;
  /** The configuration of the running node; null when it cannot be asked. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly state: NodeStatus["state"];
}

/** Shows the node; `version` is the service's. */
export function toNodeView(id: NodeId, version: string, status: NodeStatus): NodeView {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, version, config, state: status.state };
}
