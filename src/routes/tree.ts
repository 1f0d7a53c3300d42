/** Files and folders of a commit (4.2.6, 4.2.8). */
import { findFile, findFolder, findReadme, lastCommitOfFolder } from "../browse/files.ts";
import { branchCount, immutable, revalidated } from "./cacheable.ts";
import { type Call, requireCommit, type RoutesOf, tableOf } from "./call.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import type { Blob, Tree, treeEndpoints } from "../contract/tree.ts";
import { TreeQuery } from "../contract/queries.ts";
import { commitOf } from "./named_commits.ts";
import { fileAnswer, fileLimits } from "./file_answer.ts";
import { historyStats } from "../git/branches.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readQuery } from "../http/query.ts";
import { jsonPieces } from "../http/respond.ts";
import { viewCommit } from "../views/commit.ts";
import { treePieces } from "../views/tree.ts";

/** Routes of files and folders. */
export const treeRoutes: RoutesOf<typeof treeEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/tree/:sha/", revalidated(readFolder, showTree, branchCount)],
  ["GET", "/api/v1/projects/:project/tree/:sha/*path", revalidated(readFolder, showTree, branchCount)],
  ["GET", "/api/v1/projects/:project/blob/:sha/*path", immutable(readPath, showBlob)],
  ["GET", "/api/v1/projects/:project/readme/:sha", immutable(readReadme, showReadme)],
]);

const README_NAMES = ["README", "README.md", "README.markdown", "README.txt", "README.rst", "Readme.md"];
/** Names of a readme, in the order of preference. */
const README_CANDIDATES = [...README_NAMES, ...README_NAMES.map((name) => name.toLowerCase())];

async function readPath(call: Call) {
  const [rid, sha, path] = [call.rid("project"), call.commitish("sha"), call.param("path")];
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path };
}

async function readFolder(call: Call) {
  const [rid, sha, path] = [call.rid("project"), call.commitish("sha"), call.param("path")];
  const { oids } = readQuery(call.url, TreeQuery);
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)), path, oids };
}

async function showTree(
  call: Call,
  { rid, oid, path, oids }: Awaited<ReturnType<typeof readFolder>>,
): Promise<AnswerOf<Tree>> {
  const repository = await call.repository(rid);
  const { objects, graph } = repository;
  const tip = await requireCommit(repository, oid);
  const tree = await findFolder(repository, tip, path);
  const commit = await viewCommit(objects, await lastCommitOfFolder(repository, tip, path));
  const stats = await historyStats(objects, graph, tip);
  const pieces = treePieces(tree.bytes, path, commit, { stats, withOids: oids === "true" });
  return await jsonPieces(pieces, call.service.environment.log, {
    heldBytes: tree.bytes.length,
    release: tree.release,
  });
}

async function showBlob(
  call: Call,
  { rid, oid, path }: Awaited<ReturnType<typeof readPath>>,
): Promise<AnswerOf<Blob>> {
  const repository = await call.repository(rid);
  const tip = await requireCommit(repository, oid);
  const file = await findFile(repository, tip, path, fileLimits(call));
  return await fileAnswer(call, repository, { ...file, path });
}

async function readReadme(call: Call) {
  const [rid, sha] = [call.rid("project"), call.commitish("sha")];
  return { rid, oid: await commitOf(call, sha, () => call.repository(rid)) };
}

async function showReadme(
  call: Call,
  { rid, oid }: Awaited<ReturnType<typeof readReadme>>,
): Promise<AnswerOf<Blob>> {
  const repository = await call.repository(rid);
  const tip = await requireCommit(repository, oid);
  return await fileAnswer(
    call,
    repository,
    await findReadme(repository, tip, README_CANDIDATES, fileLimits(call)),
  );
}
