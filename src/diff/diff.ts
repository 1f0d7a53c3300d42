/** Differences between trees: the one entry to the diff engine. */
import { LruMap } from "../cache/lru_map.ts";
import type { Oid } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import { Libgit2 } from "./libgit2.ts";
import { diffTrees, type TreeDiff } from "./tree_diff.ts";

export type { Diff } from "./diff_object.ts";
export { diffTrees, MAX_INSPECTED_CHANGES, type TreeDiff } from "./tree_diff.ts";

/** Compares trees. */
export interface DiffEngine {
  /**
   * The difference between two trees of a repository; without an old tree all files were added. Any number of calls may be under way.
   *
   * @throws {DamagedError} when a tree or a blob is missing or broken, or the trees are too large to be compared.
   */
  diff(repository: Repository, oldTree: Oid | undefined, newTree: Oid): Promise<TreeDiff>;
}

/** What an engine is made with. */
export interface DiffEngineOptions {
  readonly loadLibgit2: LoadLibgit2;
  /** Memory for answers that are kept, about; {@link DEFAULT_CACHE_BYTES} by default. */
  readonly cacheBytes?: number;
}

/** Memory for answers that are kept, in bytes. */
export const DEFAULT_CACHE_BYTES = 32 * 1024 * 1024;

/** Memory that an object of an answer takes beside the text in it, about. */
const OBJECT_BYTES = 64;

/** Builds an engine; nothing is compiled yet. */
export function createDiffEngine(
  { loadLibgit2, cacheBytes = DEFAULT_CACHE_BYTES }: DiffEngineOptions,
): DiffEngine {
  const libgit2 = new Libgit2(loadLibgit2);
  const answers = new LruMap<string, TreeDiff>(cacheBytes, estimateBytes);
  return {
    async diff(repository, oldTree, newTree) {
      const key = `${oldTree} ${newTree}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = await diffTrees(libgit2, repository, oldTree, newTree);
      if (estimateBytes(answer) <= cacheBytes / 4) answers.set(key, answer);
      return answer;
    },
  };
}

function estimateBytes({ diff, touched }: TreeDiff): number {
  let bytes = touched.length * OBJECT_BYTES;
  for (const file of [...diff.added, ...diff.deleted, ...diff.moved, ...diff.copied, ...diff.modified]) {
    bytes += 8 * OBJECT_BYTES;
    if (!("diff" in file)) continue;
    for (const { lines } of file.diff.hunks) {
      bytes += 4 * OBJECT_BYTES;
      for (const { line } of lines) bytes += OBJECT_BYTES + 2 * line.length;
    }
  }
  return bytes;
}
