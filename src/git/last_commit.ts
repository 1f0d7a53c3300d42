/**
 * The last commit that touched a path: the first one of the walk of history whose tree differs there from that of its first parent. (`git log -1 -- path`
 * answers another question: it leaves out merges that brought a change in.) Trees are read of the commits whose lists of paths do not rule it out.
 */
import { LruMap } from "../cache/lru_map.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { CommitIndex } from "./commit_index.ts";
import { hashPath } from "./changed_paths.ts";
import { entryKind, findEntry, MODE } from "./tree.ts";

/** Folders whose entry on the path is remembered during one search: most commits leave most folders on the path as they were. */
const REMEMBERED_FOLDERS = 8192;
/** A long search lets other requests through after so many commits: some 20 ms. */
const COMMITS_PER_TURN = 1024;
/** What stands at the path where there is nothing. */
const ABSENT = "absent";

/** The last commit on or before `tip` that touched the path, or `undefined` when none did. */
export async function findLastCommit(
  repository: Repository,
  index: CommitIndex,
  tip: number,
  names: readonly Uint8Array[],
): Promise<Oid | undefined> {
  const entryAt = pathReader(repository, names);
  const hash = hashPath(names);
  const { paths } = index;
  let seen = 0;
  for (const row of index.walk(tip)) {
    if (!paths.mayChange(row, hash)) continue;
    const parent = index.parentCount(row) === 0 ? undefined : index.parentOf(row, 0);
    const here = await entryAt(index.treeOf(row));
    const before = parent === undefined
      ? ABSENT
      : index.isReadable(parent)
      ? await entryAt(index.treeOf(parent))
      : here;
    if (here !== before) return index.oidOf(row);
    if (++seen % COMMITS_PER_TURN === 0) await new Promise((resume) => setTimeout(resume, 0));
  }
  return undefined;
}

/** Tells what stands at the path below a tree, mode and id as one text; folders on the way are read once. */
function pathReader(repository: Repository, names: readonly Uint8Array[]): (tree: Oid) => Promise<string> {
  const known = new LruMap<string, string>(REMEMBERED_FOLDERS);
  return async (tree) => {
    const passed: string[] = [];
    let entry = { mode: MODE.tree as number, oid: tree };
    let found = "";
    for (const [depth, name] of names.entries()) {
      const key = `${depth} ${entry.oid}`;
      found = known.get(key) ?? "";
      if (found !== "") break;
      passed.push(key);
      const answer = entryKind(entry.mode) === "tree" ? repository.object(entry.oid) : undefined;
      const object = answer instanceof Promise ? await answer : answer;
      const next = object?.kind === "tree" ? findEntry(object.bytes, name) : undefined;
      if (next === undefined) {
        found = ABSENT;
        break;
      }
      entry = next;
    }
    if (found === "") found = `${entry.mode} ${entry.oid}`;
    for (const key of passed) known.set(key, found);
    return found;
  };
}
