/** Which files were moved or copied: those that libgit2 finds to be alike. */
import type { BlobContents } from "./blob_contents.ts";
import type { Libgit2 } from "./libgit2.ts";
import type { Change } from "./tree_comparison.ts";

/** Two sides of one file of a diff. */
export interface FilePair {
  /** The change that has the old side: `to` itself unless the file was moved or copied. */
  readonly from: Change;
  /** The change that has the new side. */
  readonly to: Change;
  readonly isRename: boolean;
}

/** A letter and the names before and after, of which one is enough when they are equal; a star stands behind those of executable files. */
const STATUS_LINE = /^([ACDMR])\t(\d+)[ *]?(?: +(\d+)[ *]?)?$/;

/**
 * The files of a diff. Only where some were added and others can be what they were made of, libgit2 has to look.
 *
 * @throws {Libgit2Error} when libgit2 fails.
 */
export async function pairFiles(
  libgit2: Libgit2,
  changes: readonly Change[],
  contents: BlobContents,
): Promise<FilePair[]> {
  const hasTargets = changes.some((change) => change.old === undefined);
  const hasSources = changes.some((change) => change.old !== undefined);
  if (!hasTargets || !hasSources) {
    return changes.map((change) => ({ from: change, to: change, isRename: false }));
  }
  return readStatus(await libgit2.status(changes, contents), changes);
}

/**
 * Reads the list of files that libgit2 prints, in which they have the numbers of their changes as names.
 *
 * @throws {TypeError} when the text is no such list.
 */
export function readStatus(list: string, changes: readonly Change[]): FilePair[] {
  return list.split("\n").slice(0, -1).map((line) => {
    const [, letter, source, target = source] = STATUS_LINE.exec(line) ?? [];
    const [from, to] = [changes[Number(source)], changes[Number(target)]];
    if (from === undefined || to === undefined) throw new TypeError("Not a list of these changes");
    return { from, to, isRename: letter === "R" };
  });
}
