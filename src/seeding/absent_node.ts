import { UnavailableError } from "../errors.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";

/** Creates a node that never runs and has no data, for hosts without a node. */
export function createAbsentNode(): RadicleNode {
  const refuse = () => Promise.reject(new UnavailableError("This service has no node"));
  return {
    status: () => Promise.resolve({ state: "stopped" }),
    policies: () => Promise.resolve([]),
    seed: refuse,
    unseed: refuse,
    fetch: () => Promise.resolve({ status: "failed", reason: "node is not running" }),
    aliases: () => Promise.resolve(new Map()),
    inventory: () => Promise.resolve([]),
    seedCounts: () => Promise.resolve(new Map()),
    announce: () => {},
  };
}
