/** The local node, and other nodes, as clients of today's service see them. */
import { base64, base64nopad } from "@scure/base";
import { sha256 } from "@noble/hashes/sha2.js";
import { type Did, didOfNid } from "../../ids/did.ts";
import { nidToPublicKey, type NodeId } from "../../ids/nid.ts";
import { encodePublicBlob, KEY_TYPE } from "../../keys/public_blob.ts";
import type { NodeStatus } from "../../ports/radicle_node.ts";

/** Texts and pictures that the owner has configured for web pages. */
export interface WebProfile {
  readonly avatarUrl?: string;
  readonly bannerUrl?: string;
  readonly description?: string;
}

/** Wire form of the local node. */
export interface TodayNodeView extends WebProfile {
  readonly id: NodeId;
  /** User agent of the node's programs; null when it is unknown. */
  readonly agent: string | null;
  /** The configuration of the running node; null when it cannot be asked. */
  readonly config: Readonly<Record<string, unknown>> | null;
  readonly state: NodeStatus["state"];
}

/** Wire form of any node. */
export interface TodayOtherNodeView {
  /** Null when it is not known. */
  readonly alias: string | null;
  readonly did: Did;
  /** The key as SSH writes it, and its fingerprint. */
  readonly ssh: { readonly full: string; readonly hash: string };
}

/** Shows the local node. */
export function toTodayNode(
  id: NodeId,
  agent: string | undefined,
  status: NodeStatus,
  web: WebProfile,
): TodayNodeView {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, agent: agent ?? null, config, state: status.state, ...web };
}

/** Shows a node. */
export function toTodayOtherNode(node: NodeId, alias: string | undefined): TodayOtherNodeView {
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
