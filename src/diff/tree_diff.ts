/** The difference between two trees: what changed, what was moved or copied, and the lines. */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { type BlobContents, blobsOf, contentsOf, readBlobContents } from "./blob_contents.ts";
import type { Diff, FileContent } from "./diff_object.ts";
import { compareSides } from "./file_content.ts";
import { diffWithoutContent, FileLists } from "./file_lists.ts";
import { NO_CONTENT } from "./hunks.ts";
import { type Libgit2Calls, Libgit2Error } from "./libgit2.ts";
import { pairFiles } from "./pairing.ts";
import { readPatch } from "./patch.ts";
import { type Change, compareTrees, type FileSide } from "./tree_comparison.ts";

/** The difference between two trees. Shared between callers: never write to it. */
export interface TreeDiff {
  readonly diff: Diff;
  /** The blobs of the files that it names, each once: what the member `files` of an answer holds (2.4). Submodules have none. */
  readonly touched: readonly Oid[];
}

/** Called between the files that are compared; what it returns is waited for. */
export type Pause = () => Promise<void> | undefined;

/** Differing files above which none is looked into: they are only named. So many small ones take libgit2 some four seconds. */
export const MAX_INSPECTED_CHANGES = 50_000;

/**
 * The difference between two trees of a repository; without an old tree all files were added. When libgit2 fails, as it does when memory runs out,
 * the files are only named.
 *
 * @throws {DamagedError} when a tree or a blob is missing or broken, or the trees are too large to be compared.
 */
export async function diffTrees(
  libgit2: Libgit2Calls,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
  pause?: Pause,
): Promise<TreeDiff> {
  const changes = await compareTrees(repository, oldTree, newTree);
  const touched = [...blobsOf(changes)];
  if (changes.length === 0 || changes.length > MAX_INSPECTED_CHANGES) {
    return { diff: diffWithoutContent(changes), touched };
  }
  const contents = await readBlobContents(repository, changes);
  try {
    return { diff: await inspect(libgit2, changes, contents, pause), touched };
  } catch (error) {
    if (error instanceof Libgit2Error) return { diff: diffWithoutContent(changes), touched };
    throw error;
  }
}

/** The diff of changes whose contents are at hand. */
async function inspect(
  libgit2: Libgit2Calls,
  changes: readonly Change[],
  contents: BlobContents,
  pause: Pause = () => undefined,
): Promise<Diff> {
  const pairs = await pairFiles(libgit2, changes, contents);
  const compared: (FileContent | undefined)[] = [];
  for (const { from, to } of pairs) {
    const pausing = pause();
    if (pausing !== undefined) await pausing;
    compared.push(compareSides(from.old, to.new, contents));
  }
  const left = pairs.filter((_, i) => compared[i] === undefined).map(({ from, to }): Change => ({
    path: to.path,
    ...(from.old && { old: asFile(from.old) }),
    ...(to.new && { new: asFile(to.new) }),
  }));
  const patch = left.length === 0
    ? undefined
    : readPatch(await libgit2.patch(left, contentsOf(left, contents)));
  const files = new FileLists();
  let next = 0;
  pairs.forEach(({ from, to, isRename }, i) => {
    const content = compared[i] ?? patch?.get(next++) ?? NO_CONTENT;
    if (from === to) files.addChange(to, content);
    else files.addPair(from, to, isRename, content);
  });
  return files.toDiff();
}

/** The side as a file, whatever it is: then a patch shows two sides as one changed file. */
function asFile({ oid }: FileSide): FileSide {
  return { oid, mode: "blob" };
}
