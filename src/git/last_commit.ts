/**
 * The last commit that changed a path: the first commit of the walk whose tree differs at the path from that
 * of its first parent. (`git log -1 -- path` differs: it leaves out merges that brought a change in.) Trees
 * are read only for commits whose lists of paths do not rule the path out.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { TimeSlices } from "../async/time_slices.ts";
import type { CommitIndex } from "./commit_index.ts";
import { hashPath } from "./changed_paths.ts";
import { ABSENT, pathReader } from "./path_reader.ts";

/** Commits skipped in one step: below a millisecond. */
const ROWS_AT_ONCE = 1024;

/** The last commit at or before `tip` that changed the path; `undefined` when none did. */
export async function findLastCommit(
  repository: Repository,
  index: CommitIndex,
  tip: number,
  names: readonly Uint8Array[],
): Promise<Oid | undefined> {
  const slices = new TimeSlices();
  const entryAt = pathReader(repository, names, slices);
  const hash = hashPath(names);
  const { paths } = index;
  const walk = index.walk(tip);
  for (let position = 0;; position++) {
    const loading = index.prepare(tip, position + 1);
    if (loading !== undefined) await loading;
    const row = walk.at(position);
    if (row === undefined) return undefined;
    if (position % ROWS_AT_ONCE === 0) await slices.next();
    if (!paths.mayChange(row, hash)) continue;
    const parent = index.parentCount(row) === 0 ? undefined : index.parentOf(row, 0);
    const here = await entryAt(index.treeOf(row));
    const before = parent === undefined
      ? ABSENT
      : index.isReadable(parent)
      ? await entryAt(index.treeOf(parent))
      : here;
    if (here !== before) return index.oidOf(row);
    await slices.next();
  }
}

/**
 * The last commit that changed a path as `git log -1 -- path` tells it: a merge that has the path as one of
 * its parents is passed over to that parent. `undefined` when the path does not exist in `tip`.
 */
export async function findLastChange(
  repository: Repository,
  index: CommitIndex,
  tip: number,
  names: readonly Uint8Array[],
): Promise<Oid | undefined> {
  const slices = new TimeSlices();
  const entryAt = pathReader(repository, names, slices);
  const hash = hashPath(names);
  for (let row = tip;;) {
    await slices.next();
    const loading = index.prepareParents(row);
    if (loading !== undefined) await loading;
    const parents = index.parentCount(row);
    if (parents > 0 && index.isReadable(index.parentOf(row, 0)) && !index.paths.mayChange(row, hash)) {
      row = index.parentOf(row, 0);
      continue;
    }
    const here = await entryAt(index.treeOf(row));
    let same: number | undefined;
    for (let i = 0; i < parents && same === undefined; i++) {
      const parent = index.parentOf(row, i);
      if (index.isReadable(parent) && await entryAt(index.treeOf(parent)) === here) same = parent;
    }
    if (same === undefined) return here === ABSENT ? undefined : index.oidOf(row);
    row = same;
  }
}
