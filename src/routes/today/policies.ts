/** Seeding policies of the local node: list, one. */
import { type Call, tableOf } from "../call.ts";
import { OF_POLICY } from "../../contract/traits.ts";
import { ApiError } from "../../errors.ts";
import { countField } from "../../http/paging.ts";
import { json } from "../../http/respond.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { SeedingPolicy } from "../../ports/radicle_node.ts";
import { defaultPolicy } from "../../seeding/policy.ts";
import { toTodayPolicy, toTodayRepoPolicy } from "../../views/policy.ts";
import { requireRid } from "../dialect.ts";
import type { TodayRow } from "./requests.ts";

/** Routes of seeding policies. */
export const policyRoutes: readonly TodayRow[] = tableOf(OF_POLICY, [
  ["GET", "/api/v1/node/policies/repos", listPolicies],
  ["GET", "/api/v1/node/policies/repos/:rid", showPolicy],
]);

/** Seeding policies of repositories. */
export interface Policies {
  /** The policy of a repository: its own, or the default of the node. */
  of(rid: RepoId): Pick<SeedingPolicy, "policy" | "scope">;
}

/** Reads the policies of the node. Where they cannot be read, the default holds for all repositories. */
export async function readPolicies({ service: { node, profile } }: Call): Promise<Policies> {
  const config = await profile.config?.();
  const own = new Map((await readOwn()).map((policy) => [policy.rid, policy]));
  return { of: (rid) => own.get(rid) ?? defaultPolicy(config) };

  async function readOwn(): Promise<readonly SeedingPolicy[]> {
    try {
      return await node.policies();
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  }
}

/** Choice: as in version 1, strangers see policies of public repositories in storage alone. */
async function listPolicies(call: Call) {
  const policies = await call.service.node.policies();
  const known = await call.visibleOfNode(policies, ({ rid }) => rid);
  return json(known.map(toTodayRepoPolicy), { headers: countField(known.length) });
}

/** Choice: to strangers a repository that they may not know of has the default policy. */
async function showPolicy(call: Call) {
  const rid = requireRid(call);
  const [known] = await call.visibleOf([rid], (one) => one);
  const policies = known === undefined ? undefined : await readPolicies(call);
  const policy = policies?.of(rid) ?? defaultPolicy(await call.service.profile.config?.());
  return json(toTodayPolicy(policy));
}
