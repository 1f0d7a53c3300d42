/**
 * What became of empty files. They are like each other, and like nothing else but texts of white space. Without these, what libgit2 makes of them can
 * be told without it, however many there are: it was found by asking it.
 */
import type { Oid } from "../ids/oid.ts";
import type { FilePair } from "./file_pair.ts";
import type { Change, FileSide } from "./tree_comparison.ts";

/** The blob without content. */
export const EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" as Oid;

/** Whether a change is an added empty file. */
export function isAddedEmpty(change: Change): boolean {
  return change.old === undefined && isEmptyFile(change.new);
}

/** Whether an empty file was there before. */
export function isEmptySource({ old }: Change): boolean {
  return isEmptyFile(old);
}

/**
 * The added empty files that were moved or copied. Each source is taken by one file, in the order of their paths; what is left over comes from the
 * first source, as does each copy.
 */
export function pairEmptyFiles(changes: readonly Change[]): FilePair[] {
  const sources = changes.filter(isEmptySource);
  const [first] = sources;
  if (first === undefined) return [];
  return changes.filter(isAddedEmpty).map((to, i): FilePair => {
    const from = sources[i] ?? first;
    return from.new === undefined ? { from, to, isRename: true } : { from: first, to, isRename: false };
  });
}

function isEmptyFile(side: FileSide | undefined): boolean {
  return side?.oid === EMPTY_BLOB && (side.mode === "blob" || side.mode === "blobExecutable");
}
