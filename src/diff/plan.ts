/**
 * Plans a diff before any line is compared: finds the files that differ, their sizes, and the moved and
 * copied files. All limits are checked here, so that a response that has begun can be completed.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { Blobs, type Sides, STEP_FILES } from "./blobs.ts";
import { Budget } from "./budget.ts";
import type { FileContent, FileKind } from "./diff_object.ts";
import type { Libgit2Calls } from "./libgit2/engine.ts";
import { candidatesAmong, type FilePair, pairFiles } from "./renames/pairing.ts";
import { compareTrees } from "./tree_comparison.ts";

/** A file of a diff. */
export interface PlannedFile extends Sides {
  readonly kind: FileKind;
  /** Path of the file. For a moved or copied file, its old path. */
  readonly path: string;
  /** New path of a moved or copied file; `undefined` for other files. */
  readonly newPath?: string;
}

export interface DiffPlan {
  /** The files, sorted by new path. */
  readonly files: readonly PlannedFile[];
  readonly blobs: Blobs;
}

/**
 * Plans the diff between two trees of a repository. Without an old tree, all files count as added.
 *
 * @throws {OverBudgetError} when trees or files exceed the budget.
 * @throws {TooLargeError} when too many files differ.
 * @throws {DamagedError} when a tree or a blob is missing or damaged.
 * @throws {Libgit2Error} when libgit2 fails, for example because memory runs out.
 */
export async function planDiff(
  libgit2: Libgit2Calls,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
  budget: Budget = new Budget(),
): Promise<DiffPlan> {
  const changes = await compareTrees(repository, oldTree, newTree, budget);
  const blobs = await Blobs.of(repository, changes, budget);
  await budget.yield();
  budget.check("fileBytes", blobs.bytesOfAll(changes));
  const candidates = candidatesAmong(changes, blobs);
  const files: PlannedFile[] = [];
  for (const pair of await pairFiles(libgit2, { changes, blobs, candidates }, budget)) {
    if (files.length % STEP_FILES === 0) await budget.yield();
    files.push(planFile(pair));
  }
  return { files, blobs };
}

export function planFile({ from, to, isRename }: FilePair): PlannedFile {
  const { path } = from;
  if (from !== to) {
    if (from.old === undefined || to.new === undefined) throw new TypeError("Not a pair of files");
    return { kind: isRename ? "moved" : "copied", path, newPath: to.path, old: from.old, new: to.new };
  }
  if (to.old === undefined) return { kind: "added", path, new: to.new };
  if (to.new === undefined) return { kind: "deleted", path, old: to.old };
  return { kind: "modified", path, old: to.old, new: to.new };
}

/** Returns the JSON object of a planned file with its content. */
export function toDiffFile({ kind, path, newPath, old, new: now }: PlannedFile, diff: FileContent): object {
  if (newPath === undefined) return { path, diff, ...(old && { old }), ...(now && { new: now }) };
  if (isOnlyMoved({ kind, old, new: now })) return { oldPath: path, newPath, current: now };
  return { oldPath: path, newPath, old, new: now, diff };
}

/** Checks whether only the path of a file has changed. The JSON object of such a file has no content. */
export function isOnlyMoved({ kind, old, new: now }: Pick<PlannedFile, "kind" | "old" | "new">): boolean {
  return kind === "moved" && old?.oid === now?.oid && old?.mode === now?.mode;
}
