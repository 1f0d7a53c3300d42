/** Seeding policies of the local node: list, set, remove (4.5). */
import { type Call, type RoutesOf, tableOf } from "./call.ts";
import { OF_POLICY } from "../contract/traits.ts";
import type { Done, Policy, policyEndpoints, Seeded } from "../contract/node.ts";
import { SeedQuery } from "../contract/queries.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readBearer } from "../http/privilege.ts";
import { readQuery } from "../http/parameters.ts";
import { countField } from "../http/paging.ts";
import { json } from "../http/respond.ts";
import { toPolicyView } from "../views/policy.ts";

/** Routes of seeding policies. */
export const policyRoutes: RoutesOf<typeof policyEndpoints> = tableOf(OF_POLICY, [
  ["GET", "/api/v1/node/policies/repos", listPolicies],
  ["PUT", "/api/v1/node/policies/repos/:rid", seedRepository],
  ["DELETE", "/api/v1/node/policies/repos/:rid", unseedRepository],
]);

/**
 * Choice: a stranger sees policies of public repositories in the storage only. The other policies reveal
 * private repositories, or ids that only the owner knows.
 */
async function listPolicies(call: Call): Promise<AnswerOf<readonly Policy[]>> {
  const policies = await call.service.node.policies();
  const visible = await call.visibleOfNode(policies, ({ rid }) => rid);
  return json(visible.map(toPolicyView), { headers: countField(visible.length) });
}

/** Choice: after a failed fetch, or with a stopped node, the answer is still 200, since the policy is set. */
async function seedRepository(call: Call): Promise<AnswerOf<Seeded>> {
  const token = readBearer(call.request);
  const rid = call.rid("rid");
  const { scope, from } = readQuery(call.url, SeedQuery);
  const { node, sessions } = call.service;
  await sessions.requireChange(token);
  await node.seed(rid, scope);
  if (from === undefined) return json({ success: true });
  return json({ success: true, results: await node.fetch(rid, from) });
}

async function unseedRepository(call: Call): Promise<AnswerOf<Done>> {
  const token = readBearer(call.request);
  const rid = call.rid("rid");
  const { node, sessions } = call.service;
  await sessions.requireChange(token);
  await node.unseed(rid);
  return json({ success: true });
}
