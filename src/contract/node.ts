/** The node, its policies, and other nodes (2.14, 2.16, 4.5); the profile (4.7). */
import * as v from "valibot";
import { change, type Endpoint, OF_LISTS, read } from "./endpoint.ts";
import { SeedQuery } from "./queries.ts";
import { AnyObject, list, NodeId, RepoId } from "./values.ts";

/** The local node. */
export const Node = v.object({
  id: NodeId,
  version: v.pipe(v.string(), v.description("Version of the service.")),
  config: v.pipe(
    v.nullable(AnyObject),
    v.description("Configuration of the running node; null when it cannot be asked."),
  ),
  state: v.picklist(["running", "stopped"]),
});

/** A seeding policy. */
export const Policy = v.object({
  id: RepoId,
  scope: v.picklist(["followed", "all"]),
  policy: v.picklist(["allow", "block"]),
});

/** Result of a fetch, as the node reports it. */
export const FetchResult = v.variant("status", [
  v.looseObject({
    status: v.literal("success"),
    updated: list(v.unknown()),
    namespaces: list(v.unknown()),
  }),
  v.looseObject({ status: v.literal("failed"), reason: v.string() }),
]);

/** A policy was set. */
export const Seeded = v.object({ success: v.literal(true), results: v.exactOptional(FetchResult) });
/** It was done. */
export const Done = v.object({ success: v.literal(true) });
/** The alias of a node. */
export const Alias = v.object({ alias: v.nullable(v.string()) });

/** Configuration and place of the home. */
export const Profile = v.object({ config: AnyObject, home: v.string() });

/** The form of {@link Node}. */
export type Node = v.InferOutput<typeof Node>;
/** The form of {@link Policy}. */
export type Policy = v.InferOutput<typeof Policy>;
/** The form of {@link Seeded}. */
export type Seeded = v.InferOutput<typeof Seeded>;
/** The form of {@link Done}. */
export type Done = v.InferOutput<typeof Done>;
/** The form of {@link Alias}. */
export type Alias = v.InferOutput<typeof Alias>;
/** The form of {@link Profile}. */
export type Profile = v.InferOutput<typeof Profile>;

const OF_POLICIES = ["badRequest", "badParameter", "unauthorized", "forbidden"] as const;

/** Routes of the local node, its policies, and other nodes. */
export const nodeEndpoints = [
  read("4.5.5", "/node", "showNode", "The local node.", Node, { errors: [] }),
  read(
    "4.5.6",
    "/node/policies/repos",
    "listPolicies",
    "Seeding policies, in the order in which they were made.",
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
  read("4.5.3", "/nodes/:nid", "showAlias", "Alias of a node; null when nobody knows one.", Alias, {
    errors: ["badParameter"],
  }),
  read("4.5.4", "/nodes/:nid/inventory", "listInventory", "Repositories that a node offers.", list(RepoId), {
    errors: ["badParameter"],
    fields: OF_LISTS,
  }),
] as const satisfies readonly Endpoint[];

/** Routes of the profile. */
export const profileEndpoints = [
  read("4.7", "/profile", "showProfile", "Configuration of the node, for its owner.", Profile, {
    errors: ["unauthorized", "notFound"],
    caching: "none",
  }),
] as const satisfies readonly Endpoint[];
