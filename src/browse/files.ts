/** Files and folders of a commit (4.2.6, 4.2.8). */
import { NotFoundError, TooLargeError } from "../errors.ts";
import { findLastChange, findLastCommit } from "../git/path_history.ts";
import { findPath, readNamed, splitPath } from "../git/objects.ts";
import { entryKind, namesAmong } from "../git/tree.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject } from "../ports/storage.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";

/** The shortest possible tree entry: mode, blank, a letter, NUL and id. */
const MIN_ENTRY_BYTES = 29;

/** Bound for the path of a folder in characters, times its number of entries: each entry repeats the path. */
export const MAX_LISTED_PATH_LENGTH = 2 ** 27;

export interface File {
  readonly bytes: Uint8Array;
  /** Frees the bytes, like the `release` of `GitObject`. */
  readonly release?: (() => void) | undefined;
  /** The commit that last changed the file. */
  readonly lastCommit: Oid;
}

export interface FileLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** Waits until this much memory is free. */
  requireRoom(bytes: number): Promise<void>;
  /** Whether the last commit of a file is the one of `git log`, which skips merges; false by default. */
  readonly passesMerges?: boolean;
}

/**
 * Finds the git tree of a folder of a commit. The caller may release it. An empty path is the root, and one
 * final slash does not matter.
 *
 * @throws {NotFoundError} when the path leads nowhere or to something else.
 * @throws {TooLargeError} when its entries with their paths are too long to be listed.
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

/** The commit that last changed something in a folder. */
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
 * Finds a file of a commit; `undefined` when the path leads nowhere or to something else.
 *
 * @throws {TooLargeError} when it is too large.
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
 * Like {@link tryFile}.
 *
 * @throws {NotFoundError} instead of `undefined`.
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
 * Finds the first file with one of these names in the root of a commit.
 *
 * @throws {NotFoundError} when there is none.
 * @throws {TooLargeError} when it is too large.
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
