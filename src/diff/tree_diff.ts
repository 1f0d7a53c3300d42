/** The difference between two trees: what changed, what was moved or copied, and the lines. */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { blobsOf, readBlobContents } from "./blob_contents.ts";
import type { Diff } from "./diff_object.ts";
import { type Libgit2, Libgit2Error } from "./libgit2.ts";
import { diffWithoutContent, readPatch } from "./patch.ts";
import { compareTrees } from "./tree_comparison.ts";

/** The difference between two trees. Shared between callers: never write to it. */
export interface TreeDiff {
  readonly diff: Diff;
  /** The blobs of the files that it names, each once: what the member `files` of an answer holds (2.4). Submodules have none. */
  readonly touched: readonly Oid[];
}

/** Differing files above which none is looked into: they are only named. So many small ones take libgit2 some four seconds. */
export const MAX_INSPECTED_CHANGES = 50_000;

/**
 * The difference between two trees of a repository; without an old tree all files were added. When libgit2 fails, as it does when memory runs out,
 * the files are only named.
 *
 * @throws {DamagedError} when a tree or a blob is missing or broken, or the trees are too large to be compared.
 */
export async function diffTrees(
  libgit2: Libgit2,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
): Promise<TreeDiff> {
  const changes = await compareTrees(repository, oldTree, newTree);
  const touched = [...blobsOf(changes)];
  if (changes.length === 0 || changes.length > MAX_INSPECTED_CHANGES) {
    return { diff: diffWithoutContent(changes), touched };
  }
  const contents = await readBlobContents(repository, changes);
  try {
    return { diff: readPatch(await libgit2.patch(changes, contents), changes), touched };
  } catch (error) {
    if (error instanceof Libgit2Error) return { diff: diffWithoutContent(changes), touched };
    throw error;
  }
}
