/** A seeding policy as clients of today's service see it. */
import type { RepoId } from "../../ids/rid.ts";
import type { Scope, SeedingPolicy } from "../../ports/radicle_node.ts";

/** Wire form of a policy. */
export type TodayPolicyView =
  | { readonly policy: "allow"; readonly scope: Scope }
  | { readonly policy: "block" };

/** Wire form of the policy of a repository in a list. */
export interface TodayRepoPolicyView {
  readonly rid: RepoId;
  readonly policy: TodayPolicyView;
}

/** Shows a policy. */
export function toTodayPolicy({ policy, scope }: Pick<SeedingPolicy, "policy" | "scope">): TodayPolicyView {
  return policy === "allow" ? { policy, scope } : { policy };
}

/** Shows the policy of a repository. */
export function toTodayRepoPolicy(policy: SeedingPolicy): TodayRepoPolicyView {
  return { rid: policy.rid, policy: toTodayPolicy(policy) };
}
