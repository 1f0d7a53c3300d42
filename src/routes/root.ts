/** The roots of the API, from which clients learn its version, and the number of projects (4.9). */
import type { Call, RoutesOf } from "./call.ts";
import type {
  Link,
  NodeStats,
  Root,
  rootEndpoints,
  Service as ServiceRoot,
  VersionRoot,
} from "../contract/root.ts";
import type { AnswerOf } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { listedProjects } from "./projects.ts";

/** Name of the service. Existing clients check it, so it is that of the real service. */
const SERVICE_NAME = "radicle-httpd";

/** Routes of the roots and of the statistics. People type paths with a final slash, so these exist, too. */
export const rootRoutes: RoutesOf<typeof rootEndpoints> = [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/api/v1/stats", showStats],
  ["GET", "/", showService],
  ["GET", "/api/", showApi],
  ["GET", "/api/v1/", showVersion],
];

/**
 * Shows the root of the service. The members are those of today's `radicle-httpd`. `Vary` allows for an
 * answer that depends on `Accept`.
 */
export function showService(call: Call): Promise<AnswerOf<ServiceRoot>> {
  const answer: ServiceRoot = {
    welcome: "Welcome to the HTTP/JSON API of a Radicle node.",
    version: call.service.version,
    path: "/",
    links: [
      link("/api", "api"),
      link("/raw/:rid/:sha/*path", "file_by_commit"),
      link("/raw/:rid/head/*path", "file_by_canonical_head"),
      link("/raw/:rid/blobs/:oid", "file_by_oid"),
    ],
  };
  return Promise.resolve(json(answer, { headers: { vary: "accept" } }));
}

/** The root of the API. */
export function showApi(): Promise<AnswerOf<Root>> {
  return Promise.resolve(json({ path: "/api", links: [link("/v1", "v1")] }));
}

function showVersion(call: Call): Promise<AnswerOf<VersionRoot>> {
  return Promise.resolve(json(versionMembers(call)));
}

/** The members of the root of version 1. */
export function versionMembers({ service: { version, profile } }: Call): VersionRoot {
  return {
    message: "Welcome!",
    service: SERVICE_NAME,
    version,
    nid: profile.nodeId,
    path: "/api/v1",
    links: [
      link("/projects", "projects"),
      link("/node", "node"),
      link("/delegates/:did/projects", "projects"),
      link("/profile", "profile"),
      link("/stats", "stats"),
    ],
  };
}

async function showStats(call: Call): Promise<AnswerOf<NodeStats>> {
  return json(await statsMembers(call));
}

/** Statistics of version 1. Choice: counts public projects only, for the owner as for strangers. */
export async function statsMembers(call: Call): Promise<NodeStats> {
  const listings = await call.service.storage.listings?.();
  if (listings?.projects !== undefined) {
    return { projects: { count: listings.projects }, users: { count: 0 } };
  }
  const rids = await call.service.storage.repositoryIds();
  let count = 0;
  for await (const _project of listedProjects(call.asStranger(), rids)) count++;
  return { projects: { count }, users: { count: 0 } };
}

function link(href: string, rel: string): Link {
  return { href, rel, type: "GET" };
}
