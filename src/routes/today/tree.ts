/** Files and folders of a commit, and the size of its history. */
import { type FileLimits, findFile, findFolder, findReadme } from "../../browse/files.ts";
import { branchCount, immutable, revalidated, type Subject } from "../cacheable.ts";
import { type Call, requireCommit, type Route, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { fileAnswer, fileLimits } from "../file_answer.ts";
import { historyStats } from "../../git/branches.ts";
import type { Answer } from "../../http/answer.ts";
import { json, jsonPieces } from "../../http/respond.ts";
import type { Oid } from "../../ids/oid.ts";
import { viewTodayCommit } from "../../views/today/commit.ts";
import { todayTreePieces } from "../../views/today/tree.ts";
import { commitOf } from "../named_commits.ts";
import { requireRepo, requireRid } from "./requests.ts";

/** Routes of files and folders. */
export const treeRoutes: readonly Route[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/tree/:sha/", immutable(readPath, showTree)],
  ["GET", "/api/v1/repos/:rid/tree/:sha/*path", immutable(readPath, showTree)],
  ["GET", "/api/v1/repos/:rid/blob/:sha/*path", immutable(readPath, showBlob)],
  ["GET", "/api/v1/repos/:rid/readme/:sha", immutable(readCommit, showReadme)],
  ["GET", "/api/v1/repos/:rid/stats/tree/:sha", revalidated(readCommit, showStats, branchCount)],
  ["GET", "/api/v1/repos/:rid/stats/commits/:sha", immutable(readCommit, showCount)],
]);

const README_NAMES = [
  "README",
  "README.md",
  "README.markdown",
  "README.txt",
  "README.rst",
  "README.org",
  "Readme.md",
];
/** Names of a readme in the order they are looked for. */
const README_CANDIDATES = [...README_NAMES, ...README_NAMES.map((name) => name.toLowerCase())];

/** A commit, found by its id or a name. */
interface AtCommit extends Subject {
  readonly oid: Oid;
}

/** A path of a commit. */
interface AtPath extends AtCommit {
  readonly path: string;
}

async function readPath(call: Call): Promise<AtPath> {
  const [sha, rid, path] = [call.commitish("sha"), requireRid(call), call.param("path")];
  return { rid, oid: await commitOf(call, sha, () => requireRepo(call, rid)), path };
}

/** Choice: as on the real service, `lastCommit` of a folder is the commit that was asked for. */
async function showTree(call: Call, { rid, oid, path }: AtPath): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const tip = await requireCommit(repository, oid);
  const tree = await findFolder(repository, tip, path);
  const commit = await viewTodayCommit(repository.objects, oid);
  const pieces = todayTreePieces(tree.bytes, path, commit);
  return await jsonPieces(pieces, call.service.environment.log, {
    heldBytes: tree.bytes.length,
    release: tree.release,
  });
}

async function showBlob(call: Call, { rid, oid, path }: AtPath): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const tip = await requireCommit(repository, oid);
  const file = await findFile(repository, tip, path, filesFor(call));
  return await fileAnswer(call, repository, { ...file, path }, viewTodayCommit);
}

async function readCommit(call: Call): Promise<AtCommit> {
  const [sha, rid] = [call.commitish("sha"), requireRid(call)];
  return { rid, oid: await commitOf(call, sha, () => requireRepo(call, rid)) };
}

async function showReadme(call: Call, { rid, oid }: AtCommit): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const tip = await requireCommit(repository, oid);
  const file = await findReadme(repository, tip, README_CANDIDATES, filesFor(call));
  return await fileAnswer(call, repository, file, viewTodayCommit);
}

async function showStats(call: Call, { rid, oid }: AtCommit): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const tip = await requireCommit(repository, oid);
  return json(await historyStats(repository.objects, repository.graph, tip));
}

async function showCount(call: Call, { rid, oid }: AtCommit): Promise<Answer> {
  const repository = await requireRepo(call, rid);
  const { commits } = await repository.graph.count(await requireCommit(repository, oid));
  return json({ commits });
}

/** Files for a client. The last commit of a file is that of `git log`, as on the real service. */
function filesFor(call: Call): FileLimits {
  return { ...fileLimits(call), passesMerges: true };
}
