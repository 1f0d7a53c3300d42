/**
 * Handlers for the roots of the API, which show its version, and for the number of projects (docs/api.md,
 * 4.9).
 */
import { listingsOf } from "../ports/catalogued_storage.ts";
import type { Call } from "./call.ts";
import type { Link, NodeStats, Root, Service as ServiceRoot, VersionRoot } from "../contract/root.ts";
import { type Members, showMembers } from "./dialect.ts";
import type { AnswerOf } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { allProjects } from "./projects.ts";

/** Name of the service in responses. Existing clients require the name of `radicle-httpd`. */
const SERVICE_NAME = "radicle-httpd";
/** Version of the API of `radicle-httpd` that the `/repos` dialect implements. */
const TODAY_API_VERSION = "6.1.0";

export const versionMembers: Members<VersionRoot, VersionRoot & { readonly apiVersion: string }> = {
  v1: (call) => versionRoot(call, V1_LINKS, {}),
  today: (call) => versionRoot(call, TODAY_LINKS, { apiVersion: TODAY_API_VERSION }),
};

const V1_LINKS = [
  link("/projects", "projects"),
  link("/node", "node"),
  link("/delegates/:did/projects", "projects"),
  link("/profile", "profile"),
  link("/stats", "stats"),
];
const TODAY_LINKS = [
  link("/repos", "repos"),
  link("/repos/:rid", "repo"),
  link("/info", "info"),
  link("/node", "node"),
  link("/nodes/:nid", "node"),
  link("/delegates/:did/repos", "repos"),
  link("/stats", "stats"),
];

function versionRoot<T>(
  { service: { version, profile } }: Call,
  links: readonly Link[],
  more: T,
): VersionRoot & T {
  const start = { message: "Welcome!", service: SERVICE_NAME, version, ...more };
  return { ...start, nid: profile.nodeId, path: "/api/v1", links };
}

/**
 * In version 1, counts projects. In the `/repos` dialect, counts the repositories that the node offers.
 * Choice: Only public repositories are counted, even if the client is the owner.
 */
export const statsMembers: Members<NodeStats, { readonly repos: { readonly total: number } }> = {
  async v1(call) {
    let count = (await listingsOf(call.service.storage))?.projects;
    if (count === undefined) {
      count = 0;
      for await (const _project of allProjects(call.asStranger())) count++;
    }
    return { projects: { count }, users: { count: 0 } };
  },
  async today(call) {
    const { node, profile } = call.service;
    const offered = await node.inventory(profile.nodeId);
    return {
      repos: { total: (await call.asStranger().repositories.visibleOfNode(offered, (rid) => rid)).length },
    };
  },
};

export const showVersion = showMembers(versionMembers);
export const showStats = showMembers(statsMembers);

/**
 * Shows the root of the service, with the members of the current `radicle-httpd`. The field `Vary` is set,
 * because the response may depend on `Accept`.
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

export function showApi(): Promise<AnswerOf<Root>> {
  return Promise.resolve(json({ path: "/api", links: [link("/v1", "v1")] }));
}

function link(href: string, rel: string): Link {
  return { href, rel, type: "GET" };
}
