/** Routes in the dialect of today's service, and routes whose answers have the members of both dialects. */
import * as today from "./today_schemas.ts";
import { Activity, Commit } from "./commits.ts";
import {
  change,
  type Content,
  type Endpoint,
  expensive,
  OF_ISSUE,
  OF_PATCH,
  read,
  route,
} from "./endpoint.ts";
import { OF_DIFFS } from "./errors.ts";
import { OF_LISTS } from "./headers.ts";
import { DiffStats } from "./diff.ts";
import { Blob } from "./tree.ts";
import {
  CommitsQuery,
  SearchQuery,
  TodayIssuesQuery,
  TodayPatchesQuery,
  TodayReposQuery,
} from "./queries.ts";
import { Root, Service } from "./root.ts";
import { list, RepoId } from "./values.ts";
import { IssueAction } from "../cob/issue/issue.ts";
import { LaterPatchRequest, NewIssue, NewPatch } from "../cob/write/patch_request.ts";
import { Changed } from "./issues.ts";

/** A route of today's service that is only read. */
function ofToday<const P extends string, C extends Content>(
  path: P,
  name: string,
  summary: string,
  content: C,
  rest: Parameters<typeof read>[5] = {},
) {
  return read("today", path, name, summary, content, { errors: OF_DIFFS, ...rest });
}

const root = { errors: [] };
const counted = { fields: OF_LISTS };
const immutable = { caching: "immutable" } as const;
const revalidated = { caching: "revalidated" } as const;
const compared = {
  ...immutable,
  parameters: { oid: ["Commit that is compared: object id or name.", "CommitText"] },
} as const;

/** Routes of today's clients, except for raw files. Those of changes are served beside version 1 alone. */
export const todayEndpoints = [
  route("today", "GET /api", "showTodayApi", "Versions of the interface.", { 200: Root }),
  ofToday("", "showTodayVersion", "The service, its version, and links.", today.ApiRoot, root),
  route("today", "GET /", "showTodayService", "Root of the service.", { 200: Service }),
  route("today", "GET /api/", "showTodayApiWithSlash", "As `/api`, with a slash at the end.", { 200: Root }),
  ofToday("/", "showTodayVersionWithSlash", "As `/api/v1`, with a slash at the end.", today.ApiRoot, root),
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
  ofToday("/repos/search", "searchRepos", "Repositories by a part of their names.", list(today.FoundRepo), {
    query: SearchQuery,
    queryParameters: { q: "Part of the name; 256 characters count." },
    isExpensive: true,
  }),
  ofToday("/repos/:rid", "showRepo", "One repository.", today.Repo),
  ...expensive([
    ofToday("/repos/:rid/commits", "listRepoCommits", "Commits in the order of history.", list(Commit), {
      query: CommitsQuery,
      ...revalidated,
    }),
    ofToday(
      "/repos/:rid/commits/:sha",
      "showRepoCommit",
      "One commit, with its diff.",
      today.RepoCommit,
      revalidated,
    ),
    ofToday(
      "/repos/:rid/diff/:base/:oid",
      "compareRepoCommits",
      "Difference of two commits.",
      today.RepoComparison,
      compared,
    ),
    ofToday(
      "/repos/:rid/activity",
      "showRepoActivity",
      "Times of the commits of the last 52 weeks.",
      Activity,
      {
        caching: "hour",
      },
    ),
    ofToday("/repos/:rid/tree/:sha/", "showRepoRoot", "Root folder of a commit.", today.RepoTree, immutable),
    ofToday("/repos/:rid/tree/:sha/*path", "showRepoTree", "Folder of a commit.", today.RepoTree, immutable),
    ofToday("/repos/:rid/blob/:sha/*path", "showRepoBlob", "File of a commit.", Blob, immutable),
    ofToday("/repos/:rid/readme/:sha", "showRepoReadme", "Readme in the root of a commit.", Blob, immutable),
  ]),
  ofToday(
    "/repos/:rid/remotes",
    "listRepoRemotes",
    "Nodes with signed references.",
    list(today.RepoRemote),
    counted,
  ),
  ofToday("/repos/:rid/remotes/:peer", "showRepoRemote", "Signed references of one node.", today.RepoRemote),
  ofToday("/repos/:rid/issues", "listRepoIssues", "Issues, newest first.", list(today.RepoIssue), {
    query: TodayIssuesQuery,
  }),
  change("today", "POST /repos/:rid/issues", "openRepoIssue", "Opens an issue.", { 201: Changed }, {
    body: NewIssue,
  }),
  ofToday("/repos/:rid/issues/:id", "showRepoIssue", "One issue.", today.RepoIssue, {
    parameters: OF_ISSUE,
  }),
  change("today", "PATCH /repos/:rid/issues/:id", "changeRepoIssue", "Changes an issue.", { 200: Changed }, {
    parameters: OF_ISSUE,
    body: IssueAction,
  }),
  ofToday("/repos/:rid/patches", "listRepoPatches", "Patches, newest first.", list(today.RepoPatch), {
    query: TodayPatchesQuery,
  }),
  change("today", "POST /repos/:rid/patches", "openRepoPatch", "Opens a patch.", { 201: Changed }, {
    body: NewPatch,
  }),
  ofToday("/repos/:rid/patches/:id", "showRepoPatch", "One patch.", today.RepoPatch, {
    parameters: OF_PATCH,
  }),
  change("today", "PATCH /repos/:rid/patches/:id", "changeRepoPatch", "Changes a patch.", { 200: Changed }, {
    parameters: OF_PATCH,
    body: LaterPatchRequest,
  }),
  ...expensive([
    ofToday("/repos/:rid/diff/:base/:oid/stats", "showDiffStats", "Size of a diff.", DiffStats, compared),
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
  ]),
  ofToday("/repos/:rid/jobs/:sha", "listJobs", "Jobs of a commit.", list(today.Job), counted),
] as const satisfies readonly Endpoint[];

/** Routes with the members of both dialects, in place of the routes of either dialect. */
export const bothEndpoints = [
  ofToday("", "showVersionOfBoth", "The service, its version, and links.", today.ApiRoot, root),
  ofToday("/", "showVersionOfBothWithSlash", "As `/api/v1`, with a slash at the end.", today.ApiRoot, root),
  ofToday("/stats", "showStatsOfBoth", "Numbers of repositories.", today.StatsOfBoth, root),
  ofToday("/node", "showNodeOfBoth", "The local node.", today.NodeOfBoth, root),
  ofToday("/nodes/:nid", "showNodeByIdOfBoth", "A node.", today.OtherNode, { errors: ["badParameter"] }),
] as const satisfies readonly Endpoint[];
