/** Roots, statistics, and the contract itself (4.9, 4.11). */
import * as v from "valibot";
import { type Endpoint, read, route } from "./endpoint.ts";
import { AnyObject, Count, list, NodeId } from "./values.ts";

/** A link to a route. */
export const Link = v.object({ href: v.string(), rel: v.string(), type: v.literal("GET") });

/** Root of the service. */
export const Service = v.object({
  welcome: v.string(),
  version: v.string(),
  path: v.literal("/"),
  links: list(Link),
});
/** Root of all versions. */
export const Root = v.object({ path: v.literal("/api"), links: list(Link) });
/** Root of version 1. */
export const VersionRoot = v.object({
  message: v.string(),
  service: v.string(),
  version: v.string(),
  nid: NodeId,
  path: v.literal("/api/v1"),
  links: list(Link),
});
/** Numbers of what the node holds. */
export const NodeStats = v.object({
  projects: v.object({ count: Count }),
  users: v.object({ count: Count }),
});

/** A document of OpenAPI. */
export const OpenApi = v.looseObject({ openapi: v.literal("3.1.0"), info: AnyObject, paths: AnyObject });

/** The form of {@link Link}. */
export type Link = v.InferOutput<typeof Link>;
/** The form of {@link Service}. */
export type Service = v.InferOutput<typeof Service>;
/** The form of {@link Root}. */
export type Root = v.InferOutput<typeof Root>;
/** The form of {@link VersionRoot}. */
export type VersionRoot = v.InferOutput<typeof VersionRoot>;
/** The form of {@link NodeStats}. */
export type NodeStats = v.InferOutput<typeof NodeStats>;
/** The form of {@link OpenApi}. */
export type OpenApi = v.InferOutput<typeof OpenApi>;

/** Routes below `/api`, the root of the service, and the contract. */
export const rootEndpoints = [
  route("4.9", "GET /api", "showApi", "Versions of the interface.", { 200: Root }),
  read("4.9", "", "showVersion", "The service, its version, and links.", VersionRoot, { errors: [] }),
  read("4.9", "/stats", "showStats", "Number of projects that a stranger can list.", NodeStats, {
    errors: [],
  }),
  route("4.9", "GET /", "showService", "Root of the service.", { 200: Service }),
  route("4.9", "GET /api/", "showApiWithSlash", "As `/api`, for people who type the address.", { 200: Root }),
  read("4.9", "/", "showVersionWithSlash", "As `/api/v1`, for people who type the address.", VersionRoot, {
    errors: [],
  }),
  read(
    "4.11",
    "/openapi.json",
    "showContract",
    "This document: all routes, in the form of OpenAPI 3.1.",
    OpenApi,
    { errors: [], caching: "revalidated" },
  ),
] as const satisfies readonly Endpoint[];
