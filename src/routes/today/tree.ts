/** Files and folders of a commit, and the size of its history. */
import { branchCount, immutable, revalidated } from "../cacheable.ts";
import { type Call, requireCommit, type Route, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { openRepository } from "../dialect.ts";
import { historyStats } from "../../git/branches.ts";
import type { Answer } from "../../http/answer.ts";
import { json } from "../../http/respond.ts";
import { type AtCommit, readCommit, readFilePath, showFile, showReadmeFile, showTree } from "../tree.ts";

/** Routes of files and folders. */
export const treeRoutes: readonly Route[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/tree/:sha/", immutable(readFilePath, showTree)],
  ["GET", "/api/v1/repos/:rid/tree/:sha/*path", immutable(readFilePath, showTree)],
  ["GET", "/api/v1/repos/:rid/blob/:sha/*path", showFile],
  ["GET", "/api/v1/repos/:rid/readme/:sha", showReadmeFile],
  ["GET", "/api/v1/repos/:rid/stats/tree/:sha", revalidated(readCommit, showStats, branchCount)],
  ["GET", "/api/v1/repos/:rid/stats/commits/:sha", immutable(readCommit, showCount)],
]);

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
