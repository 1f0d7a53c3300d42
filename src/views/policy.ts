/** A seeding policy as clients see it (2.16). */
import type { RepoId } from "../ids/rid.ts";
import type { Scope, SeedingPolicy } from "../ports/radicle_node.ts";

/** Wire form of a seeding policy. */
export interface PolicyView {
  readonly id: RepoId;
  readonly scope: Scope;
  readonly policy: "allow" | "block";
}

/** Shows a seeding policy. */
export function toPolicyView({ rid, scope, policy }: SeedingPolicy): PolicyView {
  return { id: rid, scope, policy };
}
