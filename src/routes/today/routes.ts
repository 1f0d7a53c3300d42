/** All routes of today's service. */
import { rawRoutesFor, TODAY_MAX_RAW_BYTES } from "../raw.ts";
import {
  type Call,
  CommitMemory,
  commitOf,
  type OpenRepository,
  requireCommit,
  requireHead,
  type Route,
  type RoutesOf,
  tableOf,
} from "../call.ts";
import { nodeRoutes } from "./node.ts";
import { policyRoutes } from "./policies.ts";
import { repoRoutes } from "./repos.ts";
import { openRepository, readPath, requireRid } from "../dialect.ts";
import { rootRoutes } from "./root.ts";
import { changeIssue, changePatch, openIssue, openPatch } from "../changes.ts";
import { OF_REPO, OF_REPO_CONTENT } from "../../contract/traits.ts";
import type { todayChangeEndpoints } from "../../contract/today_changes.ts";
import { issues } from "../issues.ts";
import { MAX_PER_PAGE, type TodayRow } from "./requests.ts";
import { patches } from "../patches.ts";
import { showRemote, showRemotes } from "../remotes.ts";
import { countField, DEFAULT_PER_PAGE, pageFields, pageOfFound } from "../../http/paging.ts";
import { json, jsonPieces, jsonTexts } from "../../http/respond.ts";
import { toTodayJob } from "../../views/today/job.ts";
import { allRepositories, listedRepositories } from "../listing.ts";
import { CommitsQuery, TodayReposQuery } from "../../contract/queries.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { readQuery } from "../../http/parameters.ts";
import { parseDid } from "../../ids/nid.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { sortRids } from "../../ids/rid.ts";
import { repoTexts } from "./repo_texts.ts";
import { branchCount, immutable, revalidated } from "../cacheable.ts";
import { historyStats } from "../../git/branches.ts";
import { type AtCommit, readCommit, readFilePath, showFile, showReadmeFile, showTree } from "../tree.ts";
import { diffOfCommits } from "../../browse/commit_diff.ts";
import { type Compared, diffsFor, readComparison, showCommitByName, showComparison } from "../commits.ts";
import { commitsOfPage, historyFields, type HistoryPage, toHistoryPage } from "../history_page.ts";
import { showActivity } from "../activity.ts";
import { readHead } from "../../identity/head.ts";
import { jsonSlices } from "../../text/json_slices.ts";
import { viewTodayCommit } from "../../views/commit.ts";

/** Routes in the order in which a path is compared with their patterns. */
export const todayRoutes: readonly Route[] = [
  ...rootRoutes,
  ...nodeRoutes,
  ...policyRoutes,
  ["GET", "/api/v1/delegates/:did/repos", listRepos],
  ...repoRoutes,
  ...tableOf(
    OF_REPO_CONTENT,
    [
      ["GET", "/api/v1/repos/:rid/commits", listCommits],
      ["GET", "/api/v1/repos/:rid/commits/:sha", showCommitByName],
      ["GET", "/api/v1/repos/:rid/diff/:base/:oid", showComparison],
      ["GET", "/api/v1/repos/:rid/diff/:base/:oid/stats", immutable(readComparison, showDiffStats)],
      ["GET", "/api/v1/repos/:rid/activity", showActivity],
      ["GET", "/api/v1/repos/:rid/tree/:sha/", immutable(readFilePath, showTree)],
      ["GET", "/api/v1/repos/:rid/tree/:sha/*path", immutable(readFilePath, showTree)],
      ["GET", "/api/v1/repos/:rid/blob/:sha/*path", showFile],
      ["GET", "/api/v1/repos/:rid/readme/:sha", showReadmeFile],
      ["GET", "/api/v1/repos/:rid/stats/tree/:sha", revalidated(readCommit, showStats, branchCount)],
      ["GET", "/api/v1/repos/:rid/stats/commits/:sha", immutable(readCommit, showCount)],
    ] satisfies readonly Route[],
  ),
  ...tableOf(
    OF_REPO,
    [
      ["GET", "/api/v1/repos/:rid/remotes", showRemotes],
      ["GET", "/api/v1/repos/:rid/remotes/:peer", showRemote],
      ["GET", "/api/v1/repos/:rid/issues", issues.list],
      ["GET", "/api/v1/repos/:rid/issues/:id", issues.show],
      ["GET", "/api/v1/repos/:rid/patches", patches.list],
      ["GET", "/api/v1/repos/:rid/patches/:id", patches.show],
      ["GET", "/api/v1/repos/:rid/jobs/:sha", listJobs],
    ] satisfies readonly TodayRow[],
  ),
  ...rawRoutesFor({ readRid: requireRid, maxBytes: TODAY_MAX_RAW_BYTES }),
];

/** Routes of changes, with the actions of today's programs (13.7). */
export const todayChangeRoutes: RoutesOf<typeof todayChangeEndpoints> = tableOf(OF_REPO, [
  ["POST", "/api/v1/repos/:rid/issues", openIssue],
  ["PATCH", "/api/v1/repos/:rid/issues/:id", changeIssue],
  ["POST", "/api/v1/repos/:rid/patches", openPatch],
  ["PATCH", "/api/v1/repos/:rid/patches/:id", changePatch],
]);

const listFrom = immutable(readHistoryPage, showHistoryPage);
const listFromHead = revalidated(readHistoryPage, showHistoryPage, headOf);

/** Choice: as on the real service, a commit that is not there has no jobs. */
async function listJobs(call: Call) {
  const { rid, sha } = readPath(call, () => ({ sha: call.commitish("sha") }));
  const repository = await openRepository(call, rid);
  const { objects, graph } = repository;
  const commit = await commitOf(call, sha, () => Promise.resolve(repository));
  const { jobs: finder, node } = call.service;
  const jobs = await finder.ofCommit(objects, graph, commit, call.task);
  const aliases = await node.aliases(jobs.flatMap(({ runs }) => [...runs.keys()]));
  const views = jobs.map((job) => toTodayJob(job, (one) => aliases.get(one)));
  return json(views, { headers: countField(jobs.length) });
}

/** Choice: as on the real service, `sort` is read and has no effect. */
async function listRepos(call: Call): Promise<Answer> {
  const delegate = parseDid(call.param("did"));
  const { show, sort, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, TodayReposQuery);
  const { profile, environment } = call.service;
  const isWanted = (doc: IdentityDoc) => doc.delegates.includes(delegate);
  const listed = show === "pinned"
    ? listedRepositories(
      call,
      sortRids(await profile.pinned()),
      ({ doc }) => Promise.resolve(doc !== undefined && isWanted(doc)),
    )
    : allRepositories(call, isWanted, delegate);
  const paging = { page, perPage: Math.min(perPage, MAX_PER_PAGE) };
  const { items, ...extent } = await pageOfFound(listed, paging);
  const answer = await jsonTexts(await repoTexts(call, items), environment.log, call.task);
  return withHeaders(answer, pageFields({ show, sort }, paging, extent));
}

async function showStats(call: Call, { rid, oid }: AtCommit): Promise<Answer> {
  const repository = await openRepository(call, rid);
  const tip = await requireCommit(repository, oid);
  return json(await historyStats(repository.objects, repository.graph, tip));
}

async function showCount(call: Call, { rid, oid }: AtCommit): Promise<Answer> {
  const repository = await openRepository(call, rid);
  const { commits } = await repository.graph.count(await requireCommit(repository, oid));
  return json({ commits });
}

/** A page that begins with a given commit never changes. */
function listCommits(call: Call): Promise<Answer> {
  return call.url.searchParams.has("parent") ? listFrom(call) : listFromHead(call);
}

async function readHistoryPage(call: Call): Promise<HistoryPage> {
  const { rid, query } = readPath(call, () => ({ query: readQuery(call.url, CommitsQuery) }));
  return await toHistoryPage(call, rid, query, () => openRepository(call, rid));
}

async function showHistoryPage(call: Call, query: HistoryPage): Promise<Answer> {
  const repository = await openRepository(call, query.rid);
  const { objects, graph } = repository;
  const tip = await requireCommit(repository, query.parent ?? await requireHead(repository));
  const { rows, ...extent } = await commitsOfPage(call, repository, tip, query);
  const memory = new CommitMemory(call);
  const answer = await jsonPieces(pieces(), call.service.environment.log, call.task, {
    heldBytes: () => memory.heldBytes,
  });
  memory.isReserved = false;
  return withHeaders(answer, historyFields(graph.oidOf(tip), query, extent));

  async function* pieces(): AsyncGenerator<string> {
    let before = "[";
    for await (const row of rows) {
      yield* jsonSlices(await viewTodayCommit(objects, graph.oidOf(row), call.task, memory), before);
      before = ",";
    }
    yield before === "[" ? "[]" : "]";
  }
}

async function showDiffStats(call: Call, { rid, base, oid }: Compared): Promise<Answer> {
  const repository = await openRepository(call, rid);
  const [from, to] = [await requireCommit(repository, base), await requireCommit(repository, oid)];
  const stats = await diffOfCommits(repository, from, to, diffsFor(call, "today-stats"));
  return await jsonPieces(stats.pieces(), call.service.environment.log, call.task);
}

/** State of a page of history that begins with the head. */
async function headOf({ objects, graph, task, doc }: OpenRepository): Promise<string | undefined> {
  return doc === undefined ? undefined : await readHead(objects, graph, doc, task);
}
