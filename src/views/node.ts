/**
 * JSON of nodes, authors, seeding policies and the configuration, in both dialects (specification, 2.2, 2.16,
 * 4.5).
 */
import type { Node as NodeView, Policy as PolicyView } from "../contract/node.ts";
import { didOfNid, nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { NodeStatus, SeedingPolicy } from "../ports/radicle_node.ts";
import type { Author as AuthorView } from "../contract/thread.ts";
import type { AgentNode, ListedPolicy, OtherNode, RepoPolicy } from "../contract/today_schemas.ts";
import { base64, base64nopad } from "@scure/base";
import { sha256 } from "@noble/hashes/sha2.js";
import { encodePublicBlob, KEY_TYPE } from "../keys/ssh_wire.ts";

/** @param version Version of the service. */
export function toNodeView(id: NodeId, version: string, status: NodeStatus): NodeView {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, version, config, state: status.state };
}

/** Returns the alias of a node; `undefined` when no alias is known. */
export type AliasOf = (node: NodeId) => string | undefined;

/** Creates the JSON of an author, with an alias if `aliasOf` is given. */
export function toAuthorView(node: NodeId, aliasOf: AliasOf | undefined): AuthorView {
  const alias = aliasOf?.(node);
  return alias === undefined ? { id: didOfNid(node) } : { id: didOfNid(node), alias };
}

export function toPolicyView({ rid, scope, policy }: SeedingPolicy): PolicyView {
  return { id: rid, scope, policy };
}

export function toTodayPolicy({ policy, scope }: Pick<SeedingPolicy, "policy" | "scope">): RepoPolicy {
  return policy === "allow" ? { policy, scope } : { policy };
}

export function toTodayRepoPolicy(policy: SeedingPolicy): ListedPolicy {
  return { rid: policy.rid, policy: toTodayPolicy(policy) };
}

/** Texts and pictures for web pages, from the owner's configuration. */
export interface WebProfile {
  readonly avatarUrl?: string;
  readonly bannerUrl?: string;
  readonly description?: string;
}

export function toTodayNode(
  id: NodeId,
  agent: string | undefined,
  status: NodeStatus,
  web: WebProfile,
): AgentNode {
  const config = status.state === "running" ? status.config ?? null : null;
  return { id, agent: agent ?? null, config, state: status.state, ...web };
}

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
