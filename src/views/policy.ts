/** A seeding policy as clients see it (2.16). */
import type { Policy as PolicyView } from "../contract/node.ts";
import type { SeedingPolicy } from "../ports/radicle_node.ts";

/** Shows a seeding policy. */
export function toPolicyView({ rid, scope, policy }: SeedingPolicy): PolicyView {
  return { id: rid, scope, policy };
}
