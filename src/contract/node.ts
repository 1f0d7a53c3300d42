/**
 * Schemas and routes of the node, its policies, and other nodes (specification, 2.14, 2.16, 4.5), and of the
 * profile (specification, 4.7).
 */
import * as v from "valibot";
import { change, type Endpoint, OF_LISTS, read } from "./endpoint.ts";
import { SeedQuery } from "./queries.ts";
import { AnyObject, list, NodeId, RepoId } from "./values.ts";

export const Node = v.object({
  id: NodeId,
  version: v.pipe(v.string(), v.description("Version of the service.")),
  config: v.pipe(
    v.nullable(AnyObject),
    v.description("Configuration of the running node. Null when the node does not answer."),
  ),
  state: v.picklist(["running", "stopped"]),
});

export const Policy = v.object({
  id: RepoId,
  scope: v.picklist(["followed", "all"]),
  policy: v.picklist(["allow", "block"]),
});

/** The result of a fetch, as the node reports it. */
export const FetchResult = v.variant("status", [
  v.looseObject({
    status: v.literal("success"),
    updated: list(v.unknown()),
    namespaces: list(v.unknown()),
  }),
  v.looseObject({ status: v.literal("failed"), reason: v.string() }),
]);

/** The response after a policy was set. */
export const Seeded = v.object({ success: v.literal(true), results: v.exactOptional(FetchResult) });
/** The response to a change without further data. */
export const Done = v.object({ success: v.literal(true) });
export const Alias = v.object({ alias: v.nullable(v.string()) });

/** The configuration and the path of the Radicle home. */
export const Profile = v.object({ config: AnyObject, home: v.string() });

export type Node = v.InferOutput<typeof Node>;
export type Policy = v.InferOutput<typeof Policy>;
export type Seeded = v.InferOutput<typeof Seeded>;
export type Done = v.InferOutput<typeof Done>;
export type Alias = v.InferOutput<typeof Alias>;
export type Profile = v.InferOutput<typeof Profile>;

const OF_POLICIES = ["badRequest", "badParameter", "unauthorized", "forbidden"] as const;

export const nodeEndpoints = [
  read("4.5.5", "/node", "showNode", "The local node.", Node, { errors: [] }),
  read(
    "4.5.6",
    "/node/policies/repos",
    "listPolicies",
    "Seeding policies, the oldest first.",
    list(Policy),
    { errors: [], fields: OF_LISTS },
  ),
  change("4.5.1", "PUT /node/policies/repos/:rid", "seedRepository", "Seeds a repository.", { 200: Seeded }, {
    query: SeedQuery,
    errors: OF_POLICIES,
  }),
  change(
    "4.5.2",
    "DELETE /node/policies/repos/:rid",
    "unseedRepository",
    "Removes the policy of a repository.",
    { 200: Done },
    { errors: OF_POLICIES },
  ),
  read("4.5.3", "/nodes/:nid", "showAlias", "Alias of a node. Null when it is unknown.", Alias, {
    errors: ["badParameter"],
  }),
  read("4.5.4", "/nodes/:nid/inventory", "listInventory", "Repositories that a node offers.", list(RepoId), {
    errors: ["badParameter"],
    fields: OF_LISTS,
  }),
] as const satisfies readonly Endpoint[];

export const profileEndpoints = [
  read("4.7", "/profile", "showProfile", "Configuration of the node. Only for its owner.", Profile, {
    errors: ["unauthorized", "notFound"],
    caching: "none",
  }),
] as const satisfies readonly Endpoint[];
