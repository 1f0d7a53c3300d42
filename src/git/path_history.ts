/**
 * Finds the commits that changed a path, as `git log -- path` does. If a parent of a commit has the same
 * entry at the path, the commit is left out, and only this parent is followed. A side branch that did not
 * affect the path is therefore not shown. The trees of a commit are read only if the hashes of its changed
 * paths ({@link ChangedPaths}) include the path.
 */
import type { Task } from "../scheduling/task.ts";
import { DamagedError, HistoryTooLongError, UnavailableError } from "../errors.ts";
import type { Repository } from "../ports/storage.ts";
import { hashPath } from "./changed_paths.ts";
import type { CommitGraph, OpenedRepository } from "./commit_graph.ts";
import { CommitQueue } from "./history_walk.ts";
import { splitPath } from "./objects.ts";
import { entryKind, findEntry, MODE, type TreeEntry } from "./tree.ts";
import { LruMap } from "../cache/lru_map.ts";
import type { Oid } from "../ids/oid.ts";

/**
 * Maximum work for the history of one path, in bytes of trees that are read. Each tree counts as at least
 * {@link MIN_TREE_COST}.
 */
export const MAX_PATH_WORK = 2 ** 30;
/** Cost of reading a small tree, in bytes. Searching this many bytes of a large tree takes the same time. */
export const MIN_TREE_COST = 2 ** 13;
/** `Retry-After` of a request that takes too long before all changed paths are listed, in seconds. */
const INDEX_RETRY_SECONDS = 30;

/** Number of commits that are skipped between two pauses, which takes less than a millisecond. */
const ROWS_AT_ONCE = 256;

export interface PathHistoryOptions {
  /**
   * Returns the path of a file in the parent of the commit that added the file; `undefined` when the file is
   * new. Without this function, renames are not followed.
   */
  readonly findOldPath?:
    | ((row: number, parent: number, path: string) => Promise<string | undefined>)
    | undefined;
  /** Aborted when no request waits for the result anymore. */
  readonly signal?: AbortSignal | undefined;
  /** Maximum work, instead of {@link MAX_PATH_WORK}. */
  readonly maxWork?: number;
}

interface FollowedPath {
  readonly path: string;
  readonly hash: number;
  readonly entryAt: ReturnType<typeof pathReader>;
}

/**
 * Yields the rows of the commits that changed a file or folder, in the order of history.
 *
 * @param path Names that are separated by slashes. The path need not exist in `tip`.
 * @throws {DamagedError} when a commit or a tree that must be read is missing or damaged.
 * @throws {UnavailableError} when the trees to be read exceed {@link MAX_PATH_WORK}, but not all changed
 *   paths are listed yet.
 * @throws {HistoryTooLongError} when the trees to be read exceed {@link MAX_PATH_WORK}, although all changed
 *   paths are listed.
 */
export async function* pathHistory(
  { objects, graph, task }: OpenedRepository,
  tip: number,
  path: string,
  { findOldPath, signal, maxWork = MAX_PATH_WORK }: PathHistoryOptions,
): AsyncGenerator<number> {
  const { commits, paths } = graph;
  let work = 0;
  const spend = (treeBytes: number) => {
    work += Math.max(treeBytes, MIN_TREE_COST);
    if (work > maxWork) throw tooLong(graph);
  };
  const follow = (path: string): FollowedPath => {
    const names = splitPath(path);
    return { path, hash: hashPath(names), entryAt: pathReader(objects, names, task, spend) };
  };
  const first = follow(path);
  /** The path to follow from a commit on, if the file was renamed in a newer commit. */
  const renamed = new Map<number, FollowedPath>();
  const queue = new CommitQueue(commits);
  queue.push(tip);
  for (let seen = 1; queue.length > 0; seen++) {
    if (seen % ROWS_AT_ONCE === 0) await task.yield();
    const row = queue.pop();
    const at = renamed.get(row) ?? first;
    renamed.delete(row);
    commits.requireParents(row);
    const parents = commits.readableParentsOf(row);
    const [parent] = parents;
    if (parent !== undefined && !paths.mayChange(row, at.hash)) {
      goTo(parent, at);
      continue;
    }
    signal?.throwIfAborted();
    const entry = await at.entryAt(commits.treeOf(row));
    if (parent === undefined) {
      if (entry !== ABSENT) yield row;
      continue;
    }
    let [same, isNew]: [number | undefined, boolean] = [undefined, true];
    for (const one of parents) {
      const before = await at.entryAt(commits.treeOf(one));
      if (before === entry) same ??= one;
      if (before !== ABSENT) isNew = false;
      if (same !== undefined) break;
      await task.yield();
    }
    if (same !== undefined) {
      goTo(same, at);
      continue;
    }
    yield row;
    const isAddedFile = isNew && parents.length === 1 && !entry.startsWith(`${MODE.tree} `);
    const old = isAddedFile ? await findOldPath?.(row, parent, at.path) : undefined;
    const next = old === undefined ? at : follow(old);
    for (const one of parents) goTo(one, next);
  }

  function goTo(row: number, at: FollowedPath): void {
    if (at !== first && !renamed.has(row)) renamed.set(row, at);
    queue.push(row);
  }
}

function tooLong(graph: CommitGraph): HistoryTooLongError | UnavailableError {
  return graph.paths.seen < graph.commits.size
    ? new UnavailableError("The index of this history is being made", {
      retryAfterSeconds: INDEX_RETRY_SECONDS,
    })
    : new HistoryTooLongError("History is too large to be searched for this path");
}

/** Represents the entry at a path that does not exist. */
export const ABSENT = "absent";

/** Maximum number of folders that the search for a path caches, which takes 1.3 MB. */
const MAX_FOLDERS_ON_PATH = 8192;

/**
 * Creates a function that returns mode and id of the entry at a path in a tree, as one text. Each folder on
 * the path is read only once.
 *
 * @param spend Called with the size of each tree that is read. An error that it throws ends the read.
 */
export function pathReader(
  repository: Repository,
  names: readonly Uint8Array[],
  task: Task,
  spend: (treeBytes: number) => void = () => {},
): (tree: Oid) => Promise<string> {
  // Most commits do not change most folders on the path.
  const cached = new LruMap<string, string>(MAX_FOLDERS_ON_PATH);
  return async (tree) => {
    const passed: string[] = [];
    let entry = { mode: MODE.tree as number, oid: tree };
    let found = "";
    for (const [depth, name] of names.entries()) {
      const key = `${depth} ${entry.oid}`;
      found = cached.get(key) ?? "";
      if (found !== "") break;
      passed.push(key);
      let next: TreeEntry | undefined;
      if (entryKind(entry.mode) === "tree") {
        const answer = repository.object(entry.oid);
        const object = answer instanceof Promise ? await answer : answer;
        spend(object?.bytes.length ?? 0);
        if (object?.kind !== "tree") throw new DamagedError(`Tree ${entry.oid} is missing`);
        const entered = findEntry(object.bytes, name, task);
        next = entered instanceof Promise ? await entered : entered;
        object.release?.();
      }
      if (next === undefined) {
        found = ABSENT;
        break;
      }
      entry = { mode: next.mode, oid: next.oid };
      const pause = task.yield();
      if (pause !== undefined) await pause;
    }
    if (found === "") found = `${entry.mode} ${entry.oid}`;
    for (const key of passed) cached.set(key, found);
    return found;
  };
}

/** Number of commits that are skipped in one step, which takes less than a millisecond. */
const SKIPPED_AT_ONCE = 1024;

/**
 * Finds the last commit at or before `tip` that changed the path: the first commit of the walk whose entry at
 * the path differs from the entry in its first parent. Returns `undefined` when no commit changed the path.
 * `git log -1 -- path` can give another result, because it leaves out merges that brought in a change.
 *
 * @throws {DamagedError} when a commit or a tree that must be read is missing or damaged.
 */
export async function findLastCommit(
  { objects, graph, task }: OpenedRepository,
  tip: number,
  names: readonly Uint8Array[],
): Promise<Oid | undefined> {
  const entryAt = pathReader(objects, names, task);
  const hash = hashPath(names);
  const { commits, paths } = graph;
  const walk = graph.walk(tip);
  for (let position = 0;; position++) {
    const row = walk.at(position);
    if (row === undefined) return undefined;
    if (position % SKIPPED_AT_ONCE === 0) await task.yield();
    if (!paths.mayChange(row, hash)) continue;
    const parent = commits.firstParentOf(row);
    const entry = await entryAt(commits.treeOf(row));
    const before = parent === undefined ? ABSENT : await entryAt(commits.treeOf(parent));
    if (entry !== before) return commits.oidOf(row);
    await task.yield();
  }
}

/**
 * Finds the last commit that changed a path, as `git log -1 -- path` does. If a parent of a merge has the
 * same entry at the path, the search continues at this parent. The path must exist in `tip`.
 */
export async function findLastChange(
  repository: OpenedRepository,
  tip: number,
  path: string,
): Promise<Oid | undefined> {
  for await (const row of pathHistory(repository, tip, path, { maxWork: Infinity })) {
    return repository.graph.commits.oidOf(row);
  }
  return undefined;
}
