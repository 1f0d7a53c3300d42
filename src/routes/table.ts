/**
 * The routes: which handler answers which path. What is below a repository stands here once for both
 * dialects. Where both have a path, version 1 answers, unless the two answers can be joined.
 */
import type { commitEndpoints } from "../contract/commits.ts";
import type { AnswerTo, Endpoint } from "../contract/endpoint.ts";
import type { eventEndpoints, projectEventEndpoints } from "../contract/events.ts";
import type { issueEndpoints } from "../contract/issues.ts";
import type { nodeEndpoints, profileEndpoints } from "../contract/node.ts";
import type { patchEndpoints } from "../contract/patches.ts";
import type { delegateEndpoints, projectEndpoints, remoteEndpoints } from "../contract/projects.ts";
import type { archiveEndpoints, rawEndpoints } from "../contract/raw.ts";
import type { pageEndpoints, rootEndpoints } from "../contract/root.ts";
import type { searchEndpoints } from "../contract/search.ts";
import type { keySessionEndpoints, walletSessionEndpoints } from "../contract/sessions.ts";
import type { bothEndpoints } from "../contract/today.ts";
import { OF_EVENTS, OF_GIT, READS_CROSS_ORIGIN, type RouteTraits } from "../contract/traits.ts";
import type { treeEndpoints } from "../contract/tree.ts";
import { showArchive, showArchiveOfRef } from "./archives.ts";
import type { Handler, Route } from "./call.ts";
import { changeIssue, changePatch, openIssue, openPatch } from "./changes.ts";
import * as commits from "./commits.ts";
import { showDocument } from "./contract.ts";
import { showJoined } from "./dialect.ts";
import { listenToAll, listenToOne } from "./events.ts";
import * as git from "./git.ts";
import * as node from "./node.ts";
import { issues, patches } from "./objects.ts";
import * as page from "./page.ts";
import { listPolicies, seedRepository, showPolicy, unseedRepository } from "./policies.ts";
import { listOfDelegate, listRepositories, searchRepos, showRepository } from "./projects.ts";
import { showRawBlob, showRawFile, showRawFileOfHead } from "./raw.ts";
import { showRemote, showRemotes } from "./remotes.ts";
import { showApi, showService, showStats, showVersion, statsMembers, versionMembers } from "./root.ts";
import { searchTexts } from "./search.ts";
import type { ApiOptions } from "./service.ts";
import * as sessions from "./sessions.ts";
import { countCommits, showFile, showFolder, showReadmeFile, showTreeStats } from "./tree.ts";

/**
 * The route table of these endpoints: a row for each, in their order, whose handler answers what the endpoint
 * says.
 */
type RoutesOf<Endpoints extends readonly Endpoint[]> = {
  readonly [I in keyof Endpoints]: readonly [
    method: Endpoints[I]["method"],
    pattern: Endpoints[I]["path"],
    handler: Handler<AnswerTo<Endpoints[I]>>,
    traits: RouteTraits,
  ];
};

/** Rows below a path, with traits that they share; the own traits of a row come first. */
function below<const P extends string, const Rows extends readonly Route[]>(
  path: P,
  traits: RouteTraits,
  rows: Rows,
): { readonly [I in keyof Rows]: readonly [Rows[I][0], `${P}${Rows[I][1]}`, Rows[I][2], RouteTraits] };
function below(path: string, traits: RouteTraits, rows: readonly Route[]): readonly Route[] {
  return rows.map(([method, rest, handler, own]) => [method, path + rest, handler, { ...traits, ...own }]);
}

/** Answers that cost much. */
const EXPENSIVE: RouteTraits = { isExpensive: true };
const SEARCH: RouteTraits = { need: "search", isExpensive: true };
/** Repositories, in either dialect. */
const OF_PROJECT: RouteTraits = { repository: "project" };
const OF_REPO: RouteTraits = { dialect: "today", repository: "rid" };
const OF_POLICY: RouteTraits = { repository: "rid" };

/** Changes of a repository, in both dialects. */
const repositoryEvents = [
  ["GET", "/events", listenToOne, OF_EVENTS],
] as const satisfies readonly Route[];

/** Routes of a repository, in both dialects. */
const repositoryRoutes = [
  ["GET", "/commits", commits.listCommits, EXPENSIVE],
  ["GET", "/commits/:sha", commits.showCommitByName, EXPENSIVE],
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

/** Roots of version 1. People type paths with a final slash, so these exist, too. */
const rootRoutes: RoutesOf<typeof rootEndpoints> = below("", {}, [
  ["GET", "/api", showApi],
  ["GET", "/api/v1", showVersion],
  ["GET", "/api/v1/stats", showStats],
  ["GET", "/", showService],
  ["GET", "/api/", showApi],
  ["GET", "/api/v1/", showVersion],
  ["GET", "/api/v1/openapi.json", showDocument],
]);
const eventRoutes: RoutesOf<typeof eventEndpoints> = below("/api/v1", OF_EVENTS, [
  ["GET", "/events", listenToAll],
]);

/** Routes of version 1 for repositories. */
const projectRoutes: RoutesOf<
  readonly [
    ...typeof projectEventEndpoints,
    ...typeof projectEndpoints,
    ...typeof searchEndpoints,
    ...typeof commitEndpoints,
    ...typeof treeEndpoints,
    ...typeof remoteEndpoints,
    ...typeof issueEndpoints,
    ...typeof patchEndpoints,
  ]
> = [
  ...below(PROJECT, OF_PROJECT, repositoryEvents),
  ...below("/api/v1", {}, [
    ["GET", "/projects", listRepositories, OF_PROJECT],
    ["GET", "/projects/:project", showRepository, OF_PROJECT],
    ["GET", "/search", searchTexts, SEARCH],
  ]),
  ...below(PROJECT, OF_PROJECT, repositoryRoutes),
];

/** Routes of version 1 for nodes. */
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

/** Sessions are where changes are made. */
const keySessionRoutes: RoutesOf<typeof keySessionEndpoints> = below("/api/v1", { need: "change" }, [
  ["POST", "/sessions", sessions.openSession],
  ["GET", "/sessions/:id", sessions.showSession],
  ["PUT", "/sessions/:id", sessions.authorizeSession],
  ["DELETE", "/sessions/:id", sessions.deleteSession],
]);

/** Sign-in with a wallet: the same paths, without sign-out. */
const walletSessionRoutes: RoutesOf<typeof walletSessionEndpoints> = below("/api/v1", { need: "change" }, [
  ["POST", "/sessions", sessions.openForWallet],
  ["GET", "/sessions/:id", sessions.showForWallet],
  ["PUT", "/sessions/:id", sessions.authorizeWallet],
]);

/** Routes of today's clients. */
const todayRoutes: readonly Route[] = [
  ...below(REPO, OF_REPO, repositoryEvents),
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

/** Routes where both dialects are served, in place of those of either. */
const bothRoutes: RoutesOf<typeof bothEndpoints> = below("/api/v1", {}, [
  ["GET", "", showJoined(versionMembers)],
  ["GET", "/", showJoined(versionMembers)],
  ["GET", "/stats", showJoined(statsMembers)],
  ["GET", "/node", showJoined(node.nodeMembers)],
  ["GET", "/nodes/:nid", showJoined(node.aliasMembers)],
]);

const FILES: RouteTraits = { repository: "rid", crossOrigin: READS_CROSS_ORIGIN, isExpensive: true };

/** Routes of raw files, the same in both dialects. They take any name for a commit. */
const rawRoutes: RoutesOf<typeof rawEndpoints> = below("/raw/:rid", FILES, [
  ["GET", "/blobs/:oid", showRawBlob],
  ["GET", "/head/*path", showRawFileOfHead],
  ["GET", "/:sha/*path", showRawFile],
]);
const archiveRoutes: RoutesOf<typeof archiveEndpoints> = below("/raw/:rid", FILES, [
  ["GET", "/archive/*ref", showArchiveOfRef],
  ["GET", "/:archive", showArchive],
]);

const pageRoutes: RoutesOf<typeof pageEndpoints> = below("", {}, [
  ["GET", "/", page.showRoot],
  ["GET", "/page/:file", page.showFile],
]);

/**
 * Routes of git. `:name` is a repository id with or without `rad:`, and with or without `.git`; `:nid` a node
 * whose namespace is served as a repository of its own.
 */
const gitRoutes: readonly Route[] = ["/:name", "/:name/:nid"].flatMap((base): readonly Route[] =>
  below(base, OF_GIT, [
    ["GET", "/info/refs", git.showRefs],
    ["GET", "/HEAD", git.showHead],
    ["POST", "/git-upload-pack", git.sendPack],
    ["GET", "/git-receive-pack", git.refusePush],
    ["POST", "/git-receive-pack", git.refusePush],
  ])
);

/**
 * All routes of a service, in the order in which a path is compared with their patterns, which is that of the
 * contract.
 */
export function allRoutes(
  { api = "both", signIn = "key", page }: Pick<ApiOptions, "api" | "signIn" | "page">,
): readonly Route[] {
  const v1: readonly Route[] = [
    ...rootRoutes,
    ...eventRoutes,
    ...projectRoutes,
    ...nodeRoutes,
    ...(signIn === "wallet" ? walletSessionRoutes : keySessionRoutes),
    ...rawRoutes,
  ];
  const today = [...todayRoutes, ...rawRoutes];
  return [
    // Raw files take any name for a commit.
    ...(api === "v1" ? [] : archiveRoutes),
    // Today's clients change nothing by themselves.
    ...(api === "today" ? [...eventRoutes, ...today.filter(([method]) => method === "GET")] : []),
    ...(api === "both" ? today : []),
    ...(api === "today" ? [] : v1),
    ...(api === "both" ? bothRoutes : []),
    // The page needs version 1.
    ...(page === true && api !== "today" ? pageRoutes : []),
    // Git takes any name for a repository.
    ...gitRoutes,
  ];
}
