/** Routes of the `/repos` dialect, and routes whose responses have the members of both dialects. */
import * as v from "valibot";
import * as today from "./today_schemas.ts";
import { Commit, commitEndpoints } from "./commits.ts";
import { type Content, type Endpoint, OF_LISTS, read, route } from "./endpoint.ts";
import { OF_DIFFS } from "./errors.ts";
import { DiffStats } from "./diff.ts";
import { issueEndpoints } from "./issues.ts";
import { patchEndpoints } from "./patches.ts";
import { remoteEndpoints } from "./projects.ts";
import { treeEndpoints } from "./tree.ts";
import {
  CommitsQuery,
  SearchQuery,
  TodayIssuesQuery,
  TodayPatchesQuery,
  TodayReposQuery,
} from "./queries.ts";
import { Root, Service } from "./root.ts";
import { list, RepoId } from "./values.ts";
import { LaterPatchRequest } from "../cob/write/patch_request.ts";

function ofToday<const P extends string, C extends Content>(
  path: P,
  name: string,
  summary: string,
  content: C,
  rest: Parameters<typeof read>[5] = {},
) {
  return read("today", path, name, summary, content, { errors: OF_DIFFS, ...rest });
}

/**
 * Differences of the route of folders from version 1. The response has no statistics, so that the response
 * never changes.
 */
const TREE: Partial<Endpoint> = {
  query: v.object({}),
  answers: { 200: today.RepoTree },
  caching: "immutable",
};

/** Differences of routes below a repository from version 1, by the names of the routes in version 1. */
const BELOW_REPO: Readonly<Record<string, Partial<Endpoint>>> = {
  listCommits: {
    summary: "Commits in the order of history.",
    query: CommitsQuery,
    answers: { 200: list(Commit) },
  },
  showCommit: { summary: "One commit, with its diff.", answers: { 200: today.RepoCommit } },
  compareCommits: { answers: { 200: today.RepoComparison } },
  showRoot: TREE,
  showTree: TREE,
  listRemotes: { summary: "Nodes with signed references.", answers: { 200: list(today.RepoRemote) } },
  showRemote: { answers: { 200: today.RepoRemote } },
  listIssues: {
    summary: "Issues, newest first.",
    query: TodayIssuesQuery,
    answers: { 200: list(today.RepoIssue) },
  },
  showIssue: { answers: { 200: today.RepoIssue } },
  listPatches: {
    summary: "Patches, newest first.",
    query: TodayPatchesQuery,
    answers: { 200: list(today.RepoPatch) },
  },
  showPatch: { answers: { 200: today.RepoPatch } },
  changePatch: { body: LaterPatchRequest },
};

/** Creates a route below a repository in the `/repos` dialect from a route of version 1. */
function ofRepo(endpoint: Endpoint): Endpoint {
  const { path, name, needsSession, errors } = endpoint;
  return {
    ...endpoint,
    path: path.replace("/projects/:project", "/repos/:rid"),
    name: name.replace(/^[a-z]+/, "$&Repo"),
    section: "today",
    errors: needsSession ? errors : OF_DIFFS,
    ...BELOW_REPO[name],
  };
}

const root = { errors: [] };
const counted = { fields: OF_LISTS };
const immutable = { caching: "immutable" } as const;
const revalidated = { caching: "revalidated" } as const;
const compared = {
  ...immutable,
  parameters: { oid: ["Second commit of the comparison: object id or name.", "CommitText"] },
} as const;

/**
 * Routes of the `/repos` dialect, except raw files. Routes of changes are only served together with version
 * 1.
 */
export const todayEndpoints = [
  route("today", "GET /api", "showTodayApi", "Versions of the interface.", { 200: Root }),
  ofToday("", "showTodayVersion", "The service, its version, and links.", today.ApiRoot, root),
  route("today", "GET /", "showTodayService", "Root of the service.", { 200: Service }),
  route("today", "GET /api/", "showTodayApiWithSlash", "Same as `/api`, with a slash at the end.", {
    200: Root,
  }),
  ofToday(
    "/",
    "showTodayVersionWithSlash",
    "Same as `/api/v1`, with a slash at the end.",
    today.ApiRoot,
    root,
  ),
  ofToday("/info", "showInfo", "The local node, and what the service can do.", today.Info, root),
  ofToday("/node", "showAgentNode", "The local node.", today.AgentNode, root),
  ofToday("/nodes/:nid", "showOtherNode", "A node.", today.OtherNode, { errors: ["badParameter"] }),
  ofToday("/nodes/:nid/inventory", "listTodayInventory", "Repositories that a node offers.", list(RepoId), {
    errors: ["badParameter"],
    ...counted,
  }),
  ofToday("/stats", "showRepoStats", "Number of repositories that the node offers.", today.RepoStats, root),
  ofToday("/node/policies/repos", "listTodayPolicies", "Seeding policies.", list(today.ListedPolicy), {
    ...root,
    ...counted,
  }),
  ofToday("/node/policies/repos/:rid", "showPolicy", "Seeding policy of a repository.", today.RepoPolicy),
  ofToday("/delegates/:did/repos", "listReposOfDelegate", "Repositories of a delegate.", list(today.Repo), {
    query: TodayReposQuery,
  }),
  ofToday("/repos", "listRepos", "Repositories that are seeded.", list(today.Repo), {
    query: TodayReposQuery,
  }),
  ofToday("/repos/search", "searchRepos", "Repositories whose names contain a text.", list(today.FoundRepo), {
    query: SearchQuery,
    queryParameters: { q: "Part of the name. Characters after the first 256 are ignored." },
  }),
  ofToday("/repos/:rid", "showRepo", "One repository.", today.Repo),
  ...[...commitEndpoints, ...treeEndpoints, ...remoteEndpoints, ...issueEndpoints, ...patchEndpoints].map(
    ofRepo,
  ),
  ofToday(
    "/repos/:rid/diff/:base/:oid/stats",
    "showDiffStats",
    "Numbers of a diff: changed files and lines.",
    DiffStats,
    compared,
  ),
  ofToday(
    "/repos/:rid/stats/tree/:sha",
    "showTreeStats",
    "Size of a history.",
    today.RepoTreeStats,
    revalidated,
  ),
  ofToday(
    "/repos/:rid/stats/commits/:sha",
    "countCommits",
    "Number of commits of a history.",
    today.CommitCount,
    immutable,
  ),
  ofToday("/repos/:rid/jobs/:sha", "listJobs", "Jobs of a commit.", list(today.Job), counted),
] as const satisfies readonly Endpoint[];

/** Routes with the members of both dialects, for services with both dialects. */
export const bothEndpoints = [
  ofToday("", "showVersionOfBoth", "The service, its version, and links.", today.ApiRoot, root),
  ofToday(
    "/",
    "showVersionOfBothWithSlash",
    "Same as `/api/v1`, with a slash at the end.",
    today.ApiRoot,
    root,
  ),
  ofToday("/stats", "showStatsOfBoth", "Numbers of repositories.", today.StatsOfBoth, root),
  ofToday("/node", "showNodeOfBoth", "The local node.", today.NodeOfBoth, root),
  ofToday("/nodes/:nid", "showNodeByIdOfBoth", "A node.", today.OtherNode, { errors: ["badParameter"] }),
] as const satisfies readonly Endpoint[];
