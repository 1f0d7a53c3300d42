/** Routes in the dialect of today's service, and routes whose answers have the members of both dialects. */
import { Activity, Commit } from "./commits.ts";
import type { AnswerCode, Content, Endpoint } from "./endpoint.ts";
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
import * as today from "./today_schemas.ts";
import { list, RepoId } from "./values.ts";

const OF_READS: readonly AnswerCode[] = ["badParameter", "notFound", "payloadTooLarge", "unsupported"];

/** Members that most routes leave out. */
type Rest = Partial<
  Pick<Endpoint, "query" | "queryParameters" | "errors" | "caching" | "parameters" | "fields">
>;

/** A route that is only read, with its path and answer as types. */
interface ReadEndpoint<P extends string, C extends Content> extends Endpoint {
  readonly method: "GET";
  readonly path: `/api/v1${P}`;
  readonly answers: { readonly 200: C };
}

/** A route that is only read. */
function read<const P extends string, C extends Content>(
  path: P,
  name: string,
  summary: string,
  content: C,
  rest: Rest = {},
): ReadEndpoint<P, C> {
  return {
    method: "GET",
    path: `/api/v1${path}`,
    name,
    summary,
    section: "today",
    answers: { 200: content },
    errors: rest.errors ?? OF_READS,
    ...rest,
  };
}

const root = { errors: [] };
const counted = { fields: OF_LISTS };
const immutable = { caching: "immutable" } as const;
const revalidated = { caching: "revalidated" } as const;
const compared = { ...immutable, parameters: { oid: "Commit that is compared: object id or name." } };
const issue = { parameters: { id: "Object id of an issue." } };
const patch = { parameters: { id: "Object id of a patch." } };

/** Routes of today's service, except for raw files. */
export const todayEndpoints = [
  { ...read("", "showTodayApi", "Versions of the interface.", Root, root), path: "/api" },
  read("", "showTodayVersion", "The service, its version, and links.", today.ApiRoot, root),
  { ...read("", "showTodayService", "Root of the service.", Service, root), path: "/" },
  { ...read("", "showTodayApiWithSlash", "As `/api`, with a slash at the end.", Root, root), path: "/api/" },
  read("/", "showTodayVersionWithSlash", "As `/api/v1`, with a slash at the end.", today.ApiRoot, root),
  read("/info", "showInfo", "The local node, and what the service can do.", today.Info, root),
  read("/node", "showAgentNode", "The local node.", today.AgentNode, root),
  read("/nodes/:nid", "showOtherNode", "A node.", today.OtherNode, { errors: ["badParameter"] }),
  read("/nodes/:nid/inventory", "listTodayInventory", "Repositories that a node offers.", list(RepoId), {
    errors: ["badParameter"],
    ...counted,
  }),
  read("/stats", "showRepoStats", "Number of repositories that the node offers.", today.RepoStats, root),
  read("/node/policies/repos", "listTodayPolicies", "Seeding policies.", list(today.ListedPolicy), {
    ...root,
    ...counted,
  }),
  read("/node/policies/repos/:rid", "showPolicy", "Seeding policy of a repository.", today.RepoPolicy),
  read("/delegates/:did/repos", "listReposOfDelegate", "Repositories of a delegate.", list(today.Repo), {
    query: TodayReposQuery,
  }),
  read("/repos", "listRepos", "Repositories that are seeded.", list(today.Repo), { query: TodayReposQuery }),
  read("/repos/search", "searchRepos", "Repositories by a part of their names.", list(today.FoundRepo), {
    query: SearchQuery,
    queryParameters: { q: "Part of the name; 256 characters count." },
  }),
  read("/repos/:rid", "showRepo", "One repository.", today.Repo),
  read("/repos/:rid/commits", "listRepoCommits", "Commits in the order of history.", list(Commit), {
    query: CommitsQuery,
    ...revalidated,
  }),
  read(
    "/repos/:rid/commits/:sha",
    "showRepoCommit",
    "One commit, with its diff.",
    today.RepoCommit,
    revalidated,
  ),
  read(
    "/repos/:rid/diff/:base/:oid",
    "compareRepoCommits",
    "Difference of two commits.",
    today.RepoComparison,
    compared,
  ),
  read("/repos/:rid/diff/:base/:oid/stats", "showDiffStats", "Size of a diff.", DiffStats, compared),
  read("/repos/:rid/activity", "showRepoActivity", "Times of the commits of the last 52 weeks.", Activity, {
    caching: "hour",
  }),
  read("/repos/:rid/tree/:sha/", "showRepoRoot", "Root folder of a commit.", today.RepoTree, immutable),
  read("/repos/:rid/tree/:sha/*path", "showRepoTree", "Folder of a commit.", today.RepoTree, immutable),
  read("/repos/:rid/blob/:sha/*path", "showRepoBlob", "File of a commit.", Blob, immutable),
  read("/repos/:rid/readme/:sha", "showRepoReadme", "Readme in the root of a commit.", Blob, immutable),
  read(
    "/repos/:rid/stats/tree/:sha",
    "showTreeStats",
    "Size of a history.",
    today.RepoTreeStats,
    revalidated,
  ),
  read(
    "/repos/:rid/stats/commits/:sha",
    "countCommits",
    "Number of commits of a history.",
    today.CommitCount,
    immutable,
  ),
  read(
    "/repos/:rid/remotes",
    "listRepoRemotes",
    "Nodes with signed references.",
    list(today.RepoRemote),
    counted,
  ),
  read("/repos/:rid/remotes/:peer", "showRepoRemote", "Signed references of one node.", today.RepoRemote),
  read("/repos/:rid/issues", "listRepoIssues", "Issues, newest first.", list(today.RepoIssue), {
    query: TodayIssuesQuery,
  }),
  read("/repos/:rid/issues/:id", "showRepoIssue", "One issue.", today.RepoIssue, issue),
  read("/repos/:rid/patches", "listRepoPatches", "Patches, newest first.", list(today.RepoPatch), {
    query: TodayPatchesQuery,
  }),
  read("/repos/:rid/patches/:id", "showRepoPatch", "One patch.", today.RepoPatch, patch),
  read("/repos/:rid/jobs/:sha", "listJobs", "Jobs of a commit.", list(today.Job), counted),
] as const satisfies readonly Endpoint[];

/** Routes with the members of both dialects, in place of the routes of either dialect. */
export const bothEndpoints = [
  read("", "showVersionOfBoth", "The service, its version, and links.", today.ApiRoot, root),
  read("/", "showVersionOfBothWithSlash", "As `/api/v1`, with a slash at the end.", today.ApiRoot, root),
  read("/stats", "showStatsOfBoth", "Numbers of repositories.", today.StatsOfBoth, root),
  read("/node", "showNodeOfBoth", "The local node.", today.NodeOfBoth, root),
  read("/nodes/:nid", "showNodeByIdOfBoth", "A node.", today.OtherNode, { errors: ["badParameter"] }),
] as const satisfies readonly Endpoint[];
