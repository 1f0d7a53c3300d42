/** The local node, and other nodes, as clients of today's service see them. */
import type { AgentNode, OtherNode } from "../../contract/today_schemas.ts";
import { base64, base64nopad } from "@scure/base";
import { sha256 } from "@noble/hashes/sha2.js";
import { didOfNid, nidToPublicKey, type NodeId } from "../../ids/nid.ts";
import { encodePublicBlob, KEY_TYPE } from "../../keys/ssh_wire.ts";
import type { NodeStatus } from "../../ports/radicle_node.ts";

/** Texts and pictures that the owner has configured for web pages. */
export interface WebProfile {
  readonly avatarUrl?: string;
  readonly bannerUrl?: string;
  readonly description?: string;
}

/** Shows the local node. */
export function toTodayNode(
  id: NodeId,
  agent: string | undefined,
  status: NodeStatus,
  web: WebProfile,
): AgentNode {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, agent: agent ?? null, config, state: status.state, ...web };
}

/** Shows a node. */
export function toTodayOtherNode(node: NodeId, alias: string | undefined): OtherNode {
  const blob = encodePublicBlob(nidToPublicKey(node));
  return {
    alias: alias ?? null,
    did: didOfNid(node),
    ssh: {
      full: `${KEY_TYPE} ${base64.encode(blob)}`,
      hash: `SHA256:${base64nopad.encode(sha256(blob))}`,
    },
  };
}
