/**
 * What is to be compared between two trees, before any line is: which files differ, how large they are, and which were moved or copied. All limits
 * of a diff are checked here, so that what follows is answered in full.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { Blobs, type Sides } from "./blobs.ts";
import type { DiffFile, FileContent, FileKind } from "./diff_object.ts";
import type { Libgit2Calls } from "./libgit2/engine.ts";
import { type FilePair, pairFiles } from "./renames/pairing.ts";
import { compareTrees } from "./tree_comparison.ts";

/** Called between steps; what it returns is waited for. */
export type Pause = () => Promise<void> | undefined;

/** A file of a diff. */
export interface PlannedFile extends Sides {
  readonly kind: FileKind;
  /** Path of the file; of a moved or copied one, the path that it came from. */
  readonly path: string;
  /** Path of a moved or copied file. */
  readonly newPath?: string;
}

/** The files of a diff in the order of the answer, and their blobs. */
export interface DiffPlan {
  readonly files: readonly PlannedFile[];
  readonly blobs: Blobs;
}

/** Kinds of files in the order of the answer. */
export const FILE_KINDS: readonly FileKind[] = ["added", "deleted", "moved", "copied", "modified"];

// Paths need not be UTF-8 either.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Plans the diff between two trees of a repository; without an old tree all files were added.
 *
 * @throws {TooLargeError} when trees or files are too many or too large.
 * @throws {DamagedError} when a tree or a blob is missing or broken.
 * @throws {Libgit2Error} when libgit2 cannot tell what was moved, as when memory runs out.
 */
export async function planDiff(
  libgit2: Libgit2Calls,
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
): Promise<DiffPlan> {
  const changes = await compareTrees(repository, oldTree, newTree);
  const blobs = await Blobs.of(repository, changes);
  blobs.checkTotal(changes);
  const byKind = Map.groupBy((await pairFiles(libgit2, changes, blobs)).map(planFile), ({ kind }) => kind);
  return { files: FILE_KINDS.flatMap((kind) => byKind.get(kind) ?? []), blobs };
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
