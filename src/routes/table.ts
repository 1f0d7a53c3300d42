/**
 * The route table: the handler for each path. Routes below a repository are listed once for both dialects.
 */
import type { commitEndpoints } from "../contract/commits.ts";
import type { issueEndpoints } from "../contract/issues.ts";
import type { nodeEndpoints, profileEndpoints } from "../contract/node.ts";
import type { patchEndpoints } from "../contract/patches.ts";
import type { delegateEndpoints, projectEndpoints, remoteEndpoints } from "../contract/projects.ts";
import type { rawEndpoints } from "../contract/raw.ts";
import type { rootEndpoints } from "../contract/root.ts";
import type { keySessionEndpoints, walletSessionEndpoints } from "../contract/sessions.ts";
import type { bothEndpoints } from "../contract/today.ts";
import { OF_FILES, type RouteTraits } from "../contract/traits.ts";
import type { treeEndpoints } from "../contract/tree.ts";
import type { Route } from "./call.ts";
import { changeIssue, changePatch, openIssue, openPatch } from "./changes.ts";
import * as commits from "./commits.ts";
import { showDocument } from "./contract.ts";
import { showJoined } from "./dialect.ts";
import * as node from "./node.ts";
import { issues, patches } from "./objects.ts";
import { listPolicies, seedRepository, showPolicy, unseedRepository } from "./policies.ts";
import { listOfDelegate, listRepositories, searchRepos, showRepository } from "./projects.ts";
import { showRawBlob, showRawFile, showRawFileOfHead } from "./raw.ts";
import { showRemote, showRemotes } from "./remotes.ts";
import { showApi, showService, showStats, showVersion, statsMembers, versionMembers } from "./root.ts";
import type { Extension, RoutesOf } from "../extension.ts";
import type { ServiceOptions } from "./service.ts";
import * as sessions from "./sessions.ts";
import { countCommits, showFile, showFolder, showReadmeFile, showTreeStats } from "./tree.ts";

/**
 * Adds a path before the patterns of routes, and gives all routes common traits. Traits of a route override
 * common traits.
 */
function below<const P extends string, const Rows extends readonly Route[]>(
  path: P,
  traits: RouteTraits,
  rows: Rows,
): { readonly [I in keyof Rows]: readonly [Rows[I][0], `${P}${Rows[I][1]}`, Rows[I][2], RouteTraits] };
function below(path: string, traits: RouteTraits, rows: readonly Route[]): readonly Route[] {
  return rows.map(([method, rest, handler, own]) => [method, path + rest, handler, { ...traits, ...own }]);
}

const EXPENSIVE: RouteTraits = { isExpensive: true };
const SEARCH: RouteTraits = { need: "search", isExpensive: true };
/** Traits of routes below a repository: the name of the path parameter with the repository. */
const OF_PROJECT: RouteTraits = { repository: "project" };
const OF_REPO: RouteTraits = { dialect: "today", repository: "rid" };
const OF_POLICY: RouteTraits = { repository: "rid" };

const repositoryRoutes = [
  ["GET", "/commits", commits.listCommits, EXPENSIVE],
  ["GET", "/commits/:sha", commits.showCommit, EXPENSIVE],
  ["GET", "/diff/:base/:oid", commits.showComparison, EXPENSIVE],
  ["GET", "/activity", commits.showActivity, EXPENSIVE],
  ["GET", "/tree/:sha/", showFolder, EXPENSIVE],
  ["GET", "/tree/:sha/*path", showFolder, EXPENSIVE],
  ["GET", "/blob/:sha/*path", showFile, EXPENSIVE],
  ["GET", "/readme/:sha", showReadmeFile, EXPENSIVE],
  ["GET", "/remotes", showRemotes],
  ["GET", "/remotes/:peer", showRemote],
  ["GET", "/issues", issues.list],
  ["POST", "/issues", openIssue],
  ["GET", "/issues/:id", issues.show],
  ["PATCH", "/issues/:id", changeIssue],
  ["GET", "/patches", patches.list],
  ["POST", "/patches", openPatch],
  ["GET", "/patches/:id", patches.show],
  ["PATCH", "/patches/:id", changePatch],
] as const satisfies readonly Route[];

const PROJECT = "/api/v1/projects/:project", REPO = "/api/v1/repos/:rid";

/** Roots of version 1. Some routes end with a slash, because people type paths with a trailing slash. */
const rootRoutes: RoutesOf<typeof rootEndpoints> = below("", {}, [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/api/v1/stats", showStats],
  ["GET", "/", showService],
  ["GET", "/api/", showApi],
  ["GET", "/api/v1/", showVersion],
  ["GET", "/api/v1/openapi.json", showDocument],
]);
const projectRoutes: RoutesOf<
  readonly [
    ...typeof projectEndpoints,
    ...typeof commitEndpoints,
    ...typeof treeEndpoints,
    ...typeof remoteEndpoints,
    ...typeof issueEndpoints,
    ...typeof patchEndpoints,
  ]
> = [
  ...below("/api/v1", {}, [
    ["GET", "/projects", listRepositories, OF_PROJECT],
    ["GET", "/projects/:project", showRepository, OF_PROJECT],
  ]),
  ...below(PROJECT, OF_PROJECT, repositoryRoutes),
];

const nodeRoutes: RoutesOf<
  readonly [...typeof nodeEndpoints, ...typeof delegateEndpoints, ...typeof profileEndpoints]
> = below("/api/v1", {}, [
  ["GET", "/node", node.showNode],
  ["GET", "/node/policies/repos", listPolicies, OF_POLICY],
  ["PUT", "/node/policies/repos/:rid", seedRepository, OF_POLICY],
  ["DELETE", "/node/policies/repos/:rid", unseedRepository, OF_POLICY],
  ["GET", "/nodes/:nid", node.showAlias],
  ["GET", "/nodes/:nid/inventory", node.showInventory],
  ["GET", "/delegates/:delegate/projects", listOfDelegate],
  ["GET", "/profile", node.showProfile],
]);

/** Routes for sessions. Replicas forward these requests to the service that makes changes. */
const keySessionRoutes: RoutesOf<typeof keySessionEndpoints> = below("/api/v1", { need: "change" }, [
  ["POST", "/sessions", sessions.openSession],
  ["GET", "/sessions/:id", sessions.showSession],
  ["PUT", "/sessions/:id", sessions.authorizeSession],
  ["DELETE", "/sessions/:id", sessions.deleteSession],
]);

/**
 * Routes for sign-in with a wallet. They have the same paths as the routes for sign-in with the key of the
 * node. There is no sign-out.
 */
const walletSessionRoutes: RoutesOf<typeof walletSessionEndpoints> = below("/api/v1", { need: "change" }, [
  ["POST", "/sessions", sessions.openForWallet],
  ["GET", "/sessions/:id", sessions.showForWallet],
  ["PUT", "/sessions/:id", sessions.authorizeWallet],
]);

const todayRoutes: readonly Route[] = [
  ...below("", { dialect: "today" }, [
    ["GET", "/api", showApi],
    ["GET", "/api/v1", showVersion],
    ["GET", "/", showService],
    ["GET", "/api/", showApi],
    ["GET", "/api/v1/", showVersion],
    ["GET", "/api/v1/info", node.showInfo],
    ["GET", "/api/v1/node", node.showNode],
    ["GET", "/api/v1/nodes/:nid", node.showAlias],
    ["GET", "/api/v1/nodes/:nid/inventory", node.showInventory],
    ["GET", "/api/v1/stats", showStats],
    ["GET", "/api/v1/node/policies/repos", listPolicies, OF_POLICY],
    ["GET", "/api/v1/node/policies/repos/:rid", showPolicy, OF_POLICY],
    ["GET", "/api/v1/delegates/:did/repos", listOfDelegate],
    ["GET", "/api/v1/repos", listRepositories, OF_REPO],
    ["GET", "/api/v1/repos/search", searchRepos, { ...OF_REPO, ...SEARCH }],
    ["GET", REPO, showRepository, OF_REPO],
  ]),
  ...below(REPO, OF_REPO, [
    ...repositoryRoutes,
    ["GET", "/diff/:base/:oid/stats", commits.showComparisonStats, EXPENSIVE],
    ["GET", "/stats/tree/:sha", showTreeStats, EXPENSIVE],
    ["GET", "/stats/commits/:sha", countCommits, EXPENSIVE],
    ["GET", "/jobs/:sha", commits.listJobs],
  ]),
];

/** Routes whose responses have the members of both dialects, for services with both dialects. */
const bothRoutes: RoutesOf<typeof bothEndpoints> = below("/api/v1", {}, [
  ["GET", "", showJoined(versionMembers)],
  ["GET", "/", showJoined(versionMembers)],
  ["GET", "/stats", showJoined(statsMembers)],
  ["GET", "/node", showJoined(node.nodeMembers)],
  ["GET", "/nodes/:nid", showJoined(node.aliasMembers)],
]);

/** Routes of raw files in both dialects. The commit in the path may be an id or a name. */
const rawRoutes: RoutesOf<typeof rawEndpoints> = below("/raw/:rid", OF_FILES, [
  ["GET", "/blobs/:oid", showRawBlob],
  ["GET", "/head/*path", showRawFileOfHead],
  ["GET", "/:sha/*path", showRawFile],
]);
/**
 * Returns all routes of a service: the routes of the core in the order of the contract, then the routes of
 * extensions. A later route replaces an earlier route with the same method and path.
 */
export function allRoutes(
  { api = "both", wallets }: Pick<ServiceOptions, "api" | "wallets">,
  extensions: readonly Extension[] = [],
): readonly Route[] {
  const added = extensions.flatMap(({ routes }) => routes?.(api) ?? []);
  const v1: readonly Route[] = [
    ...rootRoutes,
    ...projectRoutes,
    ...nodeRoutes,
    ...(wallets === undefined ? keySessionRoutes : walletSessionRoutes),
    ...rawRoutes,
  ];
  const today = [...todayRoutes, ...rawRoutes];
  // The `/repos` dialect alone serves no changes.
  if (api === "today") return [...today.filter(([method]) => method === "GET"), ...added];
  return [...(api === "both" ? today : []), ...v1, ...(api === "both" ? bothRoutes : []), ...added];
}

/**
 * Sorts patterns into the order in which they are matched. At the first segment whose kinds differ, a fixed
 * name comes before a parameter, and a parameter before the rest of a path.
 */
export function inMatchingOrder<T>(items: readonly T[], patternOf: (item: T) => string): readonly T[] {
  return items.toSorted((a, b) => {
    const [left, right] = [kindsOf(patternOf(a)), kindsOf(patternOf(b))];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/** Returns a digit for each segment: 1 for a fixed name, 2 for a parameter, 3 for the rest of the path. */
function kindsOf(pattern: string): string {
  const kinds = pattern.split("/").slice(1).map((name) =>
    name.startsWith("*") ? "3" : name.startsWith(":") ? "2" : "1"
  );
  return kinds.join("");
}
