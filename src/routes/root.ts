/** The roots of the API and how much the node keeps: what clients read to learn whom they talk to. */
import type { Call, Route } from "../call.ts";
import { json } from "../http/respond.ts";
import { DamagedError } from "../errors.ts";
import { VERSION } from "../version.ts";

/** What the service calls itself: real clients check it. */
const SERVICE_NAME = "radicle-httpd";

/** Routes below `/api`. */
export const rootRoutes: readonly Route[] = [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/api/v1/stats", showStats],
];

function showApi(): Promise<Response> {
  return Promise.resolve(json({ path: "/api", links: [link("/v1", "v1")] }));
}

function showVersion(call: Call): Promise<Response> {
  return Promise.resolve(json({
    message: "Welcome!",
    service: SERVICE_NAME,
    version: VERSION,
    nid: call.service.profile.nodeId,
    path: "/api/v1",
    links: [
      link("/projects", "projects"),
      link("/node", "node"),
      link("/delegates/:did/projects", "projects"),
      link("/profile", "profile"),
      link("/stats", "stats"),
    ],
  }));
}

async function showStats(call: Call): Promise<Response> {
  const { storage, identity } = call.service;
  let count = 0;
  for (const rid of await storage.repositoryIds()) {
    const repository = await storage.repository(rid);
    try {
      if (repository !== undefined && (await identity(repository)).visibility.type === "public") {
        count++;
      }
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
    }
  }
  return json({ projects: { count }, users: { count: 0 } });
}

function link(href: string, rel: string): { href: string; rel: string; type: string } {
  return { href, rel, type: "GET" };
}
