/** The roots of the API and how much the node keeps: what clients read to learn whom they talk to. */
import type { Call, Route } from "./call.ts";
import type { Answer } from "../http/answer.ts";
import { json } from "../http/respond.ts";
import { listedProjects } from "./projects.ts";

/** What the service calls itself: real clients check it. */
const SERVICE_NAME = "radicle-httpd";

/** Routes below `/api`. */
export const rootRoutes: readonly Route[] = [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/api/v1/stats", showStats],
];

function showApi(): Promise<Answer> {
  return Promise.resolve(json({ path: "/api", links: [link("/v1", "v1")] }));
}

function showVersion(call: Call): Promise<Answer> {
  return Promise.resolve(json({
    message: "Welcome!",
    service: SERVICE_NAME,
    version: call.service.version,
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

/** Choice: everybody is told the same number, that of the projects in a list without private ones. */
async function showStats(call: Call): Promise<Answer> {
  const rids = await call.service.storage.repositoryIds();
  let count = 0;
  for await (const _project of listedProjects(call.asStranger(), rids)) count++;
  return json({ projects: { count }, users: { count: 0 } });
}

function link(href: string, rel: string): { href: string; rel: string; type: string } {
  return { href, rel, type: "GET" };
}
