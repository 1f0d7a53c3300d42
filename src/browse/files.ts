/** Reads files and folders of a commit (specification, 4.2.6, 4.2.8). */
import { NotFoundError, TooLargeError } from "../errors.ts";
import { findLastChange, findLastCommit } from "../git/path_history.ts";
import { findPath, readNamed, splitPath } from "../git/objects.ts";
import { entryKind, namesAmong } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject } from "../ports/storage.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";

/** Length of the shortest possible tree entry, in bytes: mode, space, a letter, NUL and id. */
const MIN_ENTRY_BYTES = 29;

/**
 * Maximum product of the length of a folder's path, in characters, and the number of entries in the folder.
 * The response repeats the path in each entry.
 */
export const MAX_LISTED_PATH_LENGTH = 2 ** 27;

export interface File {
  readonly bytes: Uint8Array;
  /** Frees the memory of the content. */
  readonly release?: (() => void) | undefined;
  /** Id of the commit that last changed the file. */
  readonly lastCommit: Oid;
}

export interface FileLimits {
  /** Maximum size of the file, in bytes. */
  readonly maxBytes: number;
  /** Waits until this many bytes of memory are free. */
  requireRoom(bytes: number): Promise<void>;
  /**
   * Whether merge commits are skipped in the search for the last commit of a file, as in `git log`; `false`
   * by default.
   */
  readonly passesMerges?: boolean;
}

/**
 * Finds the git tree of a folder in a commit. An empty path means the root folder, and one trailing slash is
 * ignored. The caller may release the tree.
 *
 * @throws {NotFoundError} when the path does not exist or is not a folder.
 * @throws {TooLargeError} when the entries with their full paths would be too long for a response.
 */
export async function findFolder(
  { objects, graph, task }: OpenedRepository,
  tip: number,
  path: string,
): Promise<GitObject> {
  const names = folderNames(path);
  const entry = path === "/" ? undefined : await findPath(objects, graph.commits.treeOf(tip), names, task);
  if (entry === undefined || entryKind(entry.mode) !== "tree") throw pathNotFound(path);
  const tree = await readNamed(objects, entry.oid, "tree");
  if (tree.bytes.length / MIN_ENTRY_BYTES * path.length > MAX_LISTED_PATH_LENGTH) {
    throw new TooLargeError("Folder is too large to be listed below so long a path");
  }
  return tree;
}

/** Finds the commit that last changed a file in a folder. */
export async function lastCommitOfFolder(
  repository: OpenedRepository,
  tip: number,
  path: string,
): Promise<Oid> {
  const names = folderNames(path);
  const last = names.length === 0 ? undefined : await findLastCommit(repository, tip, names);
  return last ?? repository.graph.commits.oidOf(tip);
}

/**
 * Finds a file in a commit. Returns `undefined` when the path does not exist or is not a file.
 *
 * @throws {TooLargeError} when the file is larger than `limits.maxBytes`.
 */
export async function tryFile(
  repository: OpenedRepository,
  tip: number,
  path: string,
  limits: FileLimits,
): Promise<File | undefined> {
  const { objects, graph } = repository;
  const names = splitPath(path);
  const entry = await findPath(objects, graph.commits.treeOf(tip), names, repository.task);
  const kind = entry === undefined ? undefined : entryKind(entry.mode);
  if (entry === undefined || kind === "tree" || kind === "commit") return undefined;
  const header = await objects.header(entry.oid);
  if (header !== undefined && header.size > limits.maxBytes) {
    throw new TooLargeError(`File is larger than ${limits.maxBytes} bytes`);
  }
  await limits.requireRoom(2 * (header?.size ?? 0));
  const { bytes, release } = await readNamed(objects, entry.oid, "blob");
  const lastCommit =
    await (limits.passesMerges === true
      ? findLastChange(repository, tip, path)
      : findLastCommit(repository, tip, names));
  return { bytes, release, lastCommit: lastCommit ?? graph.commits.oidOf(tip) };
}

/**
 * Finds a file in a commit.
 *
 * @throws {NotFoundError} when the path does not exist or is not a file.
 * @throws {TooLargeError} when the file is larger than `limits.maxBytes`.
 */
export async function findFile(
  repository: OpenedRepository,
  tip: number,
  path: string,
  limits: FileLimits,
): Promise<File> {
  const file = await tryFile(repository, tip, path, limits);
  if (file === undefined) throw pathNotFound(path);
  return file;
}

/**
 * Finds the first file with one of these names in the root folder of a commit.
 *
 * @throws {NotFoundError} when no file has one of the names.
 * @throws {TooLargeError} when the file is larger than `limits.maxBytes`.
 */
export async function findReadme(
  repository: OpenedRepository,
  tip: number,
  names: readonly string[],
  limits: FileLimits,
): Promise<File & { readonly path: string }> {
  const root = await readNamed(repository.objects, repository.graph.commits.treeOf(tip), "tree");
  const paths = await namesAmong(root.bytes, names, repository.task);
  root.release?.();
  for (const path of paths) {
    const file = await tryFile(repository, tip, path, limits);
    if (file !== undefined) return { ...file, path };
  }
  throw new NotFoundError("Not Found");
}

function folderNames(path: string): readonly Uint8Array[] {
  return splitPath(path.endsWith("/") ? path.slice(0, -1) : path);
}

function pathNotFound(path: string): NotFoundError {
  return new NotFoundError(`Path "${path}" was not found`);
}
