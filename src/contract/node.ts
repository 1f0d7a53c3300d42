/** The node, its policies, and other nodes (2.14, 2.16, 4.5); the profile (4.7). */
import * as v from "valibot";
import type { Endpoint } from "./endpoint.ts";
import { OF_LISTS } from "./headers.ts";
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

/** Routes of the local node itself. */
export const nodeEndpoints = [
  {
    method: "GET",
    path: "/api/v1/node",
    name: "showNode",
    summary: "The local node.",
    section: "4.5.5",
    answers: { 200: Node },
    errors: [],
  },
] as const satisfies readonly Endpoint[];

/** Routes of seeding policies. */
export const policyEndpoints = [
  {
    method: "GET",
    path: "/api/v1/node/policies/repos",
    name: "listPolicies",
    summary: "Seeding policies, in the order in which they were made.",
    section: "4.5.6",
    answers: { 200: list(Policy) },
    errors: [],
    fields: OF_LISTS,
  },
  {
    method: "PUT",
    path: "/api/v1/node/policies/repos/:rid",
    name: "seedRepository",
    summary: "Seeds a repository.",
    section: "4.5.1",
    query: SeedQuery,
    needsSession: true,
    answers: { 200: Seeded },
    errors: OF_POLICIES,
  },
  {
    method: "DELETE",
    path: "/api/v1/node/policies/repos/:rid",
    name: "unseedRepository",
    summary: "Removes the policy of a repository.",
    section: "4.5.2",
    needsSession: true,
    answers: { 200: Done },
    errors: OF_POLICIES,
  },
] as const satisfies readonly Endpoint[];

/** Routes of nodes. */
export const nodesEndpoints = [
  {
    method: "GET",
    path: "/api/v1/nodes/:nid",
    name: "showAlias",
    summary: "Alias of a node; null when nobody knows one.",
    section: "4.5.3",
    answers: { 200: Alias },
    errors: ["badParameter"],
  },
  {
    method: "GET",
    path: "/api/v1/nodes/:nid/inventory",
    name: "listInventory",
    summary: "Repositories that a node offers.",
    section: "4.5.4",
    answers: { 200: list(RepoId) },
    errors: ["badParameter"],
    fields: OF_LISTS,
  },
] as const satisfies readonly Endpoint[];

/** Routes of the profile. */
export const profileEndpoints = [
  {
    method: "GET",
    path: "/api/v1/profile",
    name: "showProfile",
    summary: "Configuration of the node, for its owner.",
    section: "4.7",
    answers: { 200: Profile },
    errors: ["unauthorized", "notFound"],
    caching: "none",
  },
] as const satisfies readonly Endpoint[];
