/** Handlers that list, show, set and remove the seeding policies of the local node (specification, 4.5). */
import type { Call } from "./call.ts";
import type { Done, Policy, Seeded } from "../contract/node.ts";
import { SeedQuery } from "../contract/queries.ts";
import type { AnswerOf } from "../http/answer.ts";
import { UnavailableError } from "../errors.ts";
import { requireRid } from "./dialect.ts";
import { readBearer } from "../http/privilege.ts";
import { readQuery } from "../http/parameters.ts";
import { countField } from "../http/paging.ts";
import { json } from "../http/respond.ts";
import type { RepoId } from "../ids/rid.ts";
import type { SeedingPolicy } from "../ports/radicle_node.ts";
import { defaultPolicy } from "../seeding/policy.ts";
import { toPolicyView, toTodayPolicy, toTodayRepoPolicy } from "../views/node.ts";

/**
 * Lists the seeding policies. Choice: Clients other than the owner see only policies of public repositories
 * in the storage, because other policies would reveal private repositories.
 */
export async function listPolicies(call: Call): Promise<AnswerOf<readonly Policy[]>> {
  const policies = await call.service.node.policies();
  const visible = await call.repositories.visibleOfNode(policies, ({ rid }) => rid);
  const views = call.dialect === "v1" ? visible.map(toPolicyView) : visible.map(toTodayRepoPolicy);
  return json(views as readonly Policy[], { headers: countField(visible.length) });
}

/**
 * Seeds a repository. Choice: If the fetch fails or the node is stopped, the response is still 200, because
 * the policy is set.
 */
export async function seedRepository(call: Call): Promise<AnswerOf<Seeded>> {
  const token = readBearer(call.request);
  const rid = call.rid("rid");
  const { scope, from } = readQuery(call.url, SeedQuery);
  const { node, sessions } = call.service;
  await sessions.requireChange(token);
  await node.seed(rid, scope);
  if (from === undefined) return json({ success: true });
  return json({ success: true, results: await node.fetch(rid, from) });
}

export async function unseedRepository(call: Call): Promise<AnswerOf<Done>> {
  const token = readBearer(call.request);
  const rid = call.rid("rid");
  const { node, sessions } = call.service;
  await sessions.requireChange(token);
  await node.unseed(rid);
  return json({ success: true });
}

/**
 * Shows the policy of a repository in the `/repos` dialect. Choice: For a repository that is hidden from the
 * client, the default policy is shown.
 */
export async function showPolicy(call: Call) {
  const rid = requireRid(call);
  const [known] = await call.repositories.visibleOf([rid], (one) => one);
  const policyOf = known === undefined ? undefined : await readPolicies(call);
  const policy = policyOf?.(rid) ?? defaultPolicy(await call.service.profile.config?.());
  return json(toTodayPolicy(policy));
}

/**
 * Reads the policies of the node. Returns a function that finds the policy of a repository. Without a policy,
 * and if the policies are unreadable, a repository has the default policy.
 */
export async function readPolicies(
  { service: { node, profile } }: Call,
): Promise<(rid: RepoId) => Pick<SeedingPolicy, "policy" | "scope">> {
  const config = await profile.config?.();
  const own = await node.policies().catch((error): readonly SeedingPolicy[] => {
    if (error instanceof UnavailableError) return [];
    throw error;
  });
  const byRid = new Map(own.map((policy) => [policy.rid, policy]));
  return (rid) => byRid.get(rid) ?? defaultPolicy(config);
}
