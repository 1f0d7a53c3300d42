/** How large objects may be that are read: known from their headers, so that a larger one costs neither time nor memory. */
import { TooLargeError } from "../errors.ts";
import type { ObjectHeader, ObjectKind, ReadLimits } from "../ports/storage.ts";

/** Longest commit that is read, in bytes: room for 100,000 parents. */
export const MAX_COMMIT_BYTES = 5 * 2 ** 20;
/** Longest tree that is read, in bytes: some 400,000 names. */
export const MAX_TREE_BYTES = 16 * 2 ** 20;
/** Longest tag that is read, in bytes. */
export const MAX_TAG_BYTES = 2 ** 20;
/** Longest blob that is read, in bytes. */
export const MAX_BLOB_BYTES = 16 * 2 ** 20;

/** Longest content that is read of each kind of object, in bytes. Kind and size are told of any. */
export const OBJECT_LIMITS: Readonly<Record<ObjectKind, number>> = {
  commit: MAX_COMMIT_BYTES,
  tree: MAX_TREE_BYTES,
  tag: MAX_TAG_BYTES,
  blob: MAX_BLOB_BYTES,
};

/**
 * An object on the way to another one may be that much longer than objects of its kind that are asked for: a file that grew beyond the limit is what
 * earlier, shorter ones are deltas of.
 */
export const MAX_LINK_FACTOR = 2;

const NAMES: Readonly<Record<ObjectKind, string>> = {
  commit: "Commit",
  tree: "Tree",
  tag: "Tag",
  blob: "File",
};

/**
 * Refuses an object that is longer than the limits of a read and {@link OBJECT_LIMITS} allow.
 *
 * @throws {TooLargeError}
 */
export function checkObjectSize({ kind, size }: ObjectHeader, limits?: ReadLimits): void {
  const limit = Math.min(OBJECT_LIMITS[kind], limits?.limitBytes ?? Infinity);
  if (size > limit) throw new TooLargeError(`${NAMES[kind]} is larger than ${limit} bytes`);
}
