/** A file of a diff as clients see it. */
import type { DiffFile, FileContent, FileKind } from "./diff_object.ts";
import type { PlannedFile } from "./diff_plan.ts";

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
