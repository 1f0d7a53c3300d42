/**
 * The last commit that changed a path: the first commit of the walk whose tree differs at the path from that
 * of its first parent. (`git log -1 -- path` differs: it leaves out merges that brought a change in.) Trees
 * are read only for commits whose lists of paths do not rule the path out.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import type { CommitGraph } from "./commit_graph.ts";
import { hashPath } from "./changed_paths.ts";
import { ABSENT, pathReader } from "./path_reader.ts";

/** Commits skipped in one step: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** The last commit at or before `tip` that changed the path; `undefined` when none did. */
export async function findLastCommit(
  repository: Repository,
  graph: CommitGraph,
  tip: number,
  names: readonly Uint8Array[],
  task: Task,
): Promise<Oid | undefined> {
  const entryAt = pathReader(repository, names, task);
  const hash = hashPath(names);
  const { paths } = graph;
  const walk = graph.walk(tip);
  for (let position = 0;; position++) {
    const loading = graph.prepare(tip, position + 1);
    if (loading !== undefined) await loading;
    const row = walk.at(position);
    if (row === undefined) return undefined;
    if (position % ROWS_AT_ONCE === 0) await task.yield();
    if (!paths.mayChange(row, hash)) continue;
    const parent = graph.parentCount(row) === 0 ? undefined : graph.parentOf(row, 0);
    const here = await entryAt(graph.treeOf(row));
    const before = parent === undefined
      ? ABSENT
      : graph.isReadable(parent)
      ? await entryAt(graph.treeOf(parent))
      : here;
    if (here !== before) return graph.oidOf(row);
    await task.yield();
  }
}

/**
 * The last commit that changed a path as `git log -1 -- path` tells it: a merge that has the path as one of
 * its parents is passed over to that parent. `undefined` when the path does not exist in `tip`.
 */
export async function findLastChange(
  repository: Repository,
  graph: CommitGraph,
  tip: number,
  names: readonly Uint8Array[],
  task: Task,
): Promise<Oid | undefined> {
  const entryAt = pathReader(repository, names, task);
  const hash = hashPath(names);
  for (let row = tip;;) {
    await task.yield();
    const loading = graph.prepareParents(row);
    if (loading !== undefined) await loading;
    const parents = graph.parentCount(row);
    if (parents > 0 && graph.isReadable(graph.parentOf(row, 0)) && !graph.paths.mayChange(row, hash)) {
      row = graph.parentOf(row, 0);
      continue;
    }
    const here = await entryAt(graph.treeOf(row));
    let same: number | undefined;
    for (let i = 0; i < parents && same === undefined; i++) {
      const parent = graph.parentOf(row, i);
      if (graph.isReadable(parent) && await entryAt(graph.treeOf(parent)) === here) same = parent;
    }
    if (same === undefined) return here === ABSENT ? undefined : graph.oidOf(row);
    row = same;
  }
}
