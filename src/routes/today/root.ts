/** The root of the API, by which today's clients learn whom they talk to. */
import type { Call } from "../call.ts";
import { json } from "../../http/respond.ts";
import { showApi, showService } from "../root.ts";
import type { TodayRow } from "./requests.ts";

/** Version of the API of today's service that is answered here. */
const API_VERSION = "6.1.0";

/** Routes below `/api`, and the root of the service. */
export const rootRoutes: readonly TodayRow[] = [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/", showService],
  ["GET", "/api/", showApi],
  ["GET", "/api/v1/", showVersion],
];

function showVersion(call: Call) {
  return Promise.resolve(json(versionMembers(call)));
}

/** The members of the root. */
export function versionMembers({ service: { version, profile } }: Call) {
  return {
    message: "Welcome!",
    service: "radicle-httpd",
    version,
    apiVersion: API_VERSION,
    nid: profile.nodeId,
    path: "/api/v1" as const,
    links: LINKS.map(([href, rel]) => ({ href, rel, type: "GET" as const })),
  };
}

const LINKS = [
  ["/repos", "repos"],
  ["/repos/:rid", "repo"],
  ["/info", "info"],
  ["/node", "node"],
  ["/nodes/:nid", "node"],
  ["/delegates/:did/repos", "repos"],
  ["/stats", "stats"],
] as const;
