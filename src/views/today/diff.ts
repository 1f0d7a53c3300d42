/** JSON of a diff in the `/repos` dialect: one list of files, each with its kind of change. */
import type { DiffStats, FileContent, FileKind } from "../../diff/diff_object.ts";
import type { PlannedFile } from "../../diff/plan.ts";
import { BINARY_CONTENT } from "../../diff/text/hunks.ts";
import { diffStats, type DiffView, splitAtHunks } from "../diff.ts";

/** Writes a diff with one list of files, sorted by new path. */
export const diffInOrder: DiffView = {
  countsMoved: false,
  arrange: inOrder,
  beforeFile: (last: FileKind | undefined) => last === undefined ? OPENING : ",",
  fileJson: (file: PlannedFile, content: FileContent) => splitAtHunks(toFile(file, content), content),
  afterFiles: (last: FileKind | undefined, stats: DiffStats) =>
    `${last === undefined ? OPENING : ""}],"stats":${JSON.stringify(stats)}}`,
};

/**
 * Writes only the statistics of a diff, as `git diff --numstat` counts. Changed lines of moved files count. A
 * copied file counts as an added file. A file that became a link counts as one changed file.
 */
export const diffStatsAlone: DiffView = {
  ...diffStats,
  countsMoved: true,
  arrange: (files) => withoutTypeChanges(files.map((file) => file.kind === "copied" ? asAdded(file) : file)),
};

const OPENING = '{"files":[';

function toFile({ kind, path, newPath, old, new: now }: PlannedFile, content: FileContent): object {
  const diff = content === BINARY_CONTENT ? { type: "binary" } : content;
  if (newPath === undefined) {
    return { status: kind, path, diff, ...(old && { old }), ...(now && { new: now }) };
  }
  return old?.oid === now?.oid && old?.mode === now?.mode
    ? { status: kind, oldPath: path, newPath, current: now }
    : { status: kind, oldPath: path, newPath, old, new: now, diff };
}

/**
 * Sorts files in the order of libgit2. A file that changed its type, for example to a link, is in the list
 * twice: as a deleted file and as an added file. The deleted file comes first. In a diff with moved or copied
 * files, the added file comes first.
 */
function inOrder(files: readonly PlannedFile[]): readonly PlannedFile[] {
  if (!files.some(({ kind }) => kind === "moved" || kind === "copied")) return files;
  const ordered = [...files];
  for (let i = 1; i < ordered.length; i++) {
    const before = ordered[i - 1]!;
    const file = ordered[i]!;
    if (!isTypeChange(before, file)) continue;
    ordered[i - 1] = file;
    ordered[i] = before;
  }
  return ordered;
}

function withoutTypeChanges(files: readonly PlannedFile[]): readonly PlannedFile[] {
  return files.flatMap((file, i) => {
    const before = files[i - 1];
    if (before !== undefined && isTypeChange(before, file)) return [];
    const next = files[i + 1];
    return next !== undefined && isTypeChange(file, next)
      ? { ...file, kind: "modified", new: next.new }
      : file;
  });
}

/** Checks whether a deleted file and the added file after it have the same path. */
function isTypeChange(before: PlannedFile, file: PlannedFile): boolean {
  return before.kind === "deleted" && file.kind === "added" && before.path === file.path;
}

function asAdded({ path, newPath = path, new: now }: PlannedFile): PlannedFile {
  return { kind: "added", path: newPath, new: now };
}
