/** History: commits, diffs, activity. */
import {
  commitPieces,
  comparisonPieces,
  diffOfCommit,
  diffOfCommits,
  type DiffRequest,
} from "../../browse/commit_diff.ts";
import { commitsOfPage, historyFields, type HistoryPage, toHistoryPage } from "../history_page.ts";
import { CommitsQuery } from "../../contract/queries.ts";
import { showActivity } from "../activity.ts";
import { branchTips, immutable, revalidated, type Subject } from "../cacheable.ts";
import { type Call, type OpenRepository, requireCommit, requireHead, type Route } from "../call.ts";
import { loadBranches } from "../../git/branches.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { readQuery } from "../../http/query.ts";
import { type JsonPiece, jsonPieces } from "../../http/respond.ts";
import { readHead } from "../../identity/head.ts";
import type { Oid } from "../../ids/oid.ts";
import type { DiffForm } from "../../ports/workers.ts";
import { jsonSlices } from "../../text/json_slices.ts";
import { viewTodayCommit } from "../../views/today/commit.ts";
import { CommitMemory } from "../commit_memory.ts";
import { commitOf } from "../named_commits.ts";
import { requireRepo, requireRid } from "./requests.ts";

/** Routes of history. */
export const commitRoutes: readonly Route[] = [
  ["GET", "/api/v1/repos/:rid/commits", listCommits],
  ["GET", "/api/v1/repos/:rid/commits/:sha", revalidated(readCommit, showCommit, branchTips)],
  ["GET", "/api/v1/repos/:rid/diff/:base/:oid", immutable(readComparison, showDiff)],
  ["GET", "/api/v1/repos/:rid/diff/:base/:oid/stats", immutable(readComparison, showDiffStats)],
  ["GET", "/api/v1/repos/:rid/activity", showRepoActivity],
];

/** Pieces of a JSON text. */
type Pieces = AsyncGenerator<JsonPiece>;

const listFrom = immutable(readHistoryPage, showHistoryPage);
const listFromHead = revalidated(readHistoryPage, showHistoryPage, headOf);

/** A page that begins with a given commit never changes. */
function listCommits(call: Call): Promise<Answer> {
  return call.url.searchParams.has("parent") ? listFrom(call) : listFromHead(call);
}

async function readHistoryPage(call: Call): Promise<HistoryPage> {
  const query = readQuery(call.url, CommitsQuery);
  const rid = requireRid(call);
  return await toHistoryPage(call, rid, query, () => requireRepo(call, rid));
}

async function showHistoryPage(call: Call, query: HistoryPage): Promise<Answer> {
  const repository = await requireRepo(call, query.rid);
  const { objects, graph } = repository;
  const tip = await requireCommit(repository, query.parent ?? await requireHead(repository));
  const { rows, ...extent } = await commitsOfPage(call, repository, tip, query);
  const memory = new CommitMemory(call);
  const answer = await jsonPieces(pieces(), call.service.environment.log, {
    heldBytes: () => memory.heldBytes,
  });
  memory.isReserved = false;
  return withHeaders(answer, historyFields(graph.oidOf(tip), query, extent));

  async function* pieces(): Pieces {
    let before = "[";
    for await (const row of rows) {
      yield* jsonSlices(await viewTodayCommit(objects, graph.oidOf(row), memory), before);
      before = ",";
    }
    yield before === "[" ? "[]" : "]";
  }
}

async function readCommit(call: Call) {
  const [sha, rid] = [call.commitish("sha"), requireRid(call)];
  return { rid, oid: await commitOf(call, sha, () => requireRepo(call, rid)) };
}

async function showCommit(call: Call, { rid, oid }: Awaited<ReturnType<typeof readCommit>>): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const row = await requireCommit(repository, oid);
  const branches = await loadBranches(repository.objects, repository.graph);
  const memory = new CommitMemory(call);
  const commit = await viewTodayCommit(repository.objects, oid, memory);
  const request = diffsFor(call);
  const diff = await diffOfCommit(repository, row, request);
  const pieces = commitPieces(repository, row, commit, { diff, branches, request });
  const { heldBytes } = memory;
  return await jsonPieces(pieces, call.service.environment.log, { heldBytes, parts: call.parts });
}

/** The commits of a comparison. */
interface Compared extends Subject {
  readonly base: Oid;
  readonly oid: Oid;
}

async function readComparison(call: Call): Promise<Compared> {
  const [from, to, rid] = [call.commitish("base"), call.commitish("oid"), requireRid(call)];
  const open = () => requireRepo(call, rid);
  return { rid, base: await commitOf(call, from, open), oid: await commitOf(call, to, open) };
}

async function showDiff(call: Call, { rid, base, oid }: Compared): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const [from, to] = [await requireCommit(repository, base), await requireCommit(repository, oid)];
  const request = diffsFor(call);
  const diff = await diffOfCommits(repository, from, to, request);
  const pieces = comparisonPieces(repository, from, to, { diff, request, view: viewTodayCommit });
  return await jsonPieces(pieces, call.service.environment.log, { parts: call.parts });
}

async function showDiffStats(call: Call, { rid, base, oid }: Compared): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const [from, to] = [await requireCommit(repository, base), await requireCommit(repository, oid)];
  const stats = await diffOfCommits(repository, from, to, diffsFor(call, "today-stats"));
  return await jsonPieces(stats.pieces(), call.service.environment.log);
}

async function showRepoActivity(call: Call): Promise<Answer> {
  return await showActivity(call, await requireRepo(call, requireRid(call)));
}

/** Diffs for a client. */
function diffsFor(call: Call, form: DiffForm = "today"): DiffRequest {
  return { diffs: call.service.diffs, requester: call, form };
}

/** State of a page of history that begins with the head. */
async function headOf({ objects, graph, doc }: OpenRepository): Promise<string | undefined> {
  return doc === undefined ? undefined : await readHead(objects, graph, doc);
}
