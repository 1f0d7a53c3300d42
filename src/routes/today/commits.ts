/** History: commits, diffs, activity. */
import { diffOfCommits } from "../../browse/commit_diff.ts";
import { type Compared, diffsFor, readComparison, showCommitByName, showComparison } from "../commits.ts";
import { openRepository, readPath } from "../dialect.ts";
import { commitsOfPage, historyFields, type HistoryPage, toHistoryPage } from "../history_page.ts";
import { CommitsQuery } from "../../contract/queries.ts";
import { showActivity } from "../activity.ts";
import { immutable, revalidated } from "../cacheable.ts";
import { type Call, type OpenRepository, requireCommit, requireHead, type Route, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { readQuery } from "../../http/parameters.ts";
import { type JsonPiece, jsonPieces } from "../../http/respond.ts";
import { readHead } from "../../identity/head.ts";
import { jsonSlices } from "../../text/json_slices.ts";
import { viewTodayCommit } from "../../views/commit.ts";
import { CommitMemory } from "../named_commits.ts";

/** Routes of history. */
export const commitRoutes: readonly Route[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/commits", listCommits],
  ["GET", "/api/v1/repos/:rid/commits/:sha", showCommitByName],
  ["GET", "/api/v1/repos/:rid/diff/:base/:oid", showComparison],
  ["GET", "/api/v1/repos/:rid/diff/:base/:oid/stats", immutable(readComparison, showDiffStats)],
  ["GET", "/api/v1/repos/:rid/activity", showActivity],
]);

/** Pieces of a JSON text. */
type Pieces = AsyncGenerator<JsonPiece>;

const listFrom = immutable(readHistoryPage, showHistoryPage);
const listFromHead = revalidated(readHistoryPage, showHistoryPage, headOf);

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

  async function* pieces(): Pieces {
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
