/**
 * Plans a diff before any line is compared: the files that differ, their sizes, then which of them were moved
 * or copied. All limits that refuse a diff are checked here, so that an answer that has begun is given in
 * full.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { Blobs, type Sides } from "./blobs.ts";
import type { Budget } from "./budget.ts";
import type { DiffFile, FileContent, FileKind } from "./diff_object.ts";
import type { Libgit2Calls } from "./libgit2/engine.ts";
import { type FilePair, pairFiles } from "./renames/pairing.ts";
import { type Change, compareTrees } from "./tree_comparison.ts";

/** A file of a diff. */
export interface PlannedFile extends Sides {
  readonly kind: FileKind;
  /** Path of the file; of a moved or copied one, the path that it came from. */
  readonly path: string;
  /** Path of a moved or copied file. */
  readonly newPath?: string;
}

/** The work of a diff, known from trees and sizes alone: no content was read. */
export interface DiffPlan {
  readonly changes: readonly Change[];
  readonly blobs: Blobs;
}

/** Files planned between two looks at the clock. */
const STEP_FILES = 1024;

// Paths need not be UTF-8 either.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Plans the diff between two trees of a repository; without an old tree all files were added.
 *
 * @throws {OverBudgetError} when trees or files are too large for the budget.
 * @throws {TooLargeError} when files are too many.
 * @throws {DamagedError} when a tree or a blob is missing or broken.
 */
export async function planDiff(
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
  budget: Budget,
): Promise<DiffPlan> {
  const changes = await compareTrees(repository, oldTree, newTree, budget);
  const pause = budget.nextSlice();
  if (pause !== undefined) await pause;
  return { changes, blobs: await Blobs.of(repository, changes, budget) };
}

/**
 * The files of a planned diff in the order of their (new) paths. Reads the texts of which some may have been
 * moved or copied.
 *
 * @throws {OverBudgetError} when these texts are too large for the budget.
 * @throws {DamagedError} when a blob is missing or broken.
 * @throws {Libgit2Error} when libgit2 cannot tell what was moved, as when memory runs out.
 */
export async function filesOf(
  libgit2: Libgit2Calls,
  { changes, blobs }: DiffPlan,
  budget: Budget,
): Promise<readonly PlannedFile[]> {
  const pairs = await pairFiles(libgit2, changes, blobs, budget);
  const planned: PlannedFile[] = [];
  for (const [i, pair] of pairs.entries()) {
    const pause = i % STEP_FILES === 0 ? budget.nextSlice() : undefined;
    if (pause !== undefined) await pause;
    planned.push(planFile(pair));
  }
  return planned;
}

/** Names what happened to a file. */
export function planFile({ from, to, isRename }: FilePair): PlannedFile {
  const path = decoder.decode(from.path);
  if (from !== to) {
    if (from.old === undefined || to.new === undefined) throw new TypeError("Not a pair of files");
    const newPath = decoder.decode(to.path);
    return { kind: isRename ? "moved" : "copied", path, newPath, old: from.old, new: to.new };
  }
  if (to.old === undefined) return { kind: "added", path, new: to.new };
  if (to.new === undefined) return { kind: "deleted", path, old: to.old };
  return { kind: "modified", path, old: to.old, new: to.new };
}

/**
 * A planned file with what changed in it.
 *
 * @throws {TypeError} when the file lacks a side that its kind has.
 */
export function toDiffFile({ kind, path, newPath, old, new: now }: PlannedFile, diff: FileContent): DiffFile {
  if (old === undefined) return { path, diff, new: present(now, kind) };
  if (now === undefined) return { path, diff, old };
  if (newPath === undefined) return { path, diff, old, new: now };
  if (isOnlyMoved({ kind, old, new: now })) return { oldPath: path, newPath, current: now };
  return { oldPath: path, newPath, old, new: now, diff };
}

/** Whether nothing but the path of a file has changed: then it has no content of its own. */
export function isOnlyMoved({ kind, old, new: now }: Pick<PlannedFile, "kind" | "old" | "new">): boolean {
  return kind === "moved" && old?.oid === now?.oid && old?.mode === now?.mode;
}

function present<T>(side: T | undefined, kind: FileKind): T {
  if (side === undefined) throw new TypeError(`A file that was ${kind} has a new side`);
  return side;
}
