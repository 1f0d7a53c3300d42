/**
 * The routes of today's clients, in the order of the contract, and those whose answers have the members of
 * both dialects. Their handlers are those of version 1, in the files of the resources.
 */
import {
  listCommits,
  listJobs,
  showActivity,
  showCommitByName,
  showComparison,
  showComparisonStats,
} from "./commits.ts";
import { type Route, type RoutesOf, tableOf } from "./call.ts";
import { changeIssue, changePatch, openIssue, openPatch } from "./changes.ts";
import { showJoined } from "./dialect.ts";
import { issues, patches } from "./objects.ts";
import { aliasMembers, nodeMembers, showAlias, showInfo, showInventory, showNode } from "./node.ts";
import { listPolicies, showPolicy } from "./policies.ts";
import { listOfDelegate, listRepositories, searchRepos, showRepository } from "./projects.ts";
import { rawRoutes } from "./raw.ts";
import { showRemote, showRemotes } from "./remotes.ts";
import { showApi, showService, showStats, showVersion, statsMembers, versionMembers } from "./root.ts";
import { countCommits, showFile, showFolder, showReadmeFile, showTreeStats } from "./tree.ts";
import type { bothEndpoints, todayChangeEndpoints } from "../contract/today.ts";
import { OF_POLICY, OF_REPO, OF_REPO_CONTENT, OF_SEARCH, OF_TODAY } from "../contract/traits.ts";

/** Routes in the order in which a path is compared with their patterns. */
export const todayRoutes: readonly Route[] = [
  ...tableOf(OF_TODAY, [
    ["GET", "/api", showApi],
    ["GET", "/api/v1", showVersion],
    ["GET", "/", showService],
    ["GET", "/api/", showApi],
    ["GET", "/api/v1/", showVersion],
    ["GET", "/api/v1/info", showInfo],
    ["GET", "/api/v1/node", showNode],
    ["GET", "/api/v1/nodes/:nid", showAlias],
    ["GET", "/api/v1/nodes/:nid/inventory", showInventory],
    ["GET", "/api/v1/stats", showStats],
    ["GET", "/api/v1/node/policies/repos", listPolicies, OF_POLICY],
    ["GET", "/api/v1/node/policies/repos/:rid", showPolicy, OF_POLICY],
    ["GET", "/api/v1/delegates/:did/repos", listOfDelegate],
  ]),
  ...tableOf(OF_REPO, [
    ["GET", "/api/v1/repos", listRepositories],
    ["GET", "/api/v1/repos/search", searchRepos, OF_SEARCH],
    ["GET", "/api/v1/repos/:rid", showRepository],
  ]),
  ...tableOf(OF_REPO_CONTENT, [
    ["GET", "/api/v1/repos/:rid/commits", listCommits],
    ["GET", "/api/v1/repos/:rid/commits/:sha", showCommitByName],
    ["GET", "/api/v1/repos/:rid/diff/:base/:oid", showComparison],
    ["GET", "/api/v1/repos/:rid/diff/:base/:oid/stats", showComparisonStats],
    ["GET", "/api/v1/repos/:rid/activity", showActivity],
    ["GET", "/api/v1/repos/:rid/tree/:sha/", showFolder],
    ["GET", "/api/v1/repos/:rid/tree/:sha/*path", showFolder],
    ["GET", "/api/v1/repos/:rid/blob/:sha/*path", showFile],
    ["GET", "/api/v1/repos/:rid/readme/:sha", showReadmeFile],
    ["GET", "/api/v1/repos/:rid/stats/tree/:sha", showTreeStats],
    ["GET", "/api/v1/repos/:rid/stats/commits/:sha", countCommits],
  ]),
  ...tableOf(OF_REPO, [
    ["GET", "/api/v1/repos/:rid/remotes", showRemotes],
    ["GET", "/api/v1/repos/:rid/remotes/:peer", showRemote],
    ["GET", "/api/v1/repos/:rid/issues", issues.list],
    ["GET", "/api/v1/repos/:rid/issues/:id", issues.show],
    ["GET", "/api/v1/repos/:rid/patches", patches.list],
    ["GET", "/api/v1/repos/:rid/patches/:id", patches.show],
    ["GET", "/api/v1/repos/:rid/jobs/:sha", listJobs],
  ]),
  ...rawRoutes,
];

/** Routes of changes, with the actions of today's programs (13.7): served beside version 1. */
export const todayChangeRoutes: RoutesOf<typeof todayChangeEndpoints> = tableOf(OF_REPO, [
  ["POST", "/api/v1/repos/:rid/issues", openIssue],
  ["PATCH", "/api/v1/repos/:rid/issues/:id", changeIssue],
  ["POST", "/api/v1/repos/:rid/patches", openPatch],
  ["PATCH", "/api/v1/repos/:rid/patches/:id", changePatch],
]);

/** Routes where both dialects are served, in place of those of either. */
export const bothRoutes: RoutesOf<typeof bothEndpoints> = [
  ["GET", "/api/v1", showJoined(versionMembers)],
  ["GET", "/api/v1/", showJoined(versionMembers)],
  ["GET", "/api/v1/stats", showJoined(statsMembers)],
  ["GET", "/api/v1/node", showJoined(nodeMembers)],
  ["GET", "/api/v1/nodes/:nid", showJoined(aliasMembers)],
];
