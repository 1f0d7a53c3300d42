/**
 * The last commit that touched a path: the first one of the walk of history whose tree differs there from that of its first parent. (`git log -1 -- path`
 * answers another question: it leaves out merges that brought a change in.)
 */
import { LruMap } from "../cache/lru_map.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { CommitIndex } from "./commit_index.ts";
import { findPath } from "./objects.ts";

/** Trees whose entry at the path is remembered during one search: a commit's tree is looked at again as its child's parent. */
const REMEMBERED_TREES = 4096;
/** A long search lets other requests through after so many commits: some 20 ms. */
const COMMITS_PER_TURN = 1024;

/** The last commit on or before `tip` that touched the path, or `undefined` when none did. */
export async function findLastCommit(
  repository: Repository,
  index: CommitIndex,
  tip: number,
  names: readonly Uint8Array[],
): Promise<Oid | undefined> {
  const entries = new LruMap<Oid, string>(REMEMBERED_TREES);
  const entryIn = async (tree: Oid): Promise<string> => {
    const known = entries.get(tree);
    if (known !== undefined) return known;
    const entry = await findPath(repository, tree, names);
    const text = entry === undefined ? "absent" : `${entry.mode} ${entry.oid}`;
    entries.set(tree, text);
    return text;
  };
  let seen = 0;
  for (const row of index.walk(tip)) {
    const [parent] = index.parentsOf(row);
    const here = await entryIn(index.treeOf(row));
    const before = parent === undefined
      ? "absent"
      : index.isReadable(parent)
      ? await entryIn(index.treeOf(parent))
      : here;
    if (here !== before) return index.oidOf(row);
    if (++seen % COMMITS_PER_TURN === 0) await new Promise((resume) => setTimeout(resume, 0));
  }
  return undefined;
}
