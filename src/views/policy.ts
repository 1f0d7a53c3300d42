/** A seeding policy as clients see it (2.16). */
import type { Policy as PolicyView } from "../contract/node.ts";
import type { ListedPolicy, RepoPolicy } from "../contract/today_schemas.ts";
import type { SeedingPolicy } from "../ports/radicle_node.ts";

/** Shows a seeding policy. */
export function toPolicyView({ rid, scope, policy }: SeedingPolicy): PolicyView {
  return { id: rid, scope, policy };
}

/** Shows a policy to clients of today's service. */
export function toTodayPolicy({ policy, scope }: Pick<SeedingPolicy, "policy" | "scope">): RepoPolicy {
  return policy === "allow" ? { policy, scope } : { policy };
}

/** Shows the policy of a repository to clients of today's service. */
export function toTodayRepoPolicy(policy: SeedingPolicy): ListedPolicy {
  return { rid: policy.rid, policy: toTodayPolicy(policy) };
}
