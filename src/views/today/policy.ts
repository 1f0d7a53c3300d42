/** A seeding policy as clients of today's service see it. */
import type { ListedPolicy, RepoPolicy } from "../../contract/today_schemas.ts";
import type { SeedingPolicy } from "../../ports/radicle_node.ts";

/** Shows a policy. */
export function toTodayPolicy({ policy, scope }: Pick<SeedingPolicy, "policy" | "scope">): RepoPolicy {
  return policy === "allow" ? { policy, scope } : { policy };
}

/** Shows the policy of a repository. */
export function toTodayRepoPolicy(policy: SeedingPolicy): ListedPolicy {
  return { rid: policy.rid, policy: toTodayPolicy(policy) };
}
