/** Files and folders of a commit (4.2.6, 4.2.8). */
import type { Commit as CommitView } from "../contract/commits.ts";
import { branchCount, immutable, revalidated } from "./cacheable.ts";
import { type Call, type OpenRepository, requireCommit, type RoutesOf } from "./call.ts";
import type { Blob, Tree, treeEndpoints } from "../contract/tree.ts";
import { ApiError } from "../errors.ts";
import { historyStats } from "../git/branches.ts";
import { findLastCommit } from "../git/last_commit.ts";
import { findPath, readObject, splitPath } from "../git/objects.ts";
import { entryKind, namesAmong } from "../git/tree.ts";
import type { AnswerOf } from "../http/answer.ts";
import { GATHERED_BYTES, jsonPieces } from "../http/respond.ts";
import { blobPieces, MAX_SHOWN_BYTES } from "../views/blob.ts";
import { viewCommit } from "../views/commit.ts";
import { treePieces } from "../views/tree.ts";

/** Routes of files and folders. */
export const treeRoutes: RoutesOf<typeof treeEndpoints> = [
  ["GET", "/api/v1/projects/:project/tree/:sha/", revalidated(readPath, showTree, branchCount)],
  ["GET", "/api/v1/projects/:project/tree/:sha/*path", revalidated(readPath, showTree, branchCount)],
  ["GET", "/api/v1/projects/:project/blob/:sha/*path", immutable(readPath, showBlob)],
  ["GET", "/api/v1/projects/:project/readme/:sha", immutable(readReadme, showReadme)],
];

const README_NAMES = ["README", "README.md", "README.markdown", "README.txt", "README.rst", "Readme.md"];
/** Names of a readme, in the order of preference. */
const README_CANDIDATES = [...README_NAMES, ...README_NAMES.map((name) => name.toLowerCase())];

/**
 * Largest file whose answer is gathered, so that it can be cached, even in base64. The answer for a larger
 * file is streamed and takes little more memory than the file.
 */
const MAX_GATHERED_FILE_BYTES = 12 * 2 ** 20;

/** Bytes of the shortest possible tree entry: mode, space, a name of one byte, NUL, id. */
const MIN_ENTRY_BYTES = 29;

/** Most characters that the path of a folder takes in a listing, which repeats it in each entry. */
export const MAX_LISTED_PATH_LENGTH = 2 ** 27;

function readPath(call: Call) {
  return { rid: call.rid("project"), oid: call.oid("sha"), path: call.param("path") };
}

async function showTree(
  call: Call,
  { rid, oid, path }: ReturnType<typeof readPath>,
): Promise<AnswerOf<Tree>> {
  const repository = await call.repository(rid);
  const { objects, index } = repository;
  const tip = await requireCommit(repository, oid);
  const names = splitPath(path.endsWith("/") ? path.slice(0, -1) : path);
  const entry = path === "/" ? undefined : await findPath(objects, index.treeOf(tip), names);
  if (entry === undefined || entryKind(entry.mode) !== "tree") throw pathNotFound(path);
  const tree = await readObject(objects, entry.oid, "tree");
  const lastCommit = names.length === 0
    ? await viewCommit(objects, index.oidOf(tip))
    : await lastCommitOf(repository, tip, names);
  if (tree.bytes.length / MIN_ENTRY_BYTES * path.length > MAX_LISTED_PATH_LENGTH) {
    throw new ApiError("payloadTooLarge", "Folder has too many entries for a path of this length");
  }
  const stats = await historyStats(objects, index, tip);
  return await jsonPieces(treePieces(tree.bytes, path, lastCommit, stats), call.service.environment.log, {
    heldBytes: tree.bytes.length,
  });
}

async function showBlob(
  call: Call,
  { rid, oid, path }: ReturnType<typeof readPath>,
): Promise<AnswerOf<Blob>> {
  const repository = await call.repository(rid);
  const blob = await findBlob(call, repository, await requireCommit(repository, oid), path);
  if (blob === undefined) throw pathNotFound(path);
  return blob;
}

function readReadme(call: Call) {
  return { rid: call.rid("project"), oid: call.oid("sha") };
}

async function showReadme(call: Call, { rid, oid }: ReturnType<typeof readReadme>): Promise<AnswerOf<Blob>> {
  const repository = await call.repository(rid);
  const tip = await requireCommit(repository, oid);
  const root = await readObject(repository.objects, repository.index.treeOf(tip), "tree");
  for (const name of await namesAmong(root.bytes, README_CANDIDATES)) {
    const blob = await findBlob(call, repository, tip, name);
    if (blob !== undefined) return blob;
  }
  throw new ApiError("notFound", "Not Found");
}

/** The answer for a file of a commit; `undefined` when there is no file at the path. */
async function findBlob(
  call: Call,
  repository: OpenRepository,
  tip: number,
  path: string,
): Promise<AnswerOf<Blob> | undefined> {
  const { objects, index } = repository;
  const names = splitPath(path);
  const entry = await findPath(objects, index.treeOf(tip), names);
  const kind = entry === undefined ? undefined : entryKind(entry.mode);
  if (entry === undefined || kind === "tree" || kind === "commit") return undefined;
  const header = await objects.header(entry.oid);
  if (header !== undefined && header.size > MAX_SHOWN_BYTES) {
    throw new ApiError("payloadTooLarge", `File is larger than ${MAX_SHOWN_BYTES} bytes`);
  }
  await call.requireRoom(2 * (header?.size ?? 0));
  const blob = await readObject(objects, entry.oid, "blob");
  const { log } = call.service.environment;
  const lastCommit = await lastCommitOf(repository, tip, names);
  const size = blob.bytes.length;
  return await jsonPieces(pieces(), log, {
    gatheredBytes: size > MAX_GATHERED_FILE_BYTES ? GATHERED_BYTES : 4 / 3 * MAX_GATHERED_FILE_BYTES,
    heldBytes: size,
  });

  async function* pieces(): AsyncGenerator<string> {
    yield* blobPieces(blob.bytes, path, lastCommit);
  }
}

async function lastCommitOf(
  repository: OpenRepository,
  tip: number,
  names: readonly Uint8Array[],
): Promise<CommitView> {
  const { objects, index } = repository;
  const oid = await findLastCommit(objects, index, tip, names);
  return await viewCommit(objects, oid ?? index.oidOf(tip));
}

function pathNotFound(path: string): ApiError {
  return new ApiError("notFound", `Path "${path}" was not found`);
}
