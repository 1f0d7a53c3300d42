/** Schemas and routes of the roots, the statistics, and the OpenAPI document (docs/api.md, 4.9, 4.11). */
import * as v from "valibot";
import { type Endpoint, read, route } from "./endpoint.ts";
import { AnyObject, Count, list, NodeId } from "./values.ts";

export const Link = v.object({ href: v.string(), rel: v.string(), type: v.literal("GET") });

/** The root of the service. */
export const Service = v.object({
  welcome: v.string(),
  version: v.string(),
  path: v.literal("/"),
  links: list(Link),
});
/** The root of all versions. */
export const Root = v.object({ path: v.literal("/api"), links: list(Link) });
/** The root of version 1. */
export const VersionRoot = v.object({
  message: v.string(),
  service: v.string(),
  version: v.string(),
  nid: NodeId,
  path: v.literal("/api/v1"),
  links: list(Link),
});
export const NodeStats = v.object({
  projects: v.object({ count: Count }),
  users: v.object({ count: Count }),
});

export const OpenApi = v.looseObject({ openapi: v.literal("3.1.0"), info: AnyObject, paths: AnyObject });

export type Link = v.InferOutput<typeof Link>;
export type Service = v.InferOutput<typeof Service>;
export type Root = v.InferOutput<typeof Root>;
export type VersionRoot = v.InferOutput<typeof VersionRoot>;
export type NodeStats = v.InferOutput<typeof NodeStats>;
export type OpenApi = v.InferOutput<typeof OpenApi>;

export const rootEndpoints = [
  route("4.9", "GET /api", "showApi", "Versions of the interface.", { 200: Root }),
  read("4.9", "", "showVersion", "The service, its version, and links.", VersionRoot, { errors: [] }),
  read("4.9", "/stats", "showStats", "Number of public projects.", NodeStats, {
    errors: [],
  }),
  route("4.9", "GET /", "showService", "Root of the service.", { 200: Service }),
  route("4.9", "GET /api/", "showApiWithSlash", "Same as `/api`, for people who type the address.", {
    200: Root,
  }),
  read(
    "4.9",
    "/",
    "showVersionWithSlash",
    "Same as `/api/v1`, for people who type the address.",
    VersionRoot,
    {
      errors: [],
    },
  ),
  read(
    "4.11",
    "/openapi.json",
    "showContract",
    "This document: all routes, as OpenAPI 3.1.",
    OpenApi,
    { errors: [], caching: "revalidated" },
  ),
] as const satisfies readonly Endpoint[];
